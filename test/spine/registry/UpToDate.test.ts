/** Views of webhooks wait until changes are published, and do not burden the log meanwhile. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Log } from "../../../src/spine/log/Log.ts"
import { upToDateWith } from "../../../src/spine/registry/UpToDate.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"

it.effect("while the process that publishes is dead, the log is asked ten times a second at most", () => {
  let asked = 0
  let published = 0
  const stores = Layer.mergeAll(
    Layer.mock(Outbox)({ headId: Effect.succeed(5) }),
    Layer.mock(Log)({
      committed: () =>
        Effect.sync(() => {
          asked++
          return published
        })
    })
  )
  return Effect.gen(function* () {
    const upToDate = yield* upToDateWith({ caughtUp: Effect.void }, Effect.succeed(true))
    const waiting = yield* Effect.forkChild(upToDate)
    yield* TestClock.adjust("10 seconds")
    assert.isAtMost(asked, 110)
    assert.isUndefined(waiting.pollUnsafe())
    published = 6
    yield* TestClock.adjust("100 millis")
    assert.isDefined(waiting.pollUnsafe())
    yield* Fiber.join(waiting)
  }).pipe(Effect.provide(stores))
})
