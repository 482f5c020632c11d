/** Retry jobs on a real database: the deliveries that they queue, and how they end, also after a crash. */

import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Latch, type Layer, Option, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { replayLimits } from "../../../src/features/replay/Limits.ts"
import { replay } from "../../../src/features/replay/ReplayJobs.ts"
import { runJob } from "../../../src/features/replay/ReplayRunner.ts"
import { ReplayStore } from "../../../src/features/replay/ReplayStore.ts"
import { ReplayWork } from "../../../src/features/replay/ReplayWork.ts"
import { RetryWork } from "../../../src/features/replay/RetryWork.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import type { DeliveryStatus } from "../../../src/spine/domain/Delivery.ts"
import { monthOf } from "../../../src/spine/domain/Quota.ts"
import { StoredEvents } from "../../../src/spine/log/ledgers/StoredEvents.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { eventually } from "../../support/deliver/delivering.ts"
import { setUsage } from "../../support/store/rows.ts"
import { ACCOUNT, claim, jobRow, owner, replayingLayer } from "./replaying.ts"
import {
  assertRetried,
  attempted,
  isRetryable,
  makeDeliveries,
  queuedRetries,
  queueRetry
} from "./retrying.ts"

const run = Effect.flatMap(claim, runJob)

const everyStatus: ReadonlyArray<DeliveryStatus> = ["failed", "delivered", "retrying", "pending", "failed"]
const mixed = (place: number) => everyStatus[place % everyStatus.length]!
const alwaysFailed = () => "failed" as const
/** More than two batches, and fewer than may wait. */
const SOME = 2 * replayLimits.replayBatchEvents + 50

const test = <A, E>(
  name: string,
  body: Effect.Effect<A, E, Layer.Success<typeof replayingLayer> | Scope.Scope>
) => it.live(name, () => body.pipe(Effect.scoped, Effect.provide(replayingLayer)), 60_000)

