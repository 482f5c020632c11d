/** Attempts without a fiber: a defect in one still reaches its owner. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FiberSet, Layer, References } from "effect"
import { Recorder } from "../../../../src/spine/deliver/record/Recorder.ts"
import { makeAttempts } from "../../../../src/spine/deliver/send/Attempt.ts"
import { ConnectionLimiter } from "../../../../src/spine/deliver/send/ConnectionLimiter.ts"
import { type Send, Sender } from "../../../../src/spine/deliver/send/Sender.ts"
import type { DeliveryConfig } from "../../../../src/spine/domain/Webhook.ts"
import { WebhookRegistry } from "../../../../src/spine/registry/WebhookRegistry.ts"
import { event, SECRET } from "../../../support/deliver/sending.ts"
import { settingsLayer } from "../../../support/program/settings.ts"

// The fields that an attempt reads.
const config = { id: "wh_1", account_id: "acct_1", headers: {} } as DeliveryConfig
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

const partsWith = (send: Send, isTraced: boolean) =>
  Layer.mergeAll(
    Layer.mock(Sender)({ opened: Effect.succeed(send) }),
    Layer.mock(Recorder)({ record: () => undefined, mayRunAhead: () => true }),
    ConnectionLimiter.layer,
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

const on = (ended: () => void) => ({ ended, notSent: () => undefined, settled: () => undefined })

/** The exit of the fiber that owns the attempt. */
const exitOf = (send: Send, ended: () => void, isTraced: boolean) =>
  Effect.gen(function* () {
    const fibers = yield* FiberSet.make<void, never>()
    const attempts = yield* makeAttempts(yield* FiberSet.runtime(fibers)(), () => undefined)
    attempts.send(webhook, sending, attempts.connect(webhook)!, on(ended))
    return yield* Effect.exit(FiberSet.join(fibers))
  }).pipe(Effect.scoped, Effect.provide(partsWith(send, isTraced)))

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

describe.each([false, true])("what is in flight when its owner ends (traced: %s)", (isTraced) => {
  it.effect("returns its connection, and its outcome is not reported", () =>
    Effect.gen(function* () {
      const limiter = yield* ConnectionLimiter
      const late: Array<() => void> = []
      let reported = 0
      const send: Send = (_, __, ___, ended) => void late.push(() => ended(outcome))
      const parts = Layer.provideMerge(partsWith(send, isTraced), Layer.succeed(ConnectionLimiter, limiter))
      yield* Effect.gen(function* () {
        const fibers = yield* FiberSet.make<void, never>()
        const attempts = yield* makeAttempts(yield* FiberSet.runtime(fibers)(), () => undefined)
        for (let i = 0; i < 3; i++)
          attempts.send(
            webhook,
            sending,
            attempts.connect(webhook)!,
            on(() => void reported++)
          )
        yield* Effect.yieldNow
        late.shift()!()
        yield* Effect.yieldNow
      }).pipe(Effect.scoped, Effect.provide(parts))
      assert.strictEqual(reported, 1)
      for (const end of late) end()
      yield* Effect.yieldNow
      assert.strictEqual(reported, 1)
    }).pipe(Effect.provide(ConnectionLimiter.layer))
  )
})
