/** What is recorded together: as much as comes within some milliseconds, and nothing is waited for that will not come. */
import { assert, it } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Limits } from "../../src/config/Limits.ts"
import { Recorder } from "../../src/deliver/Recorder.ts"
import * as MemoryEventLog from "../../src/log/memory/MemoryEventLog.ts"
import { DeliveryStore } from "../../src/storage/deliveries/DeliveryStore.ts"
import { WebhookStore } from "../../src/storage/webhooks/WebhookStore.ts"
import { settingsLayer } from "../support/settings.ts"

const onRecorder = <E>(
  test: (written: Array<number>) => Effect.Effect<void, E, Recorder>,
  statement: Effect.Effect<void> = Effect.void
): Effect.Effect<void, unknown> => {
  /** How many outcomes each statement had. */
  const written: Array<number> = []
  const stores = Layer.mergeAll(
    Layer.mock(DeliveryStore)({
      record: (attempts) =>
        Effect.sync(() => void written.push(attempts.length)).pipe(Effect.andThen(statement), Effect.as([]))
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
const offer = (recorder: Recorder["Service"], onSettled: () => void = () => undefined) =>
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
    fromBacklog: false,
    onSettled
  })

it.effect("what ends within some milliseconds is written together", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      for (let i = 0; i < 20; i++) recorder.expect()
      for (let i = 0; i < 4; i++) offer(recorder)
      yield* TestClock.adjust(Limits.recorderGatherMs - 1)
      for (let i = 4; i < 8; i++) offer(recorder)
      assert.deepStrictEqual(written, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(written, [8])
      // The last ones: nothing else will come.
      for (let i = 8; i < 20; i++) offer(recorder)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [8, 12])
    })
  )
)

it.effect("half is written while the other half is under way", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      for (let i = 0; i < 150; i++) recorder.expect()
      for (let i = 0; i < 74; i++) offer(recorder)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [])
      offer(recorder)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [75])
    })
  )
)

/** Records so many, statement after statement. */
const record = Effect.fnUntraced(function* (recorder: Recorder["Service"], count: number) {
  for (let i = 0; i < count; i++) recorder.expect()
  for (let i = 0; i < count; i++) offer(recorder)
  for (let i = 0; i <= count / Limits.recorderBatch; i++) yield* TestClock.adjust(0)
})

it.effect("a lone webhook's outcomes are written in halves of what may run ahead", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      yield* record(recorder, 10_000)
      written.length = 0
      const window = 16
      const half = (10_000 * Limits.repeatedPart - window) / 2
      for (let i = 0; i < window; i++) recorder.expect()
      for (let i = 0; i < half; i++) {
        offer(recorder)
        recorder.expect()
        yield* TestClock.adjust(0)
      }
      assert.deepStrictEqual(written, [half])
    })
  )
)

it.effect("attempts run ahead of their recording up to a part of what was recorded lately", () =>
  onRecorder(() =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      /** How many attempts are made of which none is recorded, until no more may be. */
      const ahead = () => {
        let count = 0
        for (; recorder.ahead() > 0; count++) {
          recorder.expect()
          offer(recorder)
        }
        return count
      }
      assert.strictEqual(ahead(), Limits.unrecordedMost)
      yield* TestClock.adjust(0)
      yield* record(recorder, 10_000)
      assert.approximately(ahead(), 10_000 * Limits.repeatedPart, 2)
      yield* TestClock.adjust(0)
      yield* record(recorder, 50_000)
      assert.strictEqual(ahead(), Limits.repeatedMost)
      // Of many webhooks the windows alone may be more.
      yield* TestClock.adjust(0)
      for (let i = 0; i < Limits.repeatedMost; i++) recorder.expect()
      for (let i = 0; i < Limits.unrecordedMost; i++) offer(recorder)
      assert.isFalse(recorder.ahead() > 0)
      recorder.abandon(Limits.repeatedMost - Limits.unrecordedMost)
      yield* TestClock.adjust(2 * Limits.repeatedOfMs)
      assert.strictEqual(ahead(), Limits.unrecordedMost, "after a pause it begins anew")
    })
  )
)

it.effect("beside full windows some attempts run ahead all the same", () =>
  onRecorder(
    () =>
      Effect.gen(function* () {
        const recorder = yield* Recorder
        for (let i = 0; i < 10 * Limits.unrecordedMost; i++) recorder.expect()
        for (let i = 1; i < Limits.unrecordedMost; i++) offer(recorder)
        assert.isTrue(recorder.ahead() > 0)
        offer(recorder)
        assert.isFalse(recorder.ahead() > 0)
      }),
    Effect.never
  )
)

it.effect("enough is written at once, whatever else is under way", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      for (let i = 0; i < 10 * Limits.recorderEnough; i++) recorder.expect()
      for (let i = 0; i < Limits.recorderEnough; i++) offer(recorder)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [Limits.recorderEnough])
    })
  )
)

it.effect("the next statement is on its way before what landed is settled", () =>
  Effect.gen(function* () {
    const events: Array<string> = []
    let number = 0
    const land = Latch.makeUnsafe()
    yield* onRecorder(
      () =>
        Effect.gen(function* () {
          const recorder = yield* Recorder
          const offerOne = (name: string) => {
            recorder.expect()
            offer(recorder, () => events.push(`${name} settled`))
          }
          offerOne("first")
          yield* TestClock.adjust(0)
          offerOne("second")
          land.openUnsafe()
          yield* TestClock.adjust(0)
          yield* TestClock.adjust(0)
          assert.deepStrictEqual(events, ["statement 1", "statement 2", "first settled", "second settled"])
        }),
      Effect.suspend(() => {
        events.push(`statement ${++number}`)
        return Latch.await(land)
      })
    )
  })
)

it.effect("attempts that were cut off are not waited for", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      for (let i = 0; i < 5; i++) recorder.expect()
      offer(recorder)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [])
      recorder.abandon(4)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [1])
    })
  )
)
