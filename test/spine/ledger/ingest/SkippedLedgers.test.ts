/** A ledger is skipped only by an operator's order, only if no server sends it, and never silently. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ingest } from "../../../../src/spine/ledger/ingest/Ingest.ts"
import * as RippledSource from "../../../../src/spine/ledger/servers/RippledSource.ts"
import { Health, ledgerPart } from "../../../../src/spine/observe/Health.ts"
import { chain } from "../../../support/ledger/chain.ts"
import {
  events,
  eventually,
  eventuallyAdvancing,
  markers,
  memoryLayer,
  oneEventEach,
  takenIndexes
} from "../../../support/ledger/ingesting.ts"
import { rippledServer } from "../../../support/ledger/rippledServer.ts"
import { orders, type Unlistable, unlistable } from "../../../support/ledger/unlistable.ts"
import { type Fault, faultyLog } from "../../../support/log/faultyLog.ts"

/** Each ledger has three transactions. */
const ledgers = chain(1, 40, { transactions: 3 })
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const taken = (number: number) => Effect.map(takenIndexes, (indexes) => indexes.length >= number)

const serverLacking = Effect.fnUntraced(function* (lacking: ReadonlyMap<number, Unlistable>) {
  const server = yield* rippledServer({ networkId: 0, interfere: unlistable(lacking) })
  server.serve(ledgers)
  server.close(30)
  return server
})

const running = (url: string, skips: ReturnType<typeof orders>["skips"], start = 20) =>
  ingest({ network: "mainnet", start, detect: oneEventEach, skips }).pipe(
    Effect.provide(RippledSource.layer({ network: "mainnet", urls: [url] })),
    Effect.forkScoped
  )

const minutes = (number: number) =>
  Effect.forEach(range(1, 6 * number), () =>
    Effect.andThen(TestClock.adjust("10 seconds"), eventually(Effect.succeed(true)))
  )

const kinds: ReadonlyArray<Unlistable> = ["lacking", "failing", "gone"]

