/** Route does not begin while a `deliver` of release 0.2 runs, which would drop its work, and says so. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Log, LogError } from "../../../src/spine/log/Log.ts"
import { Health } from "../../../src/spine/observe/Health.ts"
import { EVERY_MS, untilOlderStopped } from "../../../src/spine/route/OlderDeliver.ts"

const waits = (answers: Array<boolean | "fails">) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const log = Layer.mock(Log)({
      hasOlderMember: (group) =>
        Effect.suspend(() => {
          asked.push(group)
          const answer = answers.shift()
          return answer === "fails"
            ? Effect.fail(new LogError({ operation: "read", topic: "", cause: new Error("away") }))
            : Effect.succeed(answer === true)
        })
    })
    const fiber = yield* untilOlderStopped.pipe(
      Effect.provide(log),
      Effect.forkChild({ startImmediately: true })
    )
    yield* TestClock.adjust(0)
    const status = Effect.map(
      Effect.flatMap(Health, (health) => health.get("route")),
      (part) => part?.status
    )
    return { fiber, status, asked }
  })

it.effect("route begins at once if there is none", () =>
  Effect.gen(function* () {
    const { asked, fiber, status } = yield* waits([false])
    yield* Fiber.join(fiber)
    assert.deepStrictEqual(asked, ["deliver"])
    assert.isUndefined(yield* status)
  }).pipe(Effect.provide(Health.layer))
)

it.effect(
  "route waits until the last one has stopped, is degraded until then, and asks again after a failure",
  () =>
    Effect.gen(function* () {
      const { fiber, status } = yield* waits([true, true, "fails", true, false])
      assert.strictEqual(yield* status, "degraded")
      yield* TestClock.adjust(2 * EVERY_MS)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(10 * EVERY_MS)
      yield* Fiber.join(fiber)
      assert.strictEqual(yield* status, "ok")
    }).pipe(Effect.provide(Health.layer))
)
