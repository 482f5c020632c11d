/**
 * Several servers of one network at once, over real sockets on the virtual clock: which are connected, and which are
 * asked.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Health, ledgerPart } from "../../../../src/spine/observe/Health.ts"
import { chain } from "../../../support/ledger/chain.ts"
import {
  eventually,
  eventuallyAdvancing,
  ingesting,
  memoryLayer,
  takenIndexes
} from "../../../support/ledger/ingesting.ts"
import { type RippledServer, rippledServer } from "../../../support/ledger/rippledServer.ts"

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

const LAST = 1_000

/** Ledgers 1 to `LAST`, with 10 the last closed. */
const mainnetServer = Effect.gen(function* () {
  const server = yield* rippledServer()
  server.serve(chain(1, LAST))
  server.close(10)
  return server
})

const taken = (number: number) => Effect.map(takenIndexes, (indexes) => indexes.length >= number)
const asked = (server: RippledServer, request: string) =>
  server.requests.filter((name) => name === request).length
const subscribed = (...servers: ReadonlyArray<RippledServer>) =>
  Effect.sync(() => servers.every((server) => server.connections() === 1 && asked(server, "subscribe") > 0))

const facts = Effect.gen(function* () {
  const health = yield* Health
  return (yield* health.get(ledgerPart("mainnet")))?.facts ?? {}
})
const fact = (name: string) => Effect.map(facts, (all) => all[name])

