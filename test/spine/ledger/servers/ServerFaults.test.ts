/** Servers that limit us, warn of load or send nonsense, and servers that claim history. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"
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
import { orders } from "../../../support/ledger/unlistable.ts"

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

const mainnetServer = Effect.fnUntraced(function* (ledgers?: string) {
  const server = yield* rippledServer({ networkId: 0, ...(ledgers !== undefined && { ledgers }) })
  server.serve(chain(1, 60))
  server.close(30)
  return server
})

const taken = (number: number) => Effect.map(takenIndexes, (indexes) => indexes.length >= number)
const asked = (server: RippledServer, request: RegExp) =>
  server.requests.filter((name) => request.test(name)).length

const state = Effect.gen(function* () {
  const health = yield* Health
  return yield* health.get(ledgerPart("mainnet"))
})

describe("history", () => {
  it.effect("is read from the server that claims it, and the health shows the claim", () =>
    Effect.gen(function* () {
      const recent = yield* mainnetServer("20-30")
      const full = yield* mainnetServer("1-12,14-30")
      // Both are connected before the first ledger is asked for.
      recent.hold(true)
      full.hold(true)
      yield* ingesting([recent.url, full.url], { start: 5 })
      yield* eventually(Effect.sync(() => asked(recent, /./) + asked(full, /./) === 2))
      full.hold(false)
      recent.hold(false)
      yield* eventuallyAdvancing(taken(26))
      assert.deepStrictEqual(yield* takenIndexes, range(5, 30))
      // Neither server claims to have ledger 13, so the first server may be asked for it.
      const before20 = recent.requests.filter((name) => /^ledger (\d|1\d)$/.test(name))
      assert.deepStrictEqual(
        before20.filter((name) => name !== "ledger 13"),
        []
      )
      assert.strictEqual((yield* state)?.facts?.["servers.2.ledgers"], "1-12,14-30")
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("that a server claims wrongly is read from the next server, with one request", () =>
    Effect.gen(function* () {
      const liar = yield* mainnetServer("1-30")
      for (const index of range(5, 9)) liar.misbehave(`ledger ${index}`, 9, () => ({ error: "lgrNotFound" }))
      const full = yield* mainnetServer("1-30")
      yield* ingesting([liar.url, full.url], { start: 5 })
      yield* eventuallyAdvancing(taken(26))
      assert.deepStrictEqual(yield* takenIndexes, range(5, 30))
      assert.isAtMost(asked(liar, /^ledger 5$/), 1)
    }).pipe(Effect.provide(memoryLayer()))
  )
})

describe("a server that warns of load", () => {
  it.effect(
    "gets four requests at once, and half as many after a warning of load, until the warnings end",
    () =>
      Effect.gen(function* () {
        const server = yield* mainnetServer()
        server.misbehave("ledger 1", 1, (answer) => ({ ...answer, warning: "load" }))
        const pending = () => asked(server, /^ledger \d+$/)
        yield* ingesting([server.url], { start: 1 })
        yield* eventually(Effect.sync(() => asked(server, /^subscribe$/) === 1))
        server.hold(true)
        const first = pending()
        yield* eventually(Effect.sync(() => pending() - first >= 0 && pending() >= 4))
        const answered = pending()
        server.hold(false)
        server.hold(true)
        yield* eventually(Effect.sync(() => pending() >= answered + 2))
        for (let i = 0; i < 5; i++) yield* eventually(Effect.succeed(true))
        assert.strictEqual(pending(), answered + 2)
        yield* TestClock.adjust("19 seconds")
        server.hold(false)
        yield* eventuallyAdvancing(taken(30))
        assert.deepStrictEqual(yield* takenIndexes, range(1, 30))
      }).pipe(Effect.provide(memoryLayer()))
  )

  const limits: ReadonlyArray<readonly [string, (server: RippledServer) => void]> = [
    ["says so in text that is no JSON", (server) => server.send("Server is overloaded")],
    ["says so without naming the request", (server) => server.send('{"error":"slowDown"}')],
    [
      "answers tooBusy",
      (server) => {
        server.misbehave("ledger 31", 1, () => ({ error: "tooBusy" }))
        server.close(31)
      }
    ],
    [
      "refuses the connection with HTTP 503",
      (server) => {
        server.refuse(1, 503)
        server.drop()
      }
    ]
  ]
  it.effect.each(limits)("is left alone for at least ten seconds when it %s", ([, limit]) =>
    Effect.gen(function* () {
      const server = yield* mainnetServer()
      yield* ingesting([server.url])
      yield* eventuallyAdvancing(taken(1))
      limit(server)
      const limited = Effect.map(state, (part) =>
        String(part?.facts?.["servers.1.last_fault"]).startsWith("rate_limited")
      )
      yield* eventuallyAdvancing(limited)
      const before = asked(server, /./)
      for (let i = 0; i < 98; i++) {
        yield* TestClock.adjust(100)
        yield* eventually(Effect.succeed(true))
      }
      assert.strictEqual(asked(server, /./), before)
      assert.strictEqual((yield* state)?.facts?.["servers.1.state"], "backing_off")
      yield* eventuallyAdvancing(Effect.sync(() => asked(server, /^subscribe$/) === 2))
    }).pipe(Effect.provide(memoryLayer()))
  )
})

describe("servers that all limit us", () => {
  it.effect(
    "are each asked again after ten to thirty seconds, so that ingest resumes when they are well",
    () =>
      Effect.gen(function* () {
        const servers = [yield* mainnetServer(), yield* mainnetServer()]
        yield* ingesting(servers.map(({ url }) => url))
        yield* eventuallyAdvancing(taken(1))
        const times = servers.map((): Array<number> => [])
        for (const [i, server] of servers.entries()) {
          server.misbehave("server_info", 6, () => ({ error: "slowDown" }))
          server.send('{"error":"slowDown"}')
          yield* eventuallyAdvancing(
            Effect.map(state, (part) => part?.facts?.[`servers.${i + 1}.state`] === "backing_off")
          )
        }
        const begun = servers.map((server) => asked(server, /^server_info$/))
        const noted = Effect.map(Clock.currentTimeMillis, (now) => {
          for (const [i, server] of servers.entries())
            while (times[i]!.length < asked(server, /^server_info$/) - begun[i]!) times[i]!.push(now)
          return times.some(({ length }) => length >= 7)
        })
        yield* eventuallyAdvancing(noted)
        for (const server of servers) server.close(31)
        yield* eventuallyAdvancing(taken(2))
        for (const moments of times) {
          const waits = moments.slice(1).map((moment, i) => moment - moments[i]!)
          // Each figure also contains steps of the virtual clock.
          for (const wait of waits) assert.isTrue(wait >= 10_000 && wait <= 30_500, waits.join(", "))
        }
      }).pipe(Effect.provide(memoryLayer()))
  )
})

describe("a server that cannot follow the network", () => {
  it.effect("is disconnected and named in the health, and ingest continues without it", () =>
    Effect.gen(function* () {
      const old = yield* mainnetServer()
      const good = yield* mainnetServer()
      yield* ingesting([old.url, good.url])
      yield* eventuallyAdvancing(taken(1))
      old.misbehave("ledger 31", 1, (answer) => ({ ...answer, warnings: [{ id: 1002, message: "old" }] }))
      old.close(31)
      yield* eventually(Effect.sync(() => asked(old, /^ledger 31$/) === 1))
      good.close(31)
      yield* eventuallyAdvancing(taken(2))
      yield* eventually(Effect.map(state, (part) => part?.status === "degraded"))
      assert.include((yield* state)?.detail, "amendment blocked")
      assert.strictEqual((yield* state)?.facts?.["servers.1.state"], "backing_off")
    }).pipe(Effect.provide(memoryLayer()))
  )
})

describe("nonsense", () => {
  it.effect.each(["null", "7", '"text"', "[]", "{", "", '{"type":"response"}', '{"type":"ledgerClosed"}'])(
    "on the wire costs at most the connection: %s",
    (text) =>
      Effect.gen(function* () {
        const server = yield* mainnetServer()
        yield* ingesting([server.url])
        yield* eventuallyAdvancing(taken(1))
        server.send(text)
        yield* eventuallyAdvancing(
          Effect.sync(() => {
            server.close(31)
            return server.connections() === 1
          })
        )
        yield* eventuallyAdvancing(taken(2))
        assert.deepStrictEqual(yield* takenIndexes, [30, 31])
      }).pipe(Effect.provide(memoryLayer()))
  )
})

describe("a network that was reset", () => {
  /** Runs `test` with the warnings logged so far, each as its message and its detail. */
  const warned = <E, R>(test: (warnings: ReadonlyArray<string>) => Effect.Effect<void, E, R>) => {
    const warnings: Array<string> = []
    const logger = Logger.make(({ fiber, logLevel, message }) => {
      if (logLevel === "Warn")
        warnings.push(`${message}: ${fiber.getRef(References.CurrentLogAnnotations)["detail"]}`)
    })
    return test(warnings).pipe(Effect.provide(Layer.merge(memoryLayer(), Logger.layer([logger]))))
  }
  const count = (all: ReadonlyArray<string>, pattern: RegExp) => all.filter((one) => pattern.test(one)).length
  const minutes = Effect.forEach(range(1, 30), () =>
    Effect.andThen(TestClock.adjust("10 seconds"), eventually(Effect.succeed(true)))
  )

  it.effect("to lower indexes is reported once, and never called the head", () =>
    warned((warnings) =>
      Effect.gen(function* () {
        const server = yield* mainnetServer()
        yield* ingesting([server.url], { start: 25 })
        yield* eventuallyAdvancing(taken(6))
        server.serve(chain(1, 60, { name: "after the reset" }))
        server.close(3, { announce: false })
        server.drop()
        yield* eventuallyAdvancing(Effect.map(state, (part) => part?.facts?.["head"] === 3))
        assert.deepInclude(yield* state, {
          status: "failed",
          detail: "Servers are at ledger 3; the last one taken is 30: they lag, or the network was reset."
        })
        yield* minutes
        assert.strictEqual((yield* state)?.status, "failed")
        assert.strictEqual(
          count(warnings, /^no ledger can be taken: .*ledger 3; .* 30: .* was reset\.$/),
          1,
          warnings.join("\n")
        )
      })
    )
  )

  it.effect("to other ledgers of the same indexes is reported once, and stops ingest", () =>
    warned((warnings) =>
      Effect.gen(function* () {
        const server = yield* mainnetServer()
        yield* ingesting([server.url], { start: 25 })
        yield* eventuallyAdvancing(taken(6))
        server.serve(chain(1, 60, { name: "after the reset" }))
        server.drop()
        yield* eventuallyAdvancing(Effect.map(state, (part) => part?.status === "failed"))
        assert.match((yield* state)?.detail ?? "", /^Stopped: .* ledger 30 has the hash .* was reset\.$/)
        yield* minutes
        assert.isAbove(asked(server, /^server_info$/), 3)
        assert.strictEqual(count(warnings, /the network was reset/), 1, warnings.join("\n"))
        assert.deepStrictEqual(yield* takenIndexes, range(25, 30))
      })
    )
  )

  it.effect("is followed from its new start, once an operator has ordered a new chain", () =>
    warned(() =>
      Effect.gen(function* () {
        const server = yield* mainnetServer()
        const before = yield* ingesting([server.url], { start: 25 })
        yield* eventuallyAdvancing(taken(6))
        yield* Fiber.interrupt(before)
        server.serve(chain(1, 60, { name: "after the reset" }))
        server.close(3, { announce: false })
        const ordered = chain(30, 30)[0]!.ledger_hash
        const startsOver = ({ ledger_hash }: { readonly ledger_hash: string }) =>
          Effect.succeed(ledger_hash === ordered)
        const first = yield* ingesting([server.url], { start: 2, startsOver })
        yield* eventuallyAdvancing(taken(8))
        // The order has no effect on the new chain.
        yield* Fiber.interrupt(first)
        yield* ingesting([server.url], { start: 1, startsOver })
        server.close(6)
        yield* eventuallyAdvancing(taken(11))
        assert.deepStrictEqual(yield* takenIndexes, [...range(25, 30), ...range(2, 6)])
        assert.strictEqual((yield* state)?.status, "ok")
      })
    )
  )
})

