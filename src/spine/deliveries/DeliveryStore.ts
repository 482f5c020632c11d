/**
 * Writes deliveries. Their rows are the truth about a delivery's state. A method takes a batch. Each of its statements
 * takes effect whole or not at all, and may be repeated after an unknown result: existing rows are not made again, an
 * attempt is recorded once, and failure counters and usage change only with a row that changes. A row that PostgreSQL
 * refuses becomes a dead letter; the others are written. The backlog is the rows with `parked`.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import type { EventPosition } from "../domain/Backfill.ts"
import type { DeliveryStatus } from "../domain/Delivery.ts"
import type { Network } from "../event/Network.ts"
import { DAY_MS } from "../log/TimePartitions.ts"
import { column } from "../store/Columns.ts"
import { type DeadLetter, isDataError, makeDeadLetters } from "../store/DeadLetters.ts"
import { type DeliveryId, firstIdAt, idTime, type WebhookId } from "../words/Ids.ts"
import { Partitions } from "./Partitions.ts"
import { recordAttempts, recordFirstAttempts } from "./RecordAttempts.ts"
import {
  type AttemptRecord,
  endQueued,
  type FirstAttempt,
  insertPending,
  moveRangeToBacklog,
  moveToBacklog,
  type NewDelivery
} from "./Transitions.ts"

/** The part of a row that decides whether work is current. */
export interface DeliveryState {
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly parked: boolean
  /** Unix milliseconds. Null unless `retrying`. */
  readonly nextAttemptAt: number | null
  /** How long before its next attempt the row was last changed. */
  readonly nextDelayMs: number | null
  readonly isTest: boolean
}

/** The part of a webhook's backlog that is read: all live deliveries, only the free live ones, or replayed ones. */
export type BacklogKind = "live" | "free" | "replays"

export interface BacklogDelivery {
  readonly id: string
  readonly network: Network
  /** Null for test deliveries: they have `testEvent` instead. */
  readonly position: EventPosition | null
  /** A `LedgerEvent` in JSON. */
  readonly testEvent: string | null
  readonly attempts: number
  readonly seriesStart: number
  /** See `DeliveryState`. */
  readonly nextAttemptAt: number | null
  readonly nextDelayMs: number | null
}

/** Work that waits, and its row if that may not exist. */
export interface WaitingWork {
  readonly deliveryId: DeliveryId
  readonly attempt: number
  readonly row?: NewDelivery | undefined
}

const DUE = `(extract(epoch FROM next_attempt_at) * 1000)::float8 AS "nextAttemptAt",
  (extract(epoch FROM next_attempt_at - updated_at) * 1000)::float8 AS "nextDelayMs"`

