/** Who asks together reads once, and nobody is answered with what was read before he asked. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { sharedReading } from "../../src/storage/SharedReading.ts"

const READING_MS = 100

describe("a shared reading", () => {
  it.effect("answers all who asked before it began, and those who ask meanwhile with the next", () =>
    Effect.gen(function* () {
      let begun = 0
      const shared = sharedReading(Effect.suspend(() => Effect.as(Effect.sleep(READING_MS), ++begun)))
      const first = yield* Effect.forkChild(shared)
      yield* TestClock.adjust(READING_MS / 2)
      const meanwhile = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 23 }, () => shared),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust(2 * READING_MS)
      assert.strictEqual(yield* Fiber.join(first), 1)
      assert.deepStrictEqual(new Set(yield* Fiber.join(meanwhile)), new Set([2]))
      const later = yield* Effect.forkChild(shared)
      yield* TestClock.adjust(READING_MS)
      assert.strictEqual(yield* Fiber.join(later), 3)
    })
  )

  it.effect("that fails fails for the one whose turn it is; the next reads anew", () =>
    Effect.gen(function* () {
      let begun = 0
      const shared = sharedReading(
        Effect.suspend(() => (++begun === 1 ? Effect.fail("away") : Effect.succeed(begun)))
      )
      const [first, second] = yield* Effect.all([Effect.exit(shared), Effect.exit(shared)], {
        concurrency: "unbounded"
      })
      assert.strictEqual(first!._tag, "Failure")
      assert.strictEqual(second!._tag, "Success")
    })
  )
})