describe("a retry job", () => {
  test(
    "queues what failed and what waits, oldest first, with the ids that they have, and nothing else",
    Effect.gen(function* () {
      const { webhookId, made } = yield* makeDeliveries(400, mixed)
      const other = yield* makeDeliveries(5, alwaysFailed)
      const id = yield* queueRetry(webhookId)
      yield* run
      const expected = made.filter(isRetryable)
      yield* assertRetried(webhookId, expected)
      assert.deepStrictEqual(yield* queuedRetries(other.webhookId), [])
      assert.deepInclude(yield* jobRow(id), {
        mode: "retry",
        status: "completed",
        total_events: expected.length,
        processed_events: expected.length,
        failed_events: 0,
        error: null
      })
      const states = yield* (yield* DeliveryStore).states(made.map((one) => one.id))
      for (const one of made)
        if (!isRetryable(one)) assert.deepInclude(states.get(one.id), { status: one.status })
    })
  )

  test(
    "queues by status, type and time, both bounds excluded",
    Effect.gen(function* () {
      const { webhookId, made } = yield* makeDeliveries(300, mixed)
      const [since, until] = [made[50]!.createdMs, made[250]!.createdMs]
      yield* queueRetry(webhookId, { statuses: ["failed"], event_types: ["nft.minted"], since, until })
      yield* run
      yield* assertRetried(
        webhookId,
        made.filter(
          ({ createdMs, event, status }) =>
            status === "failed" && event.event_type === "nft.minted" && createdMs > since && createdMs < until
        )
      )
    })
  )

  test(
    "leaves a delivery alone that was delivered after its row was read",
    Effect.gen(function* () {
      const { webhookId, made } = yield* makeDeliveries(20, (i) => (i % 2 === 0 ? "failed" : "retrying"))
      const id = yield* queueRetry(webhookId)
      const retries = yield* RetryWork
      const store = yield* DeliveryStore
      const meanwhile = RetryWork.of({
        ...retries,
        page: (...asked) =>
          Effect.tap(retries.page(...asked), () =>
            Effect.andThen(
              attempted(made[3]!.id, 2, "delivered").pipe(Effect.orDie),
              attempted(made[4]!.id, 2, "delivered").pipe(Effect.orDie)
            ).pipe(Effect.provideService(DeliveryStore, store))
          )
      })
      yield* run.pipe(Effect.provideService(RetryWork, meanwhile))
      yield* assertRetried(
        webhookId,
        made.filter((_, i) => i !== 3 && i !== 4)
      )
      assert.deepInclude(yield* jobRow(id), { status: "completed", total_events: 18, processed_events: 18 })
    })
  )

  test(
    "counts deliveries whose events are no longer kept as failed, and queues the others",
    Effect.gen(function* () {
      const { webhookId, made } = yield* makeDeliveries(20, alwaysFailed)
      const id = yield* queueRetry(webhookId)
      const stored = yield* StoredEvents
      const forgetful = StoredEvents.of({
        at: (network, positions) =>
          Effect.map(stored.at(network, positions), (eventAt) => (position) => {
            const event = eventAt(position)
            return event?.event_id === made[7]!.event.event_id ? undefined : event
          })
      })
      yield* run.pipe(Effect.provideService(StoredEvents, forgetful))
      yield* assertRetried(webhookId, made.toSpliced(7, 1))
      assert.deepInclude(yield* jobRow(id), {
        status: "completed",
        total_events: 20,
        processed_events: 19,
        failed_events: 1
      })
    })
  )

  test(
    "waits while what it has queued was not attempted, and continues as it is",
    Effect.gen(function* () {
      const { webhookId, made } = yield* makeDeliveries(replayLimits.replayAhead + 300, alwaysFailed)
      const id = yield* queueRetry(webhookId)
      yield* Effect.forkScoped(replay)
      yield* eventually(
        Effect.map(jobRow(id), (job) => assert.strictEqual(job.processed_events, replayLimits.replayAhead))
      )
      for (const one of made.slice(0, 600)) yield* attempted(one.id, 2, "delivered")
      yield* eventually(Effect.map(jobRow(id), ({ status }) => assert.strictEqual(status, "completed")))
      assert.lengthOf(yield* queuedRetries(webhookId), made.length)
    })
  )

  test(
    "is cancelled: nothing more is queued, and what was queued is counted",
    Effect.gen(function* () {
      const jobs = yield* ReplayStore
      const { webhookId, made } = yield* makeDeliveries(replayLimits.replayAhead + 300, alwaysFailed)
      const id = yield* queueRetry(webhookId)
      yield* Effect.forkScoped(replay)
      yield* eventually(Effect.map(jobRow(id), ({ processed_events }) => assert.isAbove(processed_events, 0)))
      assert.strictEqual((yield* jobs.cancel(owner, id)).result, "cancelled")
      const { processed_events, status } = yield* jobRow(id)
      assert.strictEqual(status, "cancelled")
      yield* assertRetried(webhookId, made.slice(0, processed_events))
    })
  )

  test(
    "ends when the month's quota has no room, after what still fits; what waits for a retry has its place",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { webhookId, made } = yield* makeDeliveries(30, (i) => (i < 10 ? "retrying" : "failed"))
      const id = yield* queueRetry(webhookId)
      // 10 deliveries wait already, and the limit allows 5 more.
      yield* setUsage(ACCOUNT, monthOf(Date.now()), 100)
      yield* sql`UPDATE accounts SET monthly_deliveries = 115 WHERE id = ${ACCOUNT}`
      yield* run
      yield* assertRetried(webhookId, made.slice(0, 15))
      assert.deepInclude(yield* jobRow(id), {
        status: "failed",
        error: "The month's delivery quota is used up.",
        processed_events: 15,
        failed_events: 15
      })
    })
  )

  for (const gone of ["disabled", "deleted"] as const)
    test(
      `fails when its webhook is ${gone}`,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { webhookId } = yield* makeDeliveries(5, alwaysFailed)
        const id = yield* queueRetry(webhookId)
        yield* gone === "deleted"
          ? sql`UPDATE webhooks SET deleted_at = now() WHERE id = ${webhookId}`
          : sql`UPDATE webhooks SET status = 'disabled' WHERE id = ${webhookId}`
        yield* run
        assert.deepStrictEqual(yield* queuedRetries(webhookId), [])
        assert.deepInclude(yield* jobRow(id), { status: "failed", error: `The webhook was ${gone}.` })
      })
    )

  test(
    "takes nothing that is made after it",
    Effect.gen(function* () {
      const { webhookId } = yield* makeDeliveries(3, alwaysFailed)
      yield* queueRetry(webhookId)
      const job = yield* claim
      assert.isAtMost(job.retry!.until!, Date.now() + 1)
    })
  )
})

