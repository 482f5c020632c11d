/**
 * The SQL of a retry job's worker. One SQL transaction stores a batch: the deliveries' new states, their work in the
 * outbox and the job's progress. A crash therefore leaves all of a batch or nothing, and the next owner resumes after
 * the last whole batch. The transaction locks each delivery and checks its state again, so a delivery that was
 * delivered since the batch was read stays unchanged.
 */

import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import { nameRetryJob, type RetriedDelivery, retryNow } from "../../spine/deliveries/Transitions.ts"
import { type DeliveryWork, newWork, REPLAYS_TOPIC } from "../../spine/domain/Delivery.ts"
import type { RetryFilters, RetryStatus } from "../../spine/domain/Replay.ts"
import type { LedgerEvent } from "../../spine/event/LedgerEvent.ts"
import { column } from "../../spine/store/Columns.ts"
import { Outbox } from "../../spine/store/outbox/Outbox.ts"
import { replayLimits } from "./Limits.ts"
import type { ClaimedJob, JobOwnership } from "./ReplayWork.ts"
import { idAfter, retryablePage } from "./Retryable.ts"

export interface RetryBatch {
  /** The deliveries to retry, in id order. */
  readonly deliveries: ReadonlyArray<{ readonly id: string; readonly event: LedgerEvent }>
  /** Deliveries whose events are no longer retained. */
  readonly gone: number
  /** The ids at which this batch and the next one begin. */
  readonly fromId: string
  readonly nextId: string
}

export interface RetriedBatch {
  readonly ownership: JobOwnership
  /** The deliveries whose work this batch has queued. */
  readonly queued: ReadonlyArray<RetriedDelivery>
  /** The quota does not allow the rest of the batch. */
  readonly cut: boolean
}

export class RetryWork extends Context.Service<RetryWork>()("ledgerhook/storage/RetryWork", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const outbox = yield* Outbox

    const lock = Effect.fnUntraced(function* ({ id, owner }: ClaimedJob) {
      const [job] = yield* sql<{ readonly cancelled: boolean }>`
        SELECT cancelled_at IS NOT NULL AS cancelled FROM replay_jobs
        WHERE id = ${id} AND owner = ${owner} AND status = 'running' FOR UPDATE`
      return job === undefined ? "lost" : job.cancelled ? "cancelled" : "held"
    })

    return {
      page: (job: ClaimedJob, filters: RetryFilters, fromId: string) =>
        retryablePage(sql, job, filters, fromId, replayLimits.replayBatchEvents),

      /**
       * `quotaLeft`: how many more failed deliveries the quota allows. The quota counts retrying deliveries already.
       */
      retry: Effect.fnUntraced(function* (
        job: ClaimedJob,
        { statuses }: RetryFilters,
        batch: RetryBatch,
        quotaLeft: number | null,
        nowMs: number
      ) {
        const ownership = yield* lock(job)
        if (ownership !== "held") return { ownership, queued: [], cut: false } satisfies RetriedBatch
        const ids = batch.deliveries.map(({ id }) => id)
        // Every writer locks rows in id order, so writers cannot deadlock.
        const rows = yield* sql<{ readonly id: string; readonly status: RetryStatus }>`
          SELECT id, status FROM deliveries
          WHERE id = ANY(${column(ids)}::text[]) AND status = ANY(${column(statuses)}::text[])
          ORDER BY id FOR UPDATE`
        let left = quotaLeft ?? Number.POSITIVE_INFINITY
        const end = rows.findIndex(({ status }) => status === "failed" && --left < 0)
        const taken = (end === -1 ? rows : rows.slice(0, end)).map(({ id }) => id)
        const queued = yield* retryNow(sql, taken, nowMs, job.id)
        yield* nameRetryJob(sql, taken, job.id)
        yield* sql`
          INSERT INTO retried_deliveries SELECT ${job.id}, unnest(${column(taken)}::text[]) ON CONFLICT DO NOTHING`
        const numbers = new Map(queued.map((one) => [one.id, one]))
        const records = batch.deliveries.flatMap(({ id, event }) => {
          const found = numbers.get(id)
          if (found === undefined) return []
          const work = newWork(id, job.webhookId, event, found.attempt, found.seriesAttempt)
          const value = JSON.stringify({ ...work, replay: true, manual: true } satisfies DeliveryWork)
          return [{ topic: REPLAYS_TOPIC, key: job.webhookId, value }]
        })
        const cut = end !== -1
        const last = taken.at(-1)
        const nextId = !cut ? batch.nextId : last === undefined ? batch.fromId : idAfter(last)
        yield* sql`
          UPDATE replay_jobs SET processed_events = processed_events + ${taken.length},
            failed_events = failed_events + ${cut ? 0 : batch.gone}, next_delivery_id = ${nextId},
            lease_until = clock_timestamp() + ${Limits.leaseMs} * interval '1 millisecond'
          WHERE id = ${job.id}`
        // This is the last statement, because it blocks other writers of the outbox until the transaction ends.
        if (records.length > 0) yield* outbox.insert(records)
        return { ownership, queued, cut } satisfies RetriedBatch
      }, sql.withTransaction),

      /** Counts the deliveries whose queued attempt has not been recorded yet. */
      waiting: (queued: ReadonlyArray<RetriedDelivery>) => {
        const ids = column(queued.map(({ id }) => id))
        return sql<{ readonly count: number }>`
          SELECT count(*)::int AS count
          FROM unnest(${ids}::text[], ${column(queued.map(({ attempt }) => attempt))}::int[]) AS queued (id, attempt)
          JOIN deliveries d ON d.id = queued.id
          WHERE d.id = ANY(${ids}::text[]) AND d.attempts < queued.attempt
            AND d.status IN ('pending', 'retrying')`.unprepared.pipe(Effect.map(([row]) => row!.count))
      }
    }
  })
}) {
  static readonly layer = Layer.effect(RetryWork, RetryWork.make)
}
