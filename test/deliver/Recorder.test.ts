/** What is recorded together: as much as comes within some milliseconds, and nothing is waited for that will not come. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Limits } from "../../src/config/Limits.ts"
import { Recorder } from "../../src/deliver/Recorder.ts"
import * as MemoryEventLog from "../../src/log/MemoryEventLog.ts"
import { DeliveryStore } from "../../src/storage/DeliveryStore.ts"
import { WebhookStore } from "../../src/storage/WebhookStore.ts"
import { settingsLayer } from "../support/settings.ts"

const onRecorder = <E>(
  test: (written: Array<number>) => Effect.Effect<void, E, Recorder>
): Effect.Effect<void, unknown> => {
  /** How many outcomes each statement had. */
  const written: Array<number> = []
  const stores = Layer.mergeAll(
    Layer.mock(DeliveryStore)({
      record: (attempts) => Effect.sync(() => void written.push(attempts.length)).pipe(Effect.as([]))
    }),
    Layer.mock(WebhookStore)({})
  )
  return test(written).pipe(
    Effect.provide(
      Recorder.layer.pipe(Layer.provide([stores, MemoryEventLog.layer]), Layer.provide(settingsLayer()))
    )
  )
}

/** An attempt comes to its end. */
const offer = (recorder: Recorder["Service"]) =>
  recorder.offer({
    attempt: {
      deliveryId: "dlv_1",
      attempt: 1,
      status: "delivered",
      responseStatus: 200,
      responseTimeMs: 1,
      responseBody: "",
      error: null,
      attemptedAt: 0,
      endedAt: 1,
      nextDelayMs: null
    },
    retry: undefined,
    settled: () => undefined
  })

it.effect("what ends within some milliseconds is written together", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      for (let i = 0; i < 10; i++) recorder.expect()
      for (let i = 0; i < 4; i++) offer(recorder)
      yield* TestClock.adjust(Limits.recorderGatherMs - 1)
      for (let i = 4; i < 8; i++) offer(recorder)
      assert.deepStrictEqual(written, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(written, [8])
      // The last ones: nothing else will come.
      for (let i = 8; i < 10; i++) offer(recorder)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [8, 2])
    })
  )
)

it.effect("attempts that were cut off are not waited for", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      for (let i = 0; i < 5; i++) recorder.expect()
      offer(recorder)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [])
      assert.strictEqual(recorder.unrecorded(), 1)
      recorder.abandon(4)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [1])
      assert.strictEqual(recorder.unrecorded(), 0)
    })
  )
)
