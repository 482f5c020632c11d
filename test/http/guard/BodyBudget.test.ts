import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import {
  ACCOUNT_BYTES,
  ANSWER_BYTES,
  BODY_WAIT_MS,
  BYTES_PER_SECOND,
  makeBodyBudget
} from "../../../src/http/guard/BodyBudget.ts"
import { httpLimits } from "../../../src/http/Limits.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"

const LARGE = Limits.requestBodyBytes
const FIT = ACCOUNT_BYTES / LARGE
const MS_OF_LARGE = (LARGE / BYTES_PER_SECOND) * 1_000
const answered = () => Effect.succeed("answered" as const)

describe("the budget of large bodies", () => {
  it.effect("lets an account send its budget at once, and after that so many bytes a second", () =>
    Effect.gen(function* () {
      const { withBody } = yield* makeBodyBudget
      for (let i = 0; i < FIT; i++) assert.strictEqual(yield* withBody("a", LARGE, answered), "answered")
      const next = yield* Effect.forkChild(withBody("a", LARGE, answered))
      yield* TestClock.adjust(MS_OF_LARGE - 1)
      assert.isUndefined(next.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Fiber.join(next), "answered")
    })
  )

  it.effect(
    "refuses a body of the account after a bounded wait, and neither small ones nor other accounts",
    () =>
      Effect.gen(function* () {
        const { withBody } = yield* makeBodyBudget
        const held = yield* Effect.forEach(Array.from({ length: FIT }), () =>
          Effect.forkChild(withBody("a", LARGE, () => Effect.never))
        )
        const waiting = yield* Effect.forkChild(withBody("a", LARGE, answered))
        yield* TestClock.adjust(BODY_WAIT_MS)
        const refused = yield* Fiber.join(waiting)
        assert.isTrue(typeof refused === "object" && refused.code === "RATE_LIMITED")
        assert.strictEqual(yield* withBody("a", httpLimits.connectionBytes, answered), "answered")
        assert.strictEqual(yield* withBody("b", LARGE, answered), "answered")
        yield* Effect.forEach(held, Fiber.interrupt)
      })
  )

  it.effect(
    "bounds the bodies of all accounts together, and gets the bytes of interrupted requests back",
    () =>
      Effect.gen(function* () {
        const { withBody } = yield* makeBodyBudget
        const held = yield* Effect.forEach(Array.from({ length: httpLimits.bodyBytes / LARGE }), (_, i) =>
          Effect.forkChild(withBody(`account ${i}`, LARGE, () => Effect.never))
        )
        const waiting = yield* Effect.forkChild(withBody("a", LARGE, answered))
        yield* TestClock.adjust(BODY_WAIT_MS)
        const refused = yield* Fiber.join(waiting)
        assert.isTrue(typeof refused === "object" && refused.code === "UNAVAILABLE")
        yield* Fiber.interrupt(held[0]!)
        assert.strictEqual(yield* withBody("b", LARGE, answered), "answered")
      })
  )

  it.effect("counts the bytes that were read of a body whose length was not known", () =>
    Effect.gen(function* () {
      const { withBody } = yield* makeBodyBudget
      const small = (read: (bytes: number) => void) => Effect.sync(() => read(100))
      for (let i = 0; i < 10 * FIT; i++) yield* withBody("a", LARGE, small)
      const ready = yield* Deferred.make<void>()
      const next = yield* Effect.forkChild(withBody("a", LARGE, () => Deferred.succeed(ready, undefined)))
      yield* Deferred.await(ready)
      yield* Fiber.join(next)
    })
  )

  it.effect("lets an account that has got too many bytes wait before its next request, of any size", () =>
    Effect.gen(function* () {
      const { withAnswer } = yield* makeBodyBudget
      const page = (accountId: string, bytes: number) => withAnswer(accountId, answered(), () => bytes)
      const allowed = ACCOUNT_BYTES * ANSWER_BYTES
      assert.strictEqual(yield* page("a", allowed), "answered")
      assert.strictEqual(yield* page("a", LARGE * ANSWER_BYTES), "answered")
      const next = yield* Effect.forkChild(page("a", 1))
      assert.strictEqual(yield* page("b", 1), "answered")
      yield* TestClock.adjust(MS_OF_LARGE - 1)
      assert.isUndefined(next.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Fiber.join(next), "answered")
      const waitable = (BODY_WAIT_MS / 1_000) * BYTES_PER_SECOND
      yield* page("a", allowed + waitable * ANSWER_BYTES)
      const refused = yield* page("a", 1)
      assert.isTrue(typeof refused === "object" && refused.code === "RATE_LIMITED")
    })
  )
})