describe("a server that sends what no sound server sends", () => {
  it.effect("is left for longer and longer, although it announces ledgers each time", () =>
    Effect.gen(function* () {
      const server = yield* mainnetServer()
      const good = yield* mainnetServer()
      yield* ingesting([server.url, good.url])
      yield* eventuallyAdvancing(taken(1))
      let head = 30
      let bombs = 0
      const closing = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (head < 60 && now >= (head - 29) * 4_000) {
          head += 1
          good.close(head)
          server.close(head)
          if (server.connections() > 0) bombs += 1
          server.send("{},".repeat(1_000))
        }
        return now >= 125_000
      })
      yield* eventuallyAdvancing(closing)
      // After about 10, 20, 40 and 80 s.
      assert.isAtLeast(bombs, 3)
      assert.isAtMost(asked(server, /^subscribe$/), 5)
      assert.deepStrictEqual(yield* takenIndexes, range(30, head))
      assert.strictEqual((yield* state)?.status, "degraded")
      assert.include((yield* state)?.detail, "sent text that is not a JSON answer")
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("in the place of a ledger stops ingest aloud, until it is ordered to be skipped", () =>
    Effect.gen(function* () {
      const server = yield* mainnetServer()
      server.misbehave("ledger 31", 1_000, (answer) => {
        // The header can be sent.
        const ledger = answer.result?.["ledger"] as { readonly transactions?: unknown }
        return ledger.transactions === undefined ? answer : { ...answer, pad: Array(2_300_000).fill(0) }
      })
      const reasons = new Map<number, string>()
      yield* ingesting([server.url], { skips: orders(reasons).skips })
      yield* eventuallyAdvancing(taken(1))
      server.close(32)
      const says = (status: string) =>
        Effect.map(state, (part) => part?.status === status && part.detail.includes("brackets, commas"))
      yield* eventuallyAdvancing(says("degraded"), 1_000)
      // The network goes on.
      let head = 32
      const closing = Effect.sync(() => server.close(Math.min(60, ++head)))
      yield* eventuallyAdvancing(Effect.andThen(closing, says("failed")), 4_000)
      assert.deepStrictEqual(yield* takenIndexes, [30])
      reasons.set(31, "it is too large")
      yield* eventuallyAdvancing(Effect.andThen(closing, taken(3)), 4_000)
      assert.deepStrictEqual((yield* takenIndexes).slice(0, 3), [30, 31, 32])
    }).pipe(Effect.provide(memoryLayer()))
  )
})
