/** Ingest over real sockets from servers that misbehave; their time is the virtual clock. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { Health, ledgerPart } from "../../../../src/spine/observe/Health.ts"
import { chain } from "../../../support/ledger/chain.ts"
import {
  eventually,
  eventuallyAdvancing,
  ingesting,
  markers,
  memoryLayer,
  takenIndexes
} from "../../../support/ledger/ingesting.ts"
import { type Change, type RippledServer, rippledServer } from "../../../support/ledger/rippledServer.ts"

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

const count = (server: RippledServer, request: string) =>
  server.requests.filter((name) => name === request).length

/** A server of ledgers 1 to 60, with 10 the last closed. */
const mainnetServer = Effect.gen(function* () {
  const server = yield* rippledServer()
  server.serve(chain(1, 60))
  server.close(10)
  return server
})

const taken = (number: number) => Effect.map(takenIndexes, (indexes) => indexes.length >= number)

describe("a ledger server that drops the connection", () => {
  it.effect("is connected and subscribed to again, and nothing is missed", () =>
    Effect.gen(function* () {
      const server = yield* mainnetServer
      yield* ingesting([server.url], { start: 5 })
      yield* eventuallyAdvancing(taken(6))
      for (const head of [15, 20, 25]) {
        const subscriptions = count(server, "subscribe")
        server.drop()
        server.close(head, { announce: false })
        yield* eventuallyAdvancing(Effect.sync(() => count(server, "subscribe") > subscriptions))
      }
      // The subscription's reply names the head; from here on the stream does.
      yield* eventuallyAdvancing(taken(21))
      server.close(26)
      yield* eventuallyAdvancing(taken(22))
      assert.deepStrictEqual(yield* takenIndexes, range(5, 26))
      assert.strictEqual(server.connections(), 1)
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("in the middle of an answer loses no ledger", () =>
    Effect.gen(function* () {
      const server = yield* mainnetServer
      server.misbehave("ledger 7", 2, () => {
        server.drop()
        return undefined
      })
      yield* ingesting([server.url], { start: 5 })
      yield* eventuallyAdvancing(taken(6))
      assert.deepStrictEqual(yield* takenIndexes, range(5, 10))
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("leaves no socket behind once ingest ends, wherever it stood", () =>
    Effect.gen(function* () {
      const server = yield* mainnetServer
      for (const silent of ["server_info", "subscribe", "ledger 10"]) {
        server.misbehave(silent, 1, () => undefined)
        const asked = count(server, silent)
        const fiber = yield* ingesting([server.url], { start: 10 })
        yield* eventually(Effect.sync(() => count(server, silent) > asked))
        yield* Fiber.interrupt(fiber)
        yield* eventually(Effect.sync(() => server.connections() === 0))
      }
    }).pipe(Effect.provide(memoryLayer()))
  )
})

describe("an answer that is not the ledger asked for is not taken:", () => {
  interface Served {
    readonly transactions: ReadonlyArray<{ readonly meta?: { readonly TransactionIndex: number } }>
  }
  /** The transaction indexes have no gap, so only the announced count shows the fault. */
  const withoutLast = ({ transactions }: Served) =>
    transactions.filter(({ meta }) => meta?.TransactionIndex !== transactions.length - 1)
  const edited =
    (edit: (ledger: Served) => object): Change =>
    (answer) => ({
      ...answer,
      // The cast is safe: the server answers `ledger` in this form.
      result: {
        ...answer.result,
        ledger: edit(answer.result!["ledger"] as Served)
      }
    })
  const cases: ReadonlyArray<readonly [string, Change]> = [
    ["not there yet", () => ({ error: "lgrNotFound" })],
    ["not validated", (answer) => ({ ...answer, result: { ...answer.result, validated: false } })],
    ["without its last transaction", edited((ledger) => ({ ...ledger, transactions: withoutLast(ledger) }))],
    ["with a gap", edited((ledger) => ({ ...ledger, transactions: ledger.transactions.slice(1) }))],
    ["without any transaction", edited((ledger) => ({ ...ledger, transactions: [] }))],
    [
      "without metadata",
      edited((ledger) => ({
        ...ledger,
        transactions: ledger.transactions.map(({ meta, ...transaction }) => transaction)
      }))
    ],
    ["without a parent", edited((ledger) => ({ ...ledger, parent_hash: null }))],
    ["without a time", edited((ledger) => ({ ...ledger, close_time: null }))],
    ["another index", edited((ledger) => ({ ...ledger, ledger_index: 10 }))],
    ["another hash", edited((ledger) => ({ ...ledger, ledger_hash: "00".repeat(32) }))],
    ["no ledger at all", () => ({ result: {} })],
    ["an unknown error", () => ({ error: "internal", error_message: "?" })]
  ]
  it.effect.each(cases)("%s", ([, change]) =>
    Effect.gen(function* () {
      const server = yield* mainnetServer
      yield* ingesting([server.url])
      yield* eventuallyAdvancing(taken(1))
      server.misbehave("ledger 11", 2, change)
      server.close(11)
      yield* eventuallyAdvancing(taken(2))
      assert.deepStrictEqual(yield* takenIndexes, [10, 11])
      assert.strictEqual(count(server, "ledger 11"), 3)
      assert.strictEqual(count(server, "subscribe"), 1)
    }).pipe(Effect.provide(memoryLayer()))
  )
})

describe("of several servers:", () => {
  it.effect("the next is used when the first is of another network, and the first is not subscribed to", () =>
    Effect.gen(function* () {
      const testnet = yield* rippledServer({ networkId: 1 })
      testnet.serve(chain(1, 60, { name: "testnet" }))
      testnet.close(40)
      const server = yield* mainnetServer
      yield* ingesting([testnet.url, server.url], { start: 8 })
      yield* eventuallyAdvancing(taken(3))
      assert.deepStrictEqual(yield* takenIndexes, [8, 9, 10])
      assert.deepStrictEqual(testnet.requests, ["server_info"])
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("the next server is asked for a ledger that the first does not have", () =>
    Effect.gen(function* () {
      const short = yield* rippledServer()
      short.serve(chain(8, 60))
      short.close(10)
      const server = yield* mainnetServer
      yield* ingesting([short.url, server.url], { start: 5 })
      yield* eventuallyAdvancing(taken(6))
      assert.deepStrictEqual(yield* takenIndexes, range(5, 10))
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("the next is asked at once when the chain of the first does not link", () =>
    Effect.gen(function* () {
      const forked = yield* rippledServer()
      forked.serve([...chain(1, 6), ...chain(7, 60, { name: "fork" })])
      forked.close(10)
      const server = yield* mainnetServer
      yield* ingesting([forked.url, server.url], { start: 5 })
      yield* eventuallyAdvancing(taken(6))
      assert.deepStrictEqual(
        (yield* markers).map(({ ledger_hash }) => ledger_hash),
        chain(5, 10).map(({ ledger_hash }) => ledger_hash)
      )
      assert.isBelow(yield* Clock.currentTimeMillis, 5_000)
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("a broken chain counts although another server lacks the ledger", () =>
    Effect.gen(function* () {
      const forked = yield* rippledServer()
      forked.serve([...chain(1, 6), ...chain(7, 60, { name: "fork" })])
      forked.close(10)
      const short = yield* rippledServer()
      short.serve(chain(1, 6))
      short.close(6)
      const health = yield* Health
      yield* ingesting([forked.url, short.url], { start: 5 })
      const stopped = Effect.map(health.get(ledgerPart("mainnet")), (part) =>
        part?.detail.startsWith("Stopped")
      )
      yield* eventuallyAdvancing(Effect.map(stopped, (is) => is === true))
      assert.deepStrictEqual(yield* takenIndexes, [5, 6])
      // In the first round, which ends with the other server's five tries.
      assert.isBelow(yield* Clock.currentTimeMillis, 5_000)
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("one that names no network is accepted", () =>
    Effect.gen(function* () {
      const server = yield* rippledServer({ networkId: undefined })
      server.serve(chain(1, 10))
      server.close(10)
      yield* ingesting([server.url])
      yield* eventuallyAdvancing(taken(1))
      assert.deepStrictEqual(yield* takenIndexes, [10])
    }).pipe(Effect.provide(memoryLayer()))
  )
})

describe("a server that cannot be used now", () => {
  it.effect("a wrong network is refused, and the health says which", () =>
    Effect.gen(function* () {
      const testnet = yield* rippledServer({ networkId: 1 })
      testnet.serve(chain(1, 10))
      testnet.close(10)
      const health = yield* Health
      yield* ingesting([testnet.url])
      const failed = Effect.map(health.get(ledgerPart("mainnet")), (part) => part?.status === "failed")
      yield* eventuallyAdvancing(failed, 1_000)
      assert.include((yield* health.get(ledgerPart("mainnet")))?.detail, "network_id is 1, but mainnet has 0")
      assert.deepStrictEqual(yield* takenIndexes, [])
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("a stream that is silent for 20 s is questioned and replaced, and nothing is missed", () =>
    Effect.gen(function* () {
      const server = yield* mainnetServer
      yield* ingesting([server.url])
      yield* eventually(taken(1))
      server.close(13, { announce: false })
      yield* TestClock.adjust("19 seconds")
      assert.strictEqual(count(server, "ledger validated"), 0)
      yield* eventuallyAdvancing(taken(4))
      yield* eventuallyAdvancing(Effect.sync(() => count(server, "subscribe") === 2))
      assert.strictEqual(count(server, "ledger validated"), 1)
      assert.deepStrictEqual(yield* takenIndexes, range(10, 13))
      yield* eventually(Effect.sync(() => server.connections() === 1))
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("a server that does not answer in time is left for a new connection", () =>
    Effect.gen(function* () {
      const server = yield* mainnetServer
      server.misbehave("ledger 10", 1, () => undefined)
      yield* ingesting([server.url])
      yield* eventually(Effect.sync(() => count(server, "ledger 10") === 1))
      yield* eventuallyAdvancing(taken(1))
      assert.strictEqual(count(server, "subscribe"), 2)
      assert.deepStrictEqual(yield* takenIndexes, [10])
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("text that is no JSON ends the connection, not the ingest", () =>
    Effect.gen(function* () {
      const server = yield* mainnetServer
      yield* ingesting([server.url])
      yield* eventually(taken(1))
      server.send("<html>busy</html>")
      yield* eventuallyAdvancing(Effect.sync(() => count(server, "subscribe") === 2))
      server.close(11)
      yield* eventuallyAdvancing(taken(2))
      assert.deepStrictEqual(yield* takenIndexes, [10, 11])
    }).pipe(Effect.provide(memoryLayer()))
  )

  const realTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length
  const limits: ReadonlyArray<readonly [string, (server: RippledServer) => void]> = [
    ["closes with 1008 and says so", (server) => server.drop(1008, "threshold exceeded")],
    [
      "says slowDown",
      (server) => {
        server.misbehave("ledger 11", 1, () => ({ error: "slowDown" }))
        server.close(11)
      }
    ]
  ]
  it.effect.each(limits)("a server that limits us is left alone for ten seconds: %s", ([, limit]) =>
    Effect.gen(function* () {
      const timersBefore = realTimers()
      const server = yield* mainnetServer
      yield* ingesting([server.url])
      yield* eventually(taken(1))
      limit(server)
      yield* eventually(Effect.sync(() => server.connections() === 0))
      // The client's reconnection would use a real timer.
      assert.isAtMost(realTimers(), timersBefore)
      for (let i = 0; i < 99; i++) {
        yield* TestClock.adjust(100)
        yield* eventually(Effect.succeed(true))
      }
      assert.strictEqual(count(server, "subscribe"), 1)
      yield* eventuallyAdvancing(Effect.sync(() => count(server, "subscribe") === 2))
      server.close(11)
      yield* eventuallyAdvancing(taken(2))
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("a server that finds us too slow (1008) is connected again within two seconds", () =>
    Effect.gen(function* () {
      const server = yield* mainnetServer
      yield* ingesting([server.url])
      yield* eventually(taken(1))
      server.drop(1008, "Policy error: client is too slow.")
      yield* eventually(Effect.sync(() => server.connections() === 0))
      const lost = yield* Clock.currentTimeMillis
      yield* eventuallyAdvancing(Effect.sync(() => count(server, "subscribe") === 2))
      assert.isAtMost((yield* Clock.currentTimeMillis) - lost, 2_000)
      assert.include(
        yield* PrometheusMetrics.format(),
        'ledgerhook_ledger_connections_lost_total{network="mainnet",reason="disconnected"} 1'
      )
    }).pipe(Effect.provide(memoryLayer()), Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