describe("a ledger that no server can list", () => {
  it.effect.each(kinds)("(%s) stops ingest until it is ordered to be skipped", (kind) =>
    Effect.gen(function* () {
      const { url } = yield* serverLacking(new Map([[25, kind]]))
      const reasons = new Map<number, string>()
      const { noted, skips } = orders(reasons)
      yield* running(url, skips)
      yield* eventuallyAdvancing(taken(5))
      yield* minutes(5)
      assert.deepStrictEqual(yield* takenIndexes, range(20, 24))
      reasons.set(25, "no server lists it")
      yield* eventuallyAdvancing(taken(11))
      const all = yield* markers
      assert.deepStrictEqual(
        all.map(({ ledger_index }) => ledger_index),
        range(20, 30)
      )
      for (const [i, marker] of all.entries()) {
        const { close_time, ledger_hash } = ledgers[marker.ledger_index - 1]!
        assert.strictEqual(marker.ledger_hash, ledger_hash)
        if (i > 0) assert.strictEqual(marker.parent_hash, all[i - 1]!.ledger_hash)
        assert.strictEqual(marker.skipped, marker.ledger_index === 25 ? "no server lists it" : undefined)
        assert.strictEqual(Date.parse(marker.close_time) / 1_000 - 946_684_800, close_time)
        assert.strictEqual(marker.range_since, all[0]!.range_since)
      }
      assert.deepInclude(all[5], { transaction_count: 0, event_count: 0, first_event_offset: null })
      assert.deepStrictEqual(noted, [25])
      assert.notInclude(
        (yield* events).map(({ ledger_index }) => ledger_index),
        25
      )
      yield* minutes(1)
      const health = yield* (yield* Health).get(ledgerPart("mainnet"))
      assert.strictEqual(health?.facts?.["skipped_ledgers"], 1)
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("is taken, not skipped, if a server sends it in spite of the order", () =>
    Effect.gen(function* () {
      const lacking = new Map<number, Unlistable>([[25, "lacking"]])
      const { url } = yield* serverLacking(lacking)
      const { noted, skips } = orders(new Map([[22, "a mistake"]]))
      yield* running(url, skips)
      yield* eventuallyAdvancing(taken(5))
      lacking.delete(25)
      yield* eventuallyAdvancing(taken(11))
      assert.isTrue((yield* markers).every(({ skipped }) => skipped === undefined))
      assert.deepStrictEqual(noted, [])
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("is not skipped if the network was reset meanwhile: it is no child of the ledger before", () =>
    Effect.gen(function* () {
      const lacking = new Map<number, Unlistable>([[25, "lacking"]])
      const server = yield* rippledServer({ networkId: 0, interfere: unlistable(lacking) })
      server.serve([...ledgers.slice(0, 24), ...chain(25, 40, { name: "after the reset", transactions: 3 })])
      server.close(30)
      const { noted, skips } = orders(new Map([[25, "no server lists it"]]))
      yield* running(server.url, skips)
      yield* eventuallyAdvancing(taken(5))
      yield* minutes(5)
      assert.deepStrictEqual([yield* takenIndexes, noted], [range(20, 24), []])
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("is not skipped while its header contradicts the ledger after it", () =>
    Effect.gen(function* () {
      const [forged] = chain(25, 25, { name: "other", transactions: 3 })
      const server = yield* rippledServer({
        networkId: 0,
        interfere: unlistable(new Map([[25, "lacking"]]))
      })
      server.serve([...ledgers.slice(0, 24), forged!, ...ledgers.slice(25)])
      server.close(30)
      const { noted, skips } = orders(new Map([[25, "no server lists it"]]))
      yield* running(server.url, skips)
      yield* eventuallyAdvancing(taken(5))
      yield* minutes(5)
      assert.deepStrictEqual(yield* takenIndexes, range(20, 24))
      assert.deepStrictEqual(noted, [])
    }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect("may follow another one, and be the first to take if a server has its header", () =>
    Effect.gen(function* () {
      const { url } = yield* serverLacking(
        new Map([
          [20, "lacking"],
          [21, "failing"],
          [22, "lacking"]
        ])
      )
      const { noted, skips } = orders(new Map([20, 21, 22].map((index) => [index, "lost"] as const)))
      yield* running(url, skips)
      yield* eventuallyAdvancing(taken(11))
      assert.deepStrictEqual(
        (yield* markers)
          .filter(({ skipped }) => skipped !== undefined)
          .map(({ ledger_index }) => ledger_index),
        [20, 21, 22]
      )
      assert.deepStrictEqual(noted, [20, 21, 22])
    }).pipe(Effect.provide(memoryLayer()))
  )

  const faults: ReadonlyArray<Fault> = ["before", "after"]
  it.effect.each(faults)("is skipped once, and noted, if a write fails %s it has landed", (fault) =>
    Effect.gen(function* () {
      const { url } = yield* serverLacking(new Map([[21, "lacking"]]))
      const { noted, skips } = orders(new Map([[21, "lost"]]))
      yield* running(url, skips)
      yield* eventuallyAdvancing(taken(11))
      assert.deepStrictEqual(yield* takenIndexes, range(20, 30))
      assert.deepStrictEqual(noted, [21])
    }).pipe(Effect.provide(faultyLog([fault, fault, fault])), Effect.provide(memoryLayer()))
  )

  it.effect("is noted by the next process, if this one died between marker and note", () =>
    Effect.gen(function* () {
      const { url } = yield* serverLacking(new Map([[25, "lacking"]]))
      const { noted, skips } = orders(new Map([[25, "lost"]]))
      const dead = yield* running(url, { ...skips, skipped: () => Effect.never })
      yield* eventuallyAdvancing(taken(6))
      yield* minutes(1)
      assert.deepStrictEqual([yield* takenIndexes, noted], [range(20, 25), []])
      yield* Fiber.interrupt(dead)
      yield* running(url, skips)
      yield* eventuallyAdvancing(taken(11))
      assert.deepStrictEqual(yield* takenIndexes, range(20, 30))
      assert.deepStrictEqual(noted, [25])
    }).pipe(Effect.provide(memoryLayer()))
  )
})