export class DeliveryStore extends Context.Service<DeliveryStore>()("ledgerhook/storage/DeliveryStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const deadLetters = yield* makeDeadLetters
    const partitions = yield* Partitions
    const at = (unixMs: number) => new Date(unixMs).toISOString()
    // Retention in another process may have dropped a table partition that is known here.
    const forgetAfterError = Effect.onError(() => partitions.forget)

    /** In batches: there may be a million rows. */
    const failBacklog = Effect.fnUntraced(function* (ids: Statement.Fragment, reason: string, nowMs: number) {
      let failed = 0
      for (;;) {
        const batch = sql`
          FROM (${ids} LIMIT ${Limits.statementRows}) AS ended WHERE d.id = ANY(ARRAY[ended.id]) AND d.parked`
        const ended = yield* endQueued(sql, batch, reason, nowMs)
        failed += ended
        if (ended < Limits.statementRows) return failed
      }
    })

    /** Makes the table partitions of these deliveries: an id begins with the time at which its event was detected. */
    const ensureDays = (rows: ReadonlyArray<NewDelivery>) => {
      // Not the whole range of time: one event with a wrong time must not make thousands of partitions.
      const days = new Set(rows.map(({ id }) => partitions.startOf(idTime(id))))
      return Effect.forEach(days, (day) => partitions.ensure(day, day), { discard: true })
    }

    /**
     * Inserts rows as `pending`; existing rows stay unchanged. Returns the ids of rows that PostgreSQL refuses, which
     * are dead letters.
     */
    const insert = Effect.fnUntraced(function* (rows: ReadonlyArray<NewDelivery>, nowMs: number) {
      if (rows.length === 0) return new Set<string>()
      yield* ensureDays(rows)
      const { deadLetters: notStored } = yield* deadLetters.write({
        stage: rows[0]?.replayJobId === undefined ? "deliver" : "replay",
        records: rows,
        describe: (row) => ({
          source: `${row.eventId} for ${row.replayJobId ?? row.webhookId}`,
          text: JSON.stringify(row)
        }),
        statement: (some) => insertPending(sql, some, nowMs)
      })
      return new Set(notStored.map(({ id }) => id))
    }, forgetAfterError)

    const record = Effect.fnUntraced(function* (ended: ReadonlyArray<AttemptRecord>, disableAfter: number) {
      const { rows } = yield* deadLetters.write({
        stage: "deliver",
        records: ended,
        describe: (attempt) => ({
          source: `attempt ${attempt.attempt} of ${attempt.deliveryId}`,
          text: JSON.stringify(attempt)
        }),
        statement: (attempts) => recordAttempts(sql, attempts, disableAfter)
      })
      return rows
    })

    const unwrittenOf = (works: ReadonlyArray<{ readonly row?: NewDelivery | undefined }>) =>
      works.flatMap(({ row }) => row ?? [])

    const fail = (ids: ReadonlyArray<string>, reason: string, nowMs: number) =>
      Effect.asVoid(endQueued(sql, sql`WHERE id = ANY(${column(ids)}::text[])`, reason, nowMs))

    // Jumps from one webhook id to the next in the index: one webhook may have a million rows.
    const nextInBacklog = (more: string) => sql`(
      SELECT webhook_id FROM deliveries WHERE parked ${sql.literal(more)} ORDER BY webhook_id LIMIT 1)`
    const webhooksWithBacklog = sql<{ readonly webhook_id: WebhookId }>`
      WITH RECURSIVE waiting AS (
        ${nextInBacklog("")}
        UNION ALL
        SELECT ${nextInBacklog("AND webhook_id > waiting.webhook_id")} FROM waiting WHERE webhook_id IS NOT NULL
      )
      SELECT webhook_id FROM waiting WHERE webhook_id IS NOT NULL`.pipe(
      Effect.map((rows) => rows.map((row) => row.webhook_id))
    )

    return {
      insertPending: insert,

      /** Stores records of the work topics that are no work. */
      putDeadLetters: (records: ReadonlyArray<DeadLetter>) => deadLetters.put("deliver", records),

      states: (ids: ReadonlyArray<string>) =>
        sql<DeliveryState & { readonly id: string }>`
          SELECT id, status, attempts, parked,
                 test_event IS NOT NULL AS "isTest", ${sql.literal(DUE)}
          FROM deliveries WHERE id = ANY(${column(ids)}::text[])`.unprepared.pipe(
          Effect.map((rows) => new Map(rows.map(({ id, ...state }) => [id, state])))
        ),

      /** Records attempts. Returns webhooks whose consecutive failures have reached `disableAfter`. */
      record,

      /** The same for the first attempts of deliveries without a row. The rows are made. */
      recordFirst: Effect.fnUntraced(function* (ended: ReadonlyArray<FirstAttempt>, disableAfter: number) {
        yield* ensureDays(unwrittenOf(ended))
        return yield* recordFirstAttempts(sql, ended, disableAfter).pipe(
          // A row exists: its record was in the log twice, it had waited, or this statement's result was unknown.
          Effect.catchIf(isDataError, () =>
            Effect.gen(function* () {
              yield* insert(unwrittenOf(ended), yield* Clock.currentTimeMillis)
              return yield* record(
                ended.map(({ attempt }) => attempt),
                disableAfter
              )
            })
          )
        )
      }, forgetAfterError),

      /**
       * Moves deliveries to the backlog of the lane that spills them: the same lane reads them back. Rows that do not
       * exist are made. A row whose attempt has been recorded meanwhile stays as it is.
       */
      moveToBacklog: Effect.fnUntraced(function* (
        works: ReadonlyArray<WaitingWork>,
        lane: Exclude<BacklogKind, "free">
      ) {
        yield* insert(unwrittenOf(works), yield* Clock.currentTimeMillis)
        yield* moveToBacklog(sql, works, lane === "replays")
      }),

      /** Ends deliveries without an attempt. */
      fail,

      /** The same for deliveries whose rows may not exist: they are made. */
      failUnwritten: Effect.fnUntraced(function* (
        works: ReadonlyArray<WaitingWork>,
        reason: string,
        nowMs: number
      ) {
        yield* insert(unwrittenOf(works), nowMs)
        const ids = works.map(({ deliveryId }) => deliveryId)
        yield* fail(ids, reason, nowMs)
      }),

      webhooksWithBacklog,

      /**
       * All pending and retrying deliveries, before anything is read from the log. A day at a time, because there is no
       * index of them: one statement for all days would read the whole table.
       */
      moveAllToBacklog: Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        let day = (yield* partitions.oldest) ?? now
        for (; day + DAY_MS <= now; day += DAY_MS)
          yield* moveRangeToBacklog(sql, firstIdAt("dlv_", day), firstIdAt("dlv_", day + DAY_MS))
        yield* moveRangeToBacklog(sql, firstIdAt("dlv_", day))
      }),

      /** The webhook's backlog after `afterId`, in id order. */
      backlogPage: (
        webhookId: WebhookId,
        kind: BacklogKind,
        afterId: string,
        limit: number
      ): Effect.Effect<ReadonlyArray<BacklogDelivery>, SqlError.SqlError> =>
        sql<BacklogDelivery>`
          SELECT id, network, test_event AS "testEvent", attempts, series_start AS "seriesStart",
                 ${sql.literal(DUE)},
                 CASE WHEN event_offset IS NOT NULL
                   THEN jsonb_build_object('fromHistory', from_history, 'offset', event_offset, 'eventId', event_id) END AS position
          FROM deliveries
          WHERE parked AND webhook_id = ${webhookId} AND id > ${afterId} AND status IN ('pending', 'retrying')
            AND after_live = ${kind === "replays"}
            ${kind === "free" ? sql`AND test_event IS NOT NULL` : sql``}
          ORDER BY id LIMIT ${limit}`,

      /** When the oldest delivery of the backlog was made, in Unix milliseconds. */
      oldestInBacklog: Effect.map(
        sql<{ readonly id: string | null }>`
          SELECT min(id) AS id FROM deliveries WHERE parked AND status IN ('pending', 'retrying')`,
        ([row]) => Option.map(Option.fromNullishOr(row?.id), idTime)
      ),

      /** Ends deliveries of the backlog that were made before `beforeMs`; returns how many. */
      failBacklogBefore: (beforeMs: number, reason: string, nowMs: number) =>
        failBacklog(
          sql`SELECT id FROM deliveries WHERE parked AND id < ${firstIdAt("dlv_", beforeMs)}`,
          reason,
          nowMs
        ),

      /**
       * Ends the backlog of webhooks that were disabled before `beforeMs`; returns how many deliveries. Of a paused
       * webhook, only deliveries that were made, or retried by hand, before that time too.
       */
      failBacklogOf: Effect.fnUntraced(function* (
        why: "disabled" | "paused",
        beforeMs: number,
        reason: string,
        nowMs: number
      ) {
        const before = sql`${at(beforeMs)}::timestamptz`
        const [tooLong, tooOld] =
          why === "disabled"
            ? [sql`status = 'disabled' AND disabled_at < ${before}`, sql`true`]
            : [
                sql`status = 'active' AND paused_at < ${before}`,
                sql`id < ${firstIdAt("dlv_", beforeMs)} AND coalesce(next_attempt_at < ${before}, true)`
              ]
        const webhooks = yield* sql<{ readonly id: string }>`
          SELECT id FROM webhooks WHERE id = ANY(${column(yield* webhooksWithBacklog)}::text[]) AND ${tooLong}`
        let failed = 0
        for (const { id } of webhooks) {
          const ids = sql`
            SELECT id FROM deliveries WHERE parked AND webhook_id = ${id} AND ${tooOld}
              AND (SELECT ${tooLong} FROM webhooks WHERE id = ${id})`
          failed += yield* failBacklog(ids, reason, nowMs)
        }
        return failed
      })
    }
  })
}) {
  static readonly layer = Layer.effect(DeliveryStore, DeliveryStore.make).pipe(
    Layer.provide(Partitions.layer)
  )
}
