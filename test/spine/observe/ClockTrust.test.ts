/** Nothing is deleted because of its age on the word of a clock that has just been set. */

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { deleteEvery } from "../../../src/spine/observe/ClockTrust.ts"
import { observeLimits } from "../../../src/spine/observe/Limits.ts"
import { stepWallClock } from "../../support/program/wallClock.ts"

const HOUR_MS = 3_600_000

/** Deletes every `pauseMs`, and counts. */
const deleting = Effect.fnUntraced(function* (pauseMs: number) {
  const done = { times: 0 }
  yield* Effect.sync(() => void done.times++).pipe(deleteEvery("deleting", pauseMs), Effect.forkScoped)
  yield* TestClock.adjust(0)
  return done
})

describe("what deletes by age", () => {
  it.effect("begins when the process has run for half an hour", () =>
    Effect.gen(function* () {
      const done = yield* deleting(60_000)
      yield* TestClock.adjust(observeLimits.clockTrustedMs - 60_000)
      assert.strictEqual(done.times, 0)
      yield* TestClock.adjust(60_000)
      assert.strictEqual(done.times, 1)
      yield* TestClock.adjust(60_000)
      assert.strictEqual(done.times, 2)
    }).pipe(Effect.scoped)
  )

  for (const ms of [-30 * 24 * HOUR_MS, -HOUR_MS, HOUR_MS, 30 * 24 * HOUR_MS]) {
    it.effect(`pauses for half an hour after the clock was set by ${ms / HOUR_MS} h`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(1_800_000_000_000)
        const done = yield* deleting(60_000)
        yield* TestClock.adjust(HOUR_MS)
        const { times } = done
        assert.isAbove(times, 0)
        yield* stepWallClock(ms)
        yield* TestClock.adjust(observeLimits.clockTrustedMs)
        assert.strictEqual(done.times, times)
        yield* TestClock.adjust(60_000)
        assert.strictEqual(done.times, times + 1)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("does not pause while NTP slews the clock", () =>
    Effect.gen(function* () {
      const done = yield* deleting(HOUR_MS)
      yield* TestClock.adjust(HOUR_MS)
      for (let hours = 1; hours < 100; hours++) {
        assert.strictEqual(done.times, hours)
        yield* stepWallClock(1_800)
        yield* TestClock.adjust(HOUR_MS)
      }
    }).pipe(Effect.scoped)
  )
})
