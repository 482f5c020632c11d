/** Attempts without a fiber: a defect in one still reaches its owner. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FiberSet, Layer, References } from "effect"
import { Recorder } from "../../src/deliver/record/Recorder.ts"
import { makeAttempt } from "../../src/deliver/send/Attempt.ts"
import { type Send, Sender } from "../../src/deliver/send/Sender.ts"
import type { DeliveryConfig } from "../../src/domain/Webhook.ts"
import { WebhookRegistry } from "../../src/webhooks/WebhookRegistry.ts"
import { event, SECRET } from "../support/sending.ts"
import { settingsLayer } from "../support/settings.ts"

// The fields that an attempt reads.
const config = { id: "wh_1", headers: {} } as DeliveryConfig
const webhook = { config, url: new URL("https://a.example/"), secret: SECRET, previousSecret: undefined }
const work = {
  key: "dlv_1 1",
  deliveryId: "dlv_1",
  attempt: 1,
  seriesAttempt: 1,
  event,
  kind: "live" as const,
  acknowledge: undefined,
  queuedAt: 0,
  wasFree: false
}
const sending = { works: [work] }

/** `abandoned` collects the numbers of abandoned attempts that are reported to the recorder. */
const partsWith = (send: Send, isTraced: boolean, abandoned: Array<number>) =>
  Layer.mergeAll(
    Layer.mock(Sender)({ opened: Effect.succeed(send) }),
    Layer.mock(Recorder)({
      expect: () => undefined,
      offer: () => undefined,
      ahead: () => 1,
      abandon: (attempts) => void abandoned.push(attempts)
    }),
    Layer.mock(WebhookRegistry)({
      get: () => undefined,
      isKnown: () => false,
      unusable: () => undefined,
      subscribe: () => () => undefined,
      whenCurrent: (use) => use()
    }),
    settingsLayer(),
    Layer.succeed(References.TracerEnabled, isTraced)
  )

/** The exit of the fiber that owns the attempt. */
const exitOf = (send: Send, ended: () => void, isTraced: boolean) =>
  Effect.gen(function* () {
    const fibers = yield* FiberSet.make<void, never>()
    const attempt = yield* makeAttempt(yield* FiberSet.runtime(fibers)())
    attempt(webhook, sending, ended)
    return yield* Effect.exit(FiberSet.join(fibers))
  }).pipe(Effect.scoped, Effect.provide(partsWith(send, isTraced, [])))

const outcome = {
  delivered: true,
  responseStatus: 200,
  responseTimeMs: 1,
  responseBody: "",
  error: null
}
const defect = () => {
  throw new Error("must not happen")
}

describe.each([false, true])("a defect in an attempt ends its owner (traced: %s)", (isTraced) => {
  it.effect("when its request is handed over", () =>
    Effect.gen(function* () {
      const exit = yield* exitOf(defect, () => undefined, isTraced)
      assert.isTrue(Exit.hasDies(exit))
    })
  )

  it.effect("when its outcome is reported", () =>
    Effect.gen(function* () {
      const exit = yield* exitOf((_, __, ___, ended) => ended(outcome), defect, isTraced)
      assert.isTrue(Exit.hasDies(exit))
    })
  )
})

describe.each([false, true])("what is under way when its owner ends (traced: %s)", (isTraced) => {
  it.effect("is abandoned when its scope closes, and its outcome is then not reported", () =>
    Effect.gen(function* () {
      const late: Array<() => void> = []
      const abandoned: Array<number> = []
      let told = 0
      yield* Effect.gen(function* () {
        const fibers = yield* FiberSet.make<void, never>()
        const attempt = yield* makeAttempt(yield* FiberSet.runtime(fibers)())
        for (let i = 0; i < 3; i++) attempt(webhook, sending, () => void told++)
        yield* Effect.yieldNow
        late.shift()!()
        yield* Effect.yieldNow
      }).pipe(
        Effect.scoped,
        Effect.provide(
          partsWith((_, __, ___, ended) => void late.push(() => ended(outcome)), isTraced, abandoned)
        )
      )
      assert.deepStrictEqual([told, abandoned], [1, [2]])
      for (const end of late) end()
      yield* Effect.yieldNow
      assert.strictEqual(told, 1)
    })
  )
})
