/**
 * The recorder writes the outcomes of some milliseconds together. It does not wait for abandoned attempts.
 */
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Latch, Layer } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { Limits } from "../../src/config/Limits.ts"
import { stageLimits } from "../../src/config/StageLimits.ts"
import { Recorder } from "../../src/deliver/record/Recorder.ts"
import { delayTopic, newWork } from "../../src/domain/Delivery.ts"
import { Log } from "../../src/log/Log.ts"
import { partitionOf } from "../../src/log/Topics.ts"
import { DeliveryStore } from "../../src/storage/deliveries/DeliveryStore.ts"
import { WebhookStore } from "../../src/storage/webhooks/WebhookStore.ts"
import { eventOf } from "../support/events.ts"
import * as MemoryLog from "../support/memoryLog/MemoryLog.ts"
import { delivered, work } from "../support/outcomes.ts"
import { settingsLayer } from "../support/settings.ts"
import { stepWallClock } from "../support/wallClock.ts"

type Disable = WebhookStore["Service"]["disable"]

const onRecorder = <E>(
  test: (written: Array<number>) => Effect.Effect<void, E, Recorder | Log>,
  statement: Effect.Effect<void> = Effect.void,
  disabling: { readonly failing: () => Array<string>; readonly disable?: Disable } = {
    failing: () => []
  }
): Effect.Effect<void, unknown> => {
  /** How many outcomes each statement had. */
  const written: Array<number> = []
  const stores = Layer.mergeAll(
    Layer.mock(DeliveryStore)({
      insertPending: () => Effect.succeed(new Set()),
      record: (attempts) =>
        Effect.sync(() => void written.push(attempts.length)).pipe(
          Effect.andThen(statement),
          Effect.map(disabling.failing)
        )
    }),
    Layer.mock(WebhookStore)(disabling.disable === undefined ? {} : { disable: disabling.disable })
  )
  return test(written).pipe(
    Effect.provide(
      Recorder.layer.pipe(
        Layer.provide(stores),
        Layer.provideMerge(MemoryLog.layer),
        Layer.provide(settingsLayer())
      )
    )
  )
}

/** Offers the outcome of an attempt. */
const offer = (recorder: Recorder["Service"], onSettled: () => void = () => undefined) =>
  recorder.offer({
    attempt: delivered,
    delivery: { accountId: "acct_1", webhookId: "wh_1", work },
    retry: undefined,
    fromBacklog: false,
    onSettled
  })

it.effect("outcomes of some milliseconds are written in one statement", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      for (let i = 0; i < 20; i++) recorder.expect(1)
      for (let i = 0; i < 4; i++) offer(recorder)
      yield* TestClock.adjust(Limits.recorderGatherMs - 1)
      for (let i = 4; i < 8; i++) offer(recorder)
      assert.deepStrictEqual(written, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(written, [8])
      // The last outcomes: no other attempt is under way.
      for (let i = 8; i < 20; i++) offer(recorder)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [8, 12])
    })
  )
)

const HOUR_MS = 3_600_000

const inOrder = (fromBacklog: boolean) => {
  /** How many retries are in the log. */
  let retries: Effect.Effect<number> = Effect.succeed(-1)
  let whenWritten = -1
  const statement = Effect.suspend(() => retries).pipe(
    Effect.map((count) => {
      whenWritten = count
    })
  )
  return onRecorder(
    () =>
      Effect.gen(function* () {
        const log = yield* Log
        const topic = delayTopic(2)
        retries = log.read({ topic, partition: partitionOf(topic, "wh_1"), offset: 0 }, 10).pipe(
          Effect.map(({ length }) => length),
          Effect.orDie
        )
        const recorder = yield* Recorder
        recorder.expect(1)
        recorder.offer({
          attempt: { ...delivered, status: "retrying", nextDelayMs: 1_000 },
          retry: newWork("dlv_1", "wh_1", eventOf({}), 2, 2),
          fromBacklog,
          onSettled: () => undefined
        })
        yield* TestClock.adjust(Limits.recorderGatherMs)
        assert.strictEqual(yield* retries, 1)
        assert.strictEqual(whenWritten, fromBacklog ? 1 : 0)
      }),
    statement
  )
}

it.effect("the row is written before its retry is appended, because its record would come again", () =>
  inOrder(false)
)

it.effect("of the backlog the retry is appended first: its row says until then that the delivery waits", () =>
  inOrder(true)
)

it.effect("work that came too early waits no longer if the clock is set back before it is appended", () =>
  onRecorder(() =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_800_000_000_000)
      const recorder = yield* Recorder
      const dueAt = (yield* Clock.currentTimeMillis) + stageLimits.earlyWorkMs
      const retry = { ...newWork("dlv_1", "wh_1", eventOf({}), 2, 2), due_at: dueAt }
      recorder.offer({ attempt: undefined, retry, fromBacklog: false, onSettled: () => undefined })
      yield* stepWallClock(-HOUR_MS)
      yield* TestClock.adjust(Limits.recorderGatherMs)
      const log = yield* Log
      const topics = [2, 3, 4].map(delayTopic)
      const records = yield* Effect.forEach(topics, (topic) =>
        log.read({ topic, partition: partitionOf(topic, "wh_1"), offset: 0 }, 10)
      )
      assert.deepStrictEqual(
        records.flat().map(({ timestamp, value }) => JSON.parse(value!).due_at - timestamp),
        [stageLimits.earlyWorkMs]
      )
    })
  )
)