describe("several servers:", () => {
  it.effect("two are connected and subscribed to, the others are not", () =>
    Effect.gen(function* () {
      const servers = [yield* mainnetServer, yield* mainnetServer, yield* mainnetServer] as const
      yield* ingesting(servers.map(({ url }) => url))
      yield* eventuallyAdvancing(subscribed(servers[0], servers[1]))
      yield* eventuallyAdvancing(taken(1))
      assert.deepStrictEqual(servers[2].requests, [])
      assert.strictEqual(yield* fact("servers.1.state"), "active")
      assert.strictEqual(yield* fact("servers.2.state"), "standby")
      assert.strictEqual(yield* fact("servers.3.state"), "idle")
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("the first to announce a ledger is asked for it, and each ledger is taken once", () =>
    Effect.gen(function* () {
      const first = yield* mainnetServer
      const second = yield* mainnetServer
      yield* ingesting([first.url, second.url])
      yield* eventuallyAdvancing(subscribed(first, second))
      yield* eventuallyAdvancing(taken(1))
      second.close(11)
      yield* eventually(taken(2))
      assert.strictEqual(asked(second, "ledger 11"), 1)
      assert.strictEqual(asked(first, "ledger 11"), 0)
      first.close(11)
      first.close(12)
      yield* eventually(taken(3))
      second.close(12)
      assert.strictEqual(asked(first, "ledger 12"), 1)
      assert.strictEqual(asked(second, "ledger 12"), 0)
      assert.deepStrictEqual(yield* takenIndexes, [10, 11, 12])
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("the standby takes over at once when the active one is gone, which is used again later", () =>
    Effect.gen(function* () {
      const first = yield* mainnetServer
      const second = yield* mainnetServer
      const third = yield* mainnetServer
      yield* ingesting([first.url, second.url, third.url])
      yield* eventuallyAdvancing(subscribed(first, second))
      first.misbehave("server_info", 1, () => ({ error: "notSynced" }))
      first.drop()
      second.close(11)
      yield* eventually(taken(2))
      assert.strictEqual(yield* fact("servers.1.state"), "backing_off")
      assert.include(String(yield* fact("servers.1.last_fault")), "disconnected")
      // A new standby.
      yield* eventuallyAdvancing(subscribed(third))
      // All three announce; once 30 s have passed, the first does so again, and the third is let go.
      let head = 11
      const requestLimit = Effect.gen(function* () {
        if (head < LAST) head += 1
        for (const server of [first, second, third]) server.close(head)
        return [yield* fact("servers.1.state"), yield* fact("servers.2.state"), third.connections()]
      })
      yield* eventuallyAdvancing(Effect.map(requestLimit, (all) => all.join(" ") === "active standby 0"))
      yield* eventuallyAdvancing(taken(head - 9))
      assert.strictEqual(yield* fact("servers.1.backing_off_until"), null)
      assert.deepStrictEqual(yield* takenIndexes, range(10, head))
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("one more is connected for ledgers that the connected ones lack, and released afterwards", () =>
    Effect.gen(function* () {
      const short = yield* Effect.forEach([1, 2], () =>
        Effect.map(rippledServer(), (server) => {
          server.serve(chain(8, 60))
          server.close(10)
          return server
        })
      )
      const full = yield* mainnetServer
      yield* ingesting(
        [...short, full].map(({ url }) => url),
        { start: 2 }
      )
      yield* eventuallyAdvancing(taken(9))
      assert.deepStrictEqual(yield* takenIndexes, range(2, 10))
      for (const [i, head] of [11, 12, 13].entries()) {
        for (const server of short) server.close(head)
        yield* eventuallyAdvancing(taken(10 + i))
      }
      yield* eventuallyAdvancing(
        Effect.sync(() => full.connections() === 0),
        1_000
      )
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("a server on another chain is not used again, and the health names it", () =>
    Effect.gen(function* () {
      const good = yield* mainnetServer
      const other = yield* mainnetServer
      yield* ingesting([other.url, good.url])
      yield* eventuallyAdvancing(subscribed(other, good))
      yield* eventuallyAdvancing(taken(1))
      other.serve(chain(1, 60, { name: "fork" }))
      other.drop()
      const health = yield* Health
      const degraded = Effect.map(health.get(ledgerPart("mainnet")), (part) => part?.status === "degraded")
      good.close(11)
      yield* eventuallyAdvancing(taken(2))
      yield* eventuallyAdvancing(
        Effect.map(fact("servers.1.last_fault"), (fault) => String(fault).startsWith("other_chain"))
      )
      yield* eventually(degraded)
      assert.include((yield* health.get(ledgerPart("mainnet")))?.detail, "another chain")
      const subscriptions = asked(other, "subscribe")
      good.close(12)
      yield* eventuallyAdvancing(taken(3))
      assert.strictEqual(asked(other, "subscribe"), subscriptions)
      assert.deepStrictEqual(yield* takenIndexes, [10, 11, 12])
    }).pipe(Effect.provide(memoryLayer()))
  )
})

describe("a network that was reset", () => {
  it.effect("stops ingest, which says so and takes no ledger of the new chain", () =>
    Effect.gen(function* () {
      const server = yield* mainnetServer
      yield* ingesting([server.url])
      yield* eventuallyAdvancing(taken(1))
      server.serve(chain(1, 60, { name: "after the reset" }))
      server.drop()
      server.close(20, { announce: false })
      const health = yield* Health
      const state = health.get(ledgerPart("mainnet"))
      yield* eventuallyAdvancing(Effect.map(state, (part) => part?.status === "failed"))
      assert.include((yield* state)?.detail, "Stopped")
      assert.include((yield* state)?.detail, "its ledger 10 has the hash")
      assert.deepStrictEqual(yield* takenIndexes, [10])
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("is also detected while its new chain is shorter than the old one", () =>
    Effect.gen(function* () {
      const server = yield* mainnetServer
      yield* ingesting([server.url])
      yield* eventuallyAdvancing(taken(1))
      server.serve(chain(1, 60, { name: "after the reset" }))
      server.drop()
      const health = yield* Health
      const state = health.get(ledgerPart("mainnet"))
      let head = 2
      server.close(head)
      const failed = Effect.map(state, (part) => part?.detail.includes("the network was reset") === true)
      yield* eventuallyAdvancing(
        Effect.tap(failed, () =>
          Effect.sync(() => {
            if (head < 9) server.close(++head)
          })
        ),
        10_000
      )
      assert.strictEqual((yield* state)?.status, "failed")
      assert.deepStrictEqual(yield* takenIndexes, [10])
    }).pipe(Effect.provide(memoryLayer()))
  )
})