/** Where a process may die in a batch: the step, before it or after it took effect. */
const crashes = ["page", "commit"].flatMap((step) =>
  (["before", "after"] as const).flatMap((when) => [1, 2, 3].map((batch) => ({ step, when, batch })))
)

const dying = Effect.fnUntraced(function* (
  { step, when, batch }: (typeof crashes)[number],
  died: Latch.Latch
) {
  let calls = 0
  const dead = Effect.andThen(Latch.open(died), Effect.never)
  const at =
    (name: string) =>
    <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        if (name !== step || ++calls !== batch) return call
        return when === "before" ? dead : Effect.andThen(call, dead)
      })
  const retries = yield* RetryWork
  const work = yield* ReplayWork
  return Context.mergeAll(
    Context.make(RetryWork, {
      ...retries,
      page: (...asked) => at("page")(retries.page(...asked)),
      retry: (...asked) => at("commit")(retries.retry(...asked))
    }),
    // A process that is gone gives nothing back.
    Context.make(ReplayWork, { ...work, release: () => Effect.void })
  )
})

const expireLease = (id: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE replay_jobs SET lease_until = now() - interval '1 second' WHERE id = ${id}`
  )

describe("a worker of a retry job that dies", () => {
  for (const crash of crashes)
    test(
      `${crash.when} its ${crash.step}, batch ${crash.batch}: another worker resumes, and each delivery is queued once`,
      Effect.gen(function* () {
        const { webhookId, made } = yield* makeDeliveries(SOME, (i) => (i % 3 === 0 ? "retrying" : "failed"))
        const id = yield* queueRetry(webhookId)
        const job = yield* claim
        const died = Latch.makeUnsafe()
        const fiber = yield* Effect.forkScoped(runJob(job).pipe(Effect.provide(yield* dying(crash, died))))
        yield* Latch.await(died)
        yield* Fiber.interrupt(fiber)
        yield* expireLease(id)
        yield* run
        yield* assertRetried(webhookId, made)
        assert.deepInclude(yield* jobRow(id), { status: "completed", processed_events: made.length })
      })
    )

  test(
    "inside its transaction leaves nothing of the batch: no state, no work, no progress",
    Effect.gen(function* () {
      const { webhookId, made } = yield* makeDeliveries(20, mixed)
      const id = yield* queueRetry(webhookId)
      const outbox = yield* Outbox
      const store = yield* DeliveryStore
      const before = yield* store.states(made.map((one) => one.id))
      const died = Latch.makeUnsafe()
      const retries = yield* RetryWork.make.pipe(
        Effect.provideService(Outbox, {
          ...outbox,
          insert: (records) =>
            Effect.andThen(outbox.insert(records), Effect.andThen(Latch.open(died), Effect.never))
        })
      )
      const job = yield* claim
      const fiber = yield* Effect.forkScoped(runJob(job).pipe(Effect.provideService(RetryWork, retries)))
      yield* Latch.await(died)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* store.states(made.map((one) => one.id)), before)
      assert.deepStrictEqual(yield* queuedRetries(webhookId), [])
      assert.deepInclude(yield* jobRow(id), { processed_events: 0 })
      yield* run
      yield* assertRetried(webhookId, made.filter(isRetryable))
    })
  )

  test(
    "and wakes up after another took the job changes nothing",
    Effect.gen(function* () {
      const { webhookId, made } = yield* makeDeliveries(20, alwaysFailed)
      const id = yield* queueRetry(webhookId)
      const slow = yield* claim
      yield* expireLease(id)
      yield* run
      const retries = yield* RetryWork
      const page = yield* retries.page(slow, slow.retry!, "")
      assert.deepStrictEqual(page.deliveries, [])
      const batch = {
        deliveries: made.map(({ id: deliveryId, event }) => ({ id: deliveryId, event })),
        gone: 0,
        fromId: "",
        nextId: ""
      }
      const result = yield* retries.retry(slow, slow.retry!, batch, null, Date.now())
      assert.deepStrictEqual(result, { ownership: "lost", queued: [], cut: false })
      yield* assertRetried(webhookId, made)
      assert.deepInclude(Option.getOrThrow(yield* (yield* ReplayStore).find(owner, id)), {
        processed_events: made.length
      })
    })
  )
})
