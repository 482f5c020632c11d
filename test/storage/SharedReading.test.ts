/** Who asks together reads once, and nobody is answered with what was read before he asked. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { sharedReading, sharedReadings } from "../../src/storage/SharedReading.ts"

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

  it.effect("that fails fails for all who shared it; the next reads anew", () =>
    Effect.gen(function* () {
      let begun = 0
      const shared = sharedReading(
        Effect.suspend(() => (++begun === 1 ? Effect.fail("away") : Effect.succeed(begun)))
      )
      const together = yield* Effect.all([Effect.exit(shared), Effect.exit(shared)], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(together, [Exit.fail("away"), Exit.fail("away")])
      assert.strictEqual(yield* shared, 2)
    })
  )

  it.effect("whose reader is interrupted is read by the next of those who asked", () =>
    Effect.gen(function* () {
      let begun = 0
      const shared = sharedReading(Effect.suspend(() => Effect.as(Effect.sleep(READING_MS), ++begun)))
      const first = yield* Effect.forkChild(shared)
      const second = yield* Effect.forkChild(shared)
      yield* TestClock.adjust(READING_MS / 2)
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust(READING_MS)
      assert.strictEqual(yield* Fiber.join(second), 2)
    })
  )
})

describe("shared readings", () => {
  it.effect("are shared by those who ask for the same alone", () =>
    Effect.gen(function* () {
      const begun: Array<string> = []
      const shared = sharedReadings<string, never>()
      const ask = (key: string) =>
        shared(
          key,
          Effect.suspend(() => {
            begun.push(key)
            return Effect.as(Effect.sleep(READING_MS), key)
          })
        )
      const asked = ["a", "b", "a", "b", "a"]
      const answers = yield* Effect.forkChild(Effect.forEach(asked, ask, { concurrency: "unbounded" }))
      yield* TestClock.adjust(READING_MS)
      assert.deepStrictEqual(yield* Fiber.join(answers), asked)
      assert.deepStrictEqual(begun, ["a", "b"])
    })
  )

  it.effect("are forgotten with the last who waits for one", () =>
    Effect.gen(function* () {
      let begun = 0
      const shared = sharedReadings<number, never>()
      const ask = shared(
        "a",
        Effect.sync(() => ++begun)
      )
      yield* ask
      assert.strictEqual(yield* ask, 2)
    })
  )
})
