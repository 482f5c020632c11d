/**
 * How fast replayed deliveries start: as fast as possible while no live delivery starts, otherwise a few at a time.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  EVERY_MS,
  LIVE_MS,
  ReplayPace,
  STARTS_ALONE,
  STARTS_BESIDE_LIVE
} from "../../../../src/spine/deliver/queue/ReplayPace.ts"

/** A webhook that always has another delivery to start. */
const makeReplay = (pace: ReplayPace["Service"]) => {
  let started = 0
  const start = () => {
    started++
    pace.ask(start)
  }
  return { start, started: () => started }
}

const yields = (count: number) => Effect.replicateEffect(Effect.yieldNow, count, { discard: true })

describe("the pace of replays", () => {
  it.effect("is that of the event loop while no live delivery starts", () =>
    Effect.gen(function* () {
      const pace = yield* ReplayPace
      const { start, started } = makeReplay(pace)
      pace.ask(start)
      yield* yields(10)
      assert.isAtLeast(started(), 3 * STARTS_ALONE)
    }).pipe(Effect.provide(ReplayPace.layer))
  )

  it.effect("is a few at a time beside live deliveries, with equal parts for each webhook", () =>
    Effect.gen(function* () {
      const pace = yield* ReplayPace
      const [one, two] = [makeReplay(pace), makeReplay(pace)]
      pace.liveStarted()
      pace.ask(one.start)
      pace.ask(two.start)
      yield* TestClock.adjust(10 * EVERY_MS)
      assert.isAtMost(one.started() + two.started(), 11 * STARTS_BESIDE_LIVE)
      assert.isAtLeast(one.started() + two.started(), 9 * STARTS_BESIDE_LIVE)
      assert.strictEqual(one.started(), two.started())
      yield* TestClock.adjust(LIVE_MS)
      const before = one.started()
      yield* yields(10)
      assert.isAbove(one.started() - before, 2 * STARTS_ALONE)
    }).pipe(Effect.provide(ReplayPace.layer))
  )
})
