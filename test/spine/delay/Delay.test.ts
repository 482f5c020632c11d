/** Delays on the test's clock: work returns neither early nor late, and long waits do not hold up short ones. */

import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { delay, SLEEP } from "../../../src/spine/delay/Delay.ts"
import { DelayLimits } from "../../../src/spine/delay/Limits.ts"
import {
  DELIVERIES_TOPIC,
  type DeliveryWork,
  delayTopic,
  newWork
} from "../../../src/spine/domain/Delivery.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { partitionOf } from "../../../src/spine/log/Topics.ts"
import { eventOf } from "../../support/deliver/events.ts"
import * as MemoryLog from "../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { stepWallClock } from "../../support/program/wallClock.ts"

const KEY = "wh_1"

const layer = MemoryLog.layer.pipe(Layer.provideMerge(settingsLayer({ DELIVERY_JITTER: "0" })))

/** Puts work for attempt 2, due in `waitMs`, into the delay topic of an attempt. */
const put = Effect.fnUntraced(function* (topicOf: number, id: string, waitMs: number) {
  const log = yield* Log
  const work = {
    ...newWork(id, KEY, eventOf({}), 2),
    series_attempt: 2,
    due_at: (yield* Clock.currentTimeMillis) + waitMs
  }
  yield* log.transaction({
    append: [{ topic: delayTopic(topicOf), key: KEY, value: JSON.stringify(work) }]
  })
})

/** Ids of the work that has returned, in order. */
const back = Effect.gen(function* () {
  const log = yield* Log
  const partition = partitionOf(DELIVERIES_TOPIC, KEY)
  const records = yield* log.read({ topic: DELIVERIES_TOPIC, partition, offset: 0 }, 100)
  return records.map(({ value }) => (JSON.parse(value!) as DeliveryWork).delivery_id)
})

