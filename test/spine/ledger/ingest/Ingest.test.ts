/** Ingest on the virtual clock: a source without sockets, a log that may fail. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Limits } from "../../../../src/spine/config/Limits.ts"
import { eventsTopic, ledgersTopic } from "../../../../src/spine/event/LedgerEvent.ts"
import { type IngestOptions, ingest } from "../../../../src/spine/ledger/ingest/Ingest.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { Health, ledgerPart } from "../../../../src/spine/observe/Health.ts"
import { chain } from "../../../support/ledger/chain.ts"
import {
  awaitLedgers,
  events,
  eventuallyAdvancing,
  markers,
  memoryLayer,
  oneEventEach,
  takenIndexes
} from "../../../support/ledger/ingesting.ts"
import { type ScriptedSource, scriptedSource } from "../../../support/ledger/scriptedSource.ts"
import { type Fault, faultyLog } from "../../../support/log/faultyLog.ts"
import { stepWallClock } from "../../../support/program/wallClock.ts"

const running = (source: ScriptedSource, options: Partial<IngestOptions> = {}) =>
  ingest({ network: "mainnet", start: "latest", detect: oneEventEach, ...options }).pipe(
    Effect.provide(source.layer),
    Effect.forkScoped
  )

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

describe("ingest takes every ledger exactly once, in order", () => {
  it.effect("from the first announced one on, over announcements that jump and repeat", () => {
    const source = scriptedSource()
    source.serve(chain(90, 140))
    return Effect.gen(function* () {
      yield* running(source)
      yield* source.announce(100)
      yield* awaitLedgers(1)
      for (const index of [100, 99, 101, 125, 120, 130]) yield* source.announce(index)
      yield* awaitLedgers(31)
      assert.deepStrictEqual(yield* takenIndexes, range(100, 130))
      const linked = yield* markers
      for (const [i, marker] of linked.entries())
        if (i > 0) assert.strictEqual(marker.parent_hash, linked[i - 1]!.ledger_hash)
    }).pipe(Effect.provide(memoryLayer()))
  })

  it.effect("from the given one on", () => {
    const source = scriptedSource()
    source.serve(chain(90, 140))
    return Effect.gen(function* () {
      yield* running(source, { start: 95 })
      yield* source.announce(100)
      yield* awaitLedgers(6)
      assert.deepStrictEqual(yield* takenIndexes, range(95, 100))
    }).pipe(Effect.provide(memoryLayer()))
  })

  it.effect("from the checkpoint on after a restart, whatever the start setting says", () => {
    const source = scriptedSource()
    source.serve(chain(90, 200))
    return Effect.gen(function* () {
      const before = yield* running(source)
      yield* source.announce(100)
      yield* awaitLedgers(1)
      yield* Fiber.interrupt(before)
      // Ledgers closed while ingest was stopped.
      yield* source.announce(180)
      yield* running(source, { start: 150 })
      yield* awaitLedgers(81)
      assert.deepStrictEqual(yield* takenIndexes, range(100, 180))
    }).pipe(Effect.provide(memoryLayer()))
  })

  it.effect("also when the log fails before or after a write has landed", () => {
    const source = scriptedSource()
    source.serve(chain(100, 110))
    // At least two transactions: ledger 100, and the ledgers fetched meanwhile.
    const faults: Array<Fault> = ["before", "after", "before", "before", "after"]
    return Effect.gen(function* () {
      yield* running(source, { start: 100 })
      yield* source.announce(100)
      yield* eventuallyAdvancing(Effect.map(takenIndexes, ({ length }) => length === 1))
      yield* source.announce(110)
      yield* eventuallyAdvancing(Effect.map(takenIndexes, ({ length }) => length === 11))
      assert.deepStrictEqual(faults, [])
      assert.deepStrictEqual(yield* takenIndexes, range(100, 110))
      const expected = chain(100, 110).flatMap(({ transactions }) => transactions.map(({ hash }) => hash))
      assert.deepStrictEqual(
        (yield* events).map(({ payload }) => payload["tx_hash"]),
        expected
      )
    }).pipe(Effect.provide(faultyLog(faults)), Effect.provide(memoryLayer()))
  })

  it.effect("and waits for a ledger that no server has, instead of skipping it", () => {
    const source = scriptedSource()
    source.serve(chain(100, 104).concat(chain(106, 110)))
    return Effect.gen(function* () {
      const health = yield* Health
      yield* running(source, { start: 100 })
      yield* source.announce(110)
      yield* awaitLedgers(5)
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* takenIndexes, range(100, 104))
      const state = yield* health.get(ledgerPart("mainnet"))
      assert.strictEqual(state?.status, "failed")
      source.serve(chain(105, 105))
      yield* TestClock.adjust("20 seconds")
      yield* awaitLedgers(11)
      assert.deepStrictEqual(yield* takenIndexes, range(100, 110))
    }).pipe(Effect.provide(memoryLayer()))
  })
})

describe("the health of ingest, if the wall clock is set", () => {
  for (const ms of [-3_600_000, 3_600_000]) {
    it.effect(`by ${ms / 1_000} s, still tells whether ledgers come`, () => {
      const source = scriptedSource()
      source.serve(chain(100, 101))
      const status = Effect.flatMap(Health, ({ get }) =>
        Effect.map(get(ledgerPart("mainnet")), (part) => part?.status)
      )
      return Effect.gen(function* () {
        yield* running(source, { start: 100 })
        yield* source.announce(101)
        yield* awaitLedgers(2)
        yield* stepWallClock(ms)
        assert.strictEqual(yield* status, "ok")
        yield* TestClock.adjust(Limits.troubleMs)
        assert.strictEqual(yield* status, "ok")
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* status, "failed")
      }).pipe(Effect.provide(memoryLayer()))
    })
  }
})

describe("a broken chain", () => {
  it.effect("stops the network, says at which ledger, and resumes once a ledger links", () => {
    const source = scriptedSource()
    const other = chain(103, 103, { name: "fork" })[0]!
    source.serve([...chain(100, 102), other, ...chain(104, 106)])
    return Effect.gen(function* () {
      const health = yield* Health
      yield* running(source, { start: 100 })
      yield* source.announce(106)
      yield* awaitLedgers(3)
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* takenIndexes, range(100, 102))
      const state = yield* health.get(ledgerPart("mainnet"))
      assert.strictEqual(state?.status, "failed")
      assert.include(state?.detail, "ledger 103")
      assert.include(state?.detail, other.parent_hash)
      assert.include(state?.detail, chain(102, 102)[0]!.ledger_hash)
      // Once when fetched ahead, once to link it, then after 1, 2, 4, … s, and at last once a minute.
      const asked = source.asked.filter((index) => index === 103).length
      assert.isAtLeast(asked, 15)
      assert.isAtMost(asked, 17)

      source.serve(chain(103, 103))
      yield* source.announce(107)
      source.serve(chain(107, 107))
      yield* TestClock.adjust("1 minute")
      yield* awaitLedgers(8)
      assert.deepStrictEqual(yield* takenIndexes, range(100, 107))
      assert.strictEqual((yield* health.get(ledgerPart("mainnet")))?.status, "ok")
    }).pipe(Effect.provide(memoryLayer()))
  })
})

describe("what ingest writes", () => {
  it.effect("includes the offset of a ledger's first event, in the marker of the same transaction", () => {
    const source = scriptedSource()
    source.serve(chain(100, 104))
    return Effect.gen(function* () {
      const log = yield* Log
      yield* running(source, { start: 100 })
      yield* source.announce(104)
      yield* awaitLedgers(5)
      // Ledgers 100 and 104 are empty, 101, 102 and 103 have one, two and three transactions.
      assert.deepStrictEqual(
        (yield* markers).map((marker) => [
          marker.transaction_count,
          marker.event_count,
          marker.first_event_offset
        ]),
        [
          [0, 0, null],
          [1, 1, 0],
          [2, 2, 1],
          [3, 3, 3],
          [0, 0, null]
        ]
      )
      assert.deepStrictEqual(
        (yield* events).map(({ ledger_index, position }) => [ledger_index, position]),
        [
          [101, 0],
          [102, 0],
          [102, 1],
          [103, 0],
          [103, 1],
          [103, 2]
        ]
      )
      const [record] = yield* log.read({ topic: eventsTopic("mainnet"), partition: 0, offset: 0 }, 1)
      const [event] = yield* events
      assert.strictEqual(record!.key, "mainnet")
      const { traceparent, ...headers } = record!.headers
      assert.match(traceparent!, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
      assert.deepStrictEqual(headers, {
        "event-type": "account.settings_changed",
        "event-id": event!.event_id,
        "ledger-index": "101",
        "content-type": "application/json"
      })
      assert.strictEqual(record!.timestamp, event!.detected_at)
      assert.deepStrictEqual(Object.keys(event!), [
        "event_id",
        "event_type",
        "ledger_index",
        "timestamp",
        "network",
        "payload",
        "accounts",
        "position",
        "detected_at",
        "rules_version"
      ])
    }).pipe(Effect.provide(memoryLayer()))
  })

  it.effect("has strictly increasing detection times, even if the clock is set back during a restart", () => {
    const source = scriptedSource()
    source.serve(chain(100, 105))
    return Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const before = yield* running(source, { start: 100 })
      yield* source.announce(102)
      yield* awaitLedgers(3)
      yield* Fiber.interrupt(before)
      yield* TestClock.setTime(0)
      assert.strictEqual(yield* Clock.currentTimeMillis, 0)
      yield* running(source)
      yield* source.announce(105)
      yield* awaitLedgers(6)
      const times = (yield* markers).map(({ detected_at }) => detected_at)
      assert.deepStrictEqual(
        times,
        range(0, 5).map((i) => 3_600_000 + i)
      )
    }).pipe(Effect.provide(memoryLayer()))
  })

  it.effect("is complete for a ledger with thousands of events, and withholds undecided ones", () => {
    const source = scriptedSource()
    source.serve(chain(100, 100, { transactions: 5_000 }).concat(chain(101, 101)))
    return Effect.gen(function* () {
      const log = yield* Log
      yield* running(source, {
        start: 100,
        detect: (ledger) => ({
          ...oneEventEach(ledger),
          alerts: [
            {
              code: "delivered_amount_unknown",
              tx_hash: "00",
              event_type: "payment.xrp",
              reason: "not derivable"
            }
          ]
        })
      })
      yield* source.announce(101)
      yield* awaitLedgers(2)
      const { end } = yield* log.offsets({ topic: eventsTopic("mainnet"), partition: 0 })
      assert.strictEqual(end, 5_001)
      assert.strictEqual((yield* markers)[1]!.first_event_offset, 5_000)
      const last = yield* log.last({ topic: ledgersTopic("mainnet"), partition: 0 })
      assert.strictEqual(last?.headers["ledger-index"], "101")
    }).pipe(Effect.provide(memoryLayer()))
  })
})