it.effect("a retry's wait does not depend on the clock being set before it is appended", () =>
  onRecorder(() =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_800_000_000_000)
      const recorder = yield* Recorder
      const endedAt = yield* Clock.currentTimeMillis
      recorder.expect(1)
      recorder.offer({
        attempt: { ...delivered, status: "retrying", endedAt, nextDelayMs: 1_000 },
        retry: { ...newWork("dlv_1", "wh_1", eventOf({}), 2, 2), due_at: endedAt + 1_000 },
        fromBacklog: false,
        onSettled: () => undefined
      })
      yield* stepWallClock(-HOUR_MS)
      yield* TestClock.adjust(Limits.recorderGatherMs)
      const log = yield* Log
      const topic = delayTopic(2)
      const [record] = yield* log.read({ topic, partition: partitionOf(topic, "wh_1"), offset: 0 }, 10)
      assert.strictEqual(JSON.parse(record!.value!).due_at - record!.timestamp, 1_000)
    })
  )
)

it.effect("one half is written while the other half is being sent", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      for (let i = 0; i < 150; i++) recorder.expect(1)
      for (let i = 0; i < 74; i++) offer(recorder)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [])
      offer(recorder)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [75])
    })
  )
)

/** Records the given number of outcomes, one statement after another. */
const record = Effect.fnUntraced(function* (recorder: Recorder["Service"], count: number) {
  for (let i = 0; i < count; i++) recorder.expect(1)
  for (let i = 0; i < count; i++) offer(recorder)
  for (let i = 0; i <= count / Limits.recorderBatch; i++) yield* TestClock.adjust(0)
})

it.effect("outcomes of a single webhook are written in halves of what may run ahead", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      yield* record(recorder, 10_000)
      written.length = 0
      const window = 16
      const half = (10_000 * Limits.repeatedPart - window) / 2
      for (let i = 0; i < window; i++) recorder.expect(1)
      for (let i = 0; i < half; i++) {
        offer(recorder)
        recorder.expect(1)
        yield* TestClock.adjust(0)
      }
      assert.deepStrictEqual(written, [half])
    })
  )
)

it.effect("attempts run ahead of their record up to a part of what was recorded lately", () =>
  onRecorder(() =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      /** How many unrecorded attempts start until the recorder allows no more. */
      const ahead = () => {
        let count = 0
        for (; recorder.ahead() > 0; count++) {
          recorder.expect(1)
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
      // With many webhooks, the sum of the windows may be larger.
      yield* TestClock.adjust(0)
      for (let i = 0; i < Limits.repeatedMost; i++) recorder.expect(1)
      for (let i = 0; i < Limits.unrecordedMost; i++) offer(recorder)
      assert.isFalse(recorder.ahead() > 0)
      recorder.abandon(Limits.repeatedMost - Limits.unrecordedMost)
      yield* TestClock.adjust(2 * Limits.repeatedOfMs)
      assert.strictEqual(ahead(), Limits.unrecordedMost, "after a pause it begins anew")
    })
  )
)

it.effect("some attempts may run ahead although windows are full", () =>
  onRecorder(
    () =>
      Effect.gen(function* () {
        const recorder = yield* Recorder
        for (let i = 0; i < 10 * Limits.unrecordedMost; i++) recorder.expect(1)
        for (let i = 1; i < Limits.unrecordedMost; i++) offer(recorder)
        assert.isTrue(recorder.ahead() > 0)
        offer(recorder)
        assert.isFalse(recorder.ahead() > 0)
      }),
    Effect.never
  )
)

it.effect("a full batch is written at once, whatever else is under way", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      for (let i = 0; i < 10 * Limits.recorderEnough; i++) recorder.expect(1)
      for (let i = 0; i < Limits.recorderEnough; i++) offer(recorder)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [Limits.recorderEnough])
    })
  )
)

it.effect("the next statement is sent before the last batch is settled", () =>
  Effect.gen(function* () {
    const events: Array<string> = []
    let number = 0
    const land = Latch.makeUnsafe()
    yield* onRecorder(
      () =>
        Effect.gen(function* () {
          const recorder = yield* Recorder
          const offerOne = (name: string) => {
            recorder.expect(1)
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

it.effect("abandoned attempts are not waited for", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      for (let i = 0; i < 5; i++) recorder.expect(1)
      offer(recorder)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [])
      recorder.abandon(4)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [1])
    })
  )
)

it.effect("a webhook is disabled although the database fails after its failures were recorded", () => {
  const asked: Array<ReadonlyArray<string>> = []
  // Attempts that are recorded already name no webhook.
  let failing = ["wh_1"]
  const down = new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error("down"), message: "down" })
  })
  return onRecorder(
    (written) =>
      Effect.gen(function* () {
        const recorder = yield* Recorder
        yield* record(recorder, 1)
        yield* TestClock.adjust(Limits.storeRetryMs.first)
        assert.deepStrictEqual(asked, [["wh_1"], ["wh_1"]])
        assert.deepStrictEqual(written, [1])
      }),
    Effect.void,
    {
      failing: () => {
        const named = failing
        failing = []
        return named
      },
      disable: (ids) =>
        Effect.suspend(() => (asked.push(ids) === 1 ? Effect.fail(down) : Effect.succeed([...ids])))
    }
  )
})