describe("delay", () => {
  it.effect("returns work when it is due", () =>
    Effect.gen(function* () {
      yield* Effect.forkScoped(delay)
      yield* put(2, "a", 1_000)
      yield* TestClock.adjust(999)
      yield* put(2, "b", 1_000)
      assert.deepStrictEqual(yield* back, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* back, ["a"])
      yield* TestClock.adjust(999)
      assert.deepStrictEqual(yield* back, ["a", "b"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.effect("does not hold up other work behind work that waits longer than the topic's delay", () =>
    Effect.gen(function* () {
      yield* Effect.forkScoped(delay)
      yield* put(2, "long", 300_000)
      yield* put(2, "a", 1_000)
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(yield* back, ["a"])
      // Later work leaves on time even in the topic where the long wait is now.
      for (const [attempt, delayMs] of [
        [4, 30_000],
        [5, 120_000]
      ] as const) {
        yield* put(attempt, `of ${attempt}`, delayMs)
        yield* TestClock.adjust(delayMs)
        assert.strictEqual((yield* back).at(-1), `of ${attempt}`)
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.effect("returns that work once, when it is due, to the second", () =>
    Effect.gen(function* () {
      yield* Effect.forkScoped(delay)
      for (const waitMs of [601_000, 300_000, 61_500, 2_500]) yield* put(2, `${waitMs}`, waitMs)
      const due: Record<string, number> = {}
      const beganAt = yield* Clock.currentTimeMillis
      for (let i = 0; i < 1_220; i++) {
        yield* TestClock.adjust(500)
        for (const id of yield* back) due[id] ??= (yield* Clock.currentTimeMillis) - beganAt
      }
      for (const [id, atMs] of Object.entries(due)) {
        assert.isAtLeast(atMs, Number(id))
        assert.isAtMost(atMs, Number(id) + 1_000)
      }
      assert.deepStrictEqual(yield* back, ["2500", "61500", "300000", "601000"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

const HOUR_MS = 3_600_000
const STEPS = [100_000, HOUR_MS, 30 * 24 * HOUR_MS]
/** A present-day time, later than the largest step back. */
const present = TestClock.setTime(1_800_000_000_000)

describe("delay, if the wall clock is set", () => {
  for (const ms of [...STEPS, ...STEPS.map((ms) => -ms)]) {
    it.effect(`by ${ms / 1_000} s, lets work that waits return after its delay, and later work too`, () =>
      Effect.gen(function* () {
        yield* present
        yield* Effect.forkScoped(delay)
        yield* put(5, "before", 120_000)
        yield* TestClock.adjust(20_000)
        yield* stepWallClock(ms)
        yield* put(5, "after", 120_000)
        yield* TestClock.adjust(99_999)
        assert.deepStrictEqual(yield* back, [])
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* back, ["before"])
        yield* TestClock.adjust(19_999)
        assert.deepStrictEqual(yield* back, ["before"])
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* back, ["before", "after"])
      }).pipe(Effect.scoped, Effect.provide(layer))
    )

    it.effect(`by ${ms / 1_000} s, keeps the sum of the pieces of a long wait`, () =>
      Effect.gen(function* () {
        yield* present
        yield* Effect.forkScoped(delay)
        // The pieces: 1 s, 120 s, and 30 s and less.
        yield* put(2, "long", 200_000)
        yield* TestClock.adjust(30_000)
        yield* stepWallClock(ms)
        yield* TestClock.adjust(91_000)
        yield* stepWallClock(ms)
        yield* TestClock.adjust(78_999)
        assert.deepStrictEqual(yield* back, [])
        yield* TestClock.adjust(2_000)
        assert.deepStrictEqual(yield* back, ["long"])
      }).pipe(Effect.scoped, Effect.provide(layer))
    )
  }

  for (const ms of [...STEPS, ...STEPS.map((ms) => -ms)]) {
    it.effect(`of the process that made a retry by ${ms / 1_000} s, keeps its delay`, () =>
      Effect.gen(function* () {
        yield* present
        const log = yield* Log
        yield* Effect.forkScoped(delay)
        yield* put(2, "first", 1_000)
        yield* TestClock.adjust(HOUR_MS)
        const timestamp = (yield* Clock.currentTimeMillis) + ms
        const work = { ...newWork("a", KEY, eventOf({}), 2), series_attempt: 2, due_at: timestamp + 1_000 }
        yield* log.transaction({
          append: [{ topic: delayTopic(2), key: KEY, value: JSON.stringify(work), timestamp }]
        })
        yield* TestClock.adjust(999)
        assert.deepStrictEqual(yield* back, ["first"])
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* back, ["first", "a"])
      }).pipe(Effect.scoped, Effect.provide(layer))
    )
  }

  for (const ms of STEPS) {
    it.effect(`back by ${ms / 1_000} s before a restart, makes work wait for its own delay at most`, () =>
      Effect.gen(function* () {
        yield* present
        const first = yield* Effect.forkScoped(delay)
        yield* put(5, "a", 120_000)
        yield* TestClock.adjust(60_000)
        yield* Fiber.interrupt(first)
        yield* stepWallClock(-ms)
        yield* Effect.forkScoped(delay)
        yield* TestClock.adjust(120_000)
        assert.deepStrictEqual(yield* back, ["a"])
      }).pipe(Effect.scoped, Effect.provide(layer))
    )

    it.effect(`back by ${ms / 1_000} s, lets no batch wait for the one before`, () =>
      Effect.gen(function* () {
        yield* present
        yield* Effect.forkScoped(delay)
        const ids = Array.from({ length: 9 }, (_, i) => `${i}`)
        for (const id of ids) {
          yield* TestClock.adjust(10_000)
          yield* put(5, id, 120_000)
        }
        yield* stepWallClock(-ms)
        // The first leaves in 40 s. The others are taken in batches of two, and were seen in the log meanwhile.
        yield* TestClock.adjust(120_000 * (1 + SLEEP.part))
        assert.deepStrictEqual(yield* back, ids)
      }).pipe(
        Effect.scoped,
        Effect.provide(layer),
        Effect.provideService(DelayLimits, { delayBatchRecords: 2 })
      )
    )
  }
})
