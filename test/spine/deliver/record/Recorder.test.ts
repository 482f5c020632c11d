/**
 * The recorder writes the outcomes of some milliseconds together: rows first, then retries, then the work is settled.
 */

import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { Limits } from "../../../../src/spine/config/Limits.ts"
import { deliverLimits } from "../../../../src/spine/deliver/Limits.ts"
import { type Outcome, Recorder } from "../../../../src/spine/deliver/record/Recorder.ts"
import { DeliveryStore } from "../../../../src/spine/deliveries/DeliveryStore.ts"
import { delayTopic } from "../../../../src/spine/domain/Delivery.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { partitionOf } from "../../../../src/spine/log/Topics.ts"
import { DisableWebhooks } from "../../../../src/spine/registry/DisableWebhooks.ts"
import * as MemoryLog from "../../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { stepWallClock } from "../../../support/program/wallClock.ts"
import { delivered, work } from "../outcomes.ts"

type Disable = DisableWebhooks["Service"]

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
    Layer.succeed(DisableWebhooks, disabling.disable ?? (() => Effect.succeed([])))
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

const outcomeOf = (attempt: Partial<Outcome["attempt"]> = {}, fromBacklog = false): Outcome => ({
  attempt: { ...delivered, ...attempt },
  accountId: "acct_1",
  webhookId: "wh_1",
  work: { ...work, acknowledge: fromBacklog ? undefined : () => undefined }
})

/** Records the outcome of a request that delivered. */
const record = (recorder: Recorder["Service"], onSettled: () => void = () => undefined) =>
  recorder.record([outcomeOf()], onSettled)

it.effect("outcomes of some milliseconds are written in one statement", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      for (let i = 0; i < 4; i++) record(recorder)
      yield* TestClock.adjust(deliverLimits.recordEveryMs - 1)
      for (let i = 4; i < 8; i++) record(recorder)
      assert.deepStrictEqual(written, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(written, [8])
    })
  )
)

it.effect("outcomes that are enough for a statement do not wait", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      for (let i = 0; i < deliverLimits.recordAtOnce; i++) record(recorder)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [deliverLimits.recordAtOnce])
    })
  )
)

it.effect("more outcomes than a statement writes are written by several", () =>
  onRecorder((written) =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      const { rowsAtOnce } = deliverLimits
      for (let i = 0; i < rowsAtOnce + 1; i++) record(recorder)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(written, [rowsAtOnce])
      yield* TestClock.adjust(deliverLimits.recordEveryMs)
      assert.deepStrictEqual(written, [rowsAtOnce, 1])
    })
  )
)

const HOUR_MS = 3_600_000

const inOrder = (fromBacklog: boolean) => {
  /** How many retries are in the log. */
  let retries: Effect.Effect<number> = Effect.succeed(-1)
  let whenWritten = -1
  let whenSettled = -1
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
        recorder.record([outcomeOf({ status: "retrying", nextDelayMs: 1_000 }, fromBacklog)], () => {
          whenSettled = Effect.runSync(retries)
        })
        yield* TestClock.adjust(deliverLimits.recordEveryMs)
        assert.strictEqual(yield* retries, 1)
        assert.strictEqual(whenWritten, fromBacklog ? 1 : 0)
        assert.strictEqual(whenSettled, 1, "the offset may be committed when the retry is in the log")
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

it.effect("a retry's wait does not depend on the clock being set before it is appended", () =>
  onRecorder(() =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_800_000_000_000)
      const recorder = yield* Recorder
      const endedAt = yield* Clock.currentTimeMillis
      recorder.record([outcomeOf({ status: "retrying", endedAt, nextDelayMs: 1_000 })], () => undefined)
      yield* stepWallClock(-HOUR_MS)
      yield* TestClock.adjust(deliverLimits.recordEveryMs)
      const log = yield* Log
      const topic = delayTopic(2)
      const [record] = yield* log.read({ topic, partition: partitionOf(topic, "wh_1"), offset: 0 }, 10)
      assert.strictEqual(JSON.parse(record!.value!).due_at - record!.timestamp, 1_000)
    })
  )
)

it.effect("attempts may run ahead of their record while fewer than the bound wait for theirs", () =>
  onRecorder(() =>
    Effect.gen(function* () {
      const recorder = yield* Recorder
      for (let i = 1; i < deliverLimits.unrecordedMost; i++) record(recorder)
      assert.isTrue(recorder.mayRunAhead())
      record(recorder)
      assert.isFalse(recorder.mayRunAhead())
      yield* TestClock.adjust(deliverLimits.recordEveryMs)
      assert.isTrue(recorder.mayRunAhead())
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
        record(recorder)
        yield* TestClock.adjust(deliverLimits.recordEveryMs)
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
