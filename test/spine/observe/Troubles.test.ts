/** A loop that fails for minutes is seen in the health of its part, and no longer once it has succeeded or ended. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Health } from "../../../src/spine/observe/Health.ts"
import { observeLimits } from "../../../src/spine/observe/Limits.ts"
import { repeatEvery, retryUntilSuccess } from "../../../src/spine/observe/RetryUntilSuccess.ts"
import { supervised } from "../../../src/spine/store/Supervised.ts"
import { eventuallyAdvancing } from "../../support/ledger/ingesting.ts"

const TASK = "upkeep.totals-of-deliveries"

const partOf = (part: string) => Effect.flatMap(Health, ({ all }) => Effect.map(all, (parts) => parts[part]))

describe("a loop that fails", () => {
  it.effect("makes its task degraded after minutes, and ok as soon as it works", () =>
    Effect.gen(function* () {
      let works = false
      const task = Effect.suspend(() => (works ? Effect.void : Effect.fail(new Error("no identity"))))
      const loop = yield* Effect.forkChild(task.pipe(repeatEvery("totals of deliveries", 2_000)))
      yield* TestClock.adjust(observeLimits.lastingMs / 2)
      assert.strictEqual((yield* partOf(TASK))?.status, "ok")
      yield* TestClock.adjust(observeLimits.lastingMs)
      assert.deepStrictEqual(yield* partOf(TASK), {
        status: "degraded",
        detail: "totals of deliveries has failed for 7 min 30 s: no identity"
      })
      works = true
      yield* eventuallyAdvancing(Effect.map(partOf(TASK), (part) => part?.status === "ok"))
      yield* Fiber.interrupt(loop)
      assert.isUndefined(yield* partOf(TASK))
    }).pipe(Effect.provide(Health.layer))
  )

  it.effect("makes the stage degraded that runs it, which a defect of a task does not end", () =>
    Effect.gen(function* () {
      const failing = Effect.fail("no leader").pipe(retryUntilSuccess("queueing retries"))
      yield* Layer.build(supervised("deliver", failing))
      const task = Effect.die(new Error("impossible")).pipe(repeatEvery("totals of deliveries", 2_000))
      const loop = yield* Effect.forkChild(task)
      yield* TestClock.adjust(2 * observeLimits.lastingMs)
      assert.deepStrictEqual(yield* partOf("deliver"), {
        status: "degraded",
        detail: "queueing retries has failed for 10 min 0 s: no leader"
      })
      assert.strictEqual(
        (yield* partOf(TASK))?.detail,
        "totals of deliveries has failed for 10 min 0 s: impossible"
      )
      yield* Fiber.interrupt(loop)
    }).pipe(Effect.scoped, Effect.provide(Health.layer))
  )
})
