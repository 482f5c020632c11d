/**
 * Writes deliveries. Their rows are the truth about a delivery's state. Every method takes a batch and is one
 * statement, so it takes effect whole or not at all, and may be repeated after an unknown result: existing rows are
 * not made again, an attempt is recorded once, and failure counters and usage change only with a row that changes. A
 * row that PostgreSQL refuses goes to the quarantine; the others are written. The backlog is the rows with `parked`.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import type { DeliveryStatus } from "../../domain/Delivery.ts"
import type { EventPosition } from "../../domain/History.ts"
import { firstIdAt, idTime } from "../../domain/Ids.ts"
import type { Network } from "../../domain/Network.ts"
import { column } from "../Columns.ts"
import { makeQuarantine, type Refused } from "../Quarantine.ts"
import {
  type AttemptRecord,
  endQueued,
  insertPending,
  type NewDelivery,
  recordAttempts,
  spill
} from "./Transitions.ts"

/** The part of a row that decides whether work is current. */
export interface DeliveryState {
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly seriesStart: number
  readonly parked: boolean
  /** Unix milliseconds. Null unless `retrying`. */
  readonly nextAttemptAt: number | null
  /** How long before its next attempt the row was last changed. */
  readonly nextDelayMs: number | null
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
}

export interface UnattemptedDelivery {
  readonly id: string
  readonly webhookId: string
  readonly eventOffset: number
}

export class DeliveryStore extends Context.Service<DeliveryStore>()("ledgerhook/storage/DeliveryStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const quarantine = yield* makeQuarantine
    const at = (unixMs: number) => new Date(unixMs).toISOString()

    /** In batches: there may be a million rows. */
    const failBacklog = Effect.fnUntraced(function* (ids: Statement.Fragment, reason: string, nowMs: number) {
      let failed = 0
      for (;;) {
        const batch = sql`
          FROM (${ids} LIMIT ${Limits.queueEndBatch}) AS ended WHERE d.id = ANY(ARRAY[ended.id]) AND d.parked`
        const ended = yield* endQueued(sql, batch, reason, nowMs)
        failed += ended
        if (ended < Limits.queueEndBatch) return failed
      }
    })

    // Jumps from one webhook id to the next in the index: one webhook may have a million rows.
    const nextInBacklog = (more: string) => sql`(
      SELECT webhook_id FROM deliveries WHERE parked ${sql.literal(more)} ORDER BY webhook_id LIMIT 1)`
    const webhooksWithBacklog = sql<{ readonly webhook_id: string }>`
      WITH RECURSIVE waiting AS (
        ${nextInBacklog("")}
        UNION ALL
        SELECT ${nextInBacklog("AND webhook_id > waiting.webhook_id")} FROM waiting WHERE webhook_id IS NOT NULL
      )
      SELECT webhook_id FROM waiting WHERE webhook_id IS NOT NULL`.pipe(
      Effect.map((rows) => rows.map((row) => row.webhook_id))
    )

    return {
      /**
       * Inserts rows as `pending`; existing rows stay unchanged. Returns the ids of rows that PostgreSQL refuses,
       * which are in the quarantine.
       */
      insertPending: (queued: ReadonlyArray<NewDelivery>, nowMs: number) =>
        quarantine
          .write({
            stage: queued[0]?.replayJobId === undefined ? "route" : "replay",
            records: queued,
            describe: (row) => ({
              source: `${row.eventId} for ${row.replayJobId ?? row.webhookId}`,
              text: JSON.stringify(row)
            }),
            statement: (deliveries) => insertPending(sql, deliveries, nowMs)
          })
          .pipe(Effect.map(({ refused }) => new Set(refused.map(({ id }) => id)))),

      // An id begins with the time at which its event was detected.
      /** Live deliveries without an attempt, for events at these offsets that were detected between the two times. */
      unattempted: (
        network: Network,
        eventOffsets: ReadonlyArray<number>,
        detectedFromMs: number,
        detectedToMs: number
      ) =>
        sql<UnattemptedDelivery>`
          SELECT id, webhook_id AS "webhookId", event_offset::float8 AS "eventOffset" FROM deliveries
          WHERE id >= ${firstIdAt("dlv_", detectedFromMs)} AND id < ${firstIdAt("dlv_", detectedToMs + 1)}
            AND event_offset = ANY(${column(eventOffsets)}::bigint[]) AND network = ${network}
            AND replay_job_id IS NULL AND status = 'pending' AND attempts = 0
          ORDER BY id`,

      /** Stores records of the work topics that are no work. */
      quarantine: (records: ReadonlyArray<Refused>) => quarantine.put("deliver", records),

      states: (ids: ReadonlyArray<string>) =>
        sql<DeliveryState & { readonly id: string }>`
          SELECT id, status, attempts, series_start AS "seriesStart", parked,
                 (extract(epoch FROM next_attempt_at) * 1000)::float8 AS "nextAttemptAt",
                 (extract(epoch FROM next_attempt_at - updated_at) * 1000)::float8 AS "nextDelayMs"
          FROM deliveries WHERE id = ANY(${column(ids)}::text[])`.pipe(
          Effect.map((rows) => new Map(rows.map(({ id, ...state }) => [id, state])))
        ),

      /** Records attempts. Returns webhooks whose consecutive failures have reached `disableAfter`. */
      record: (ended: ReadonlyArray<AttemptRecord>, disableAfter: number) =>
        quarantine
          .write({
            stage: "deliver",
            records: ended,
            describe: (attempt) => ({
              source: `attempt ${attempt.attempt} of ${attempt.deliveryId}`,
              text: JSON.stringify(attempt)
            }),
            statement: (attempts) => recordAttempts(sql, attempts, disableAfter)
          })
          .pipe(Effect.map(({ rows }) => rows.flatMap(({ id }) => (id === null ? [] : [id])))),

      /** Moves deliveries to the backlog of the lane that spills them: the same lane reads them back. */
      spill: (ids: ReadonlyArray<string>, lane: Exclude<BacklogKind, "free">) =>
        spill(sql, ids, lane === "replays"),

      /** Ends deliveries without an attempt. */
      fail: (ids: ReadonlyArray<string>, reason: string, nowMs: number) =>
        Effect.asVoid(endQueued(sql, sql`WHERE id = ANY(${column(ids)}::text[])`, reason, nowMs)),

      webhooksWithBacklog,

      /** The webhook's backlog after `afterId`, in id order. */
      backlogPage: (
        webhookId: string,
        kind: BacklogKind,
        afterId: string,
        limit: number
      ): Effect.Effect<ReadonlyArray<BacklogDelivery>, SqlError.SqlError> =>
        sql<BacklogDelivery>`
          SELECT id, network, test_event AS "testEvent", attempts, series_start AS "seriesStart",
                 CASE WHEN event_offset IS NOT NULL
                   THEN jsonb_build_object('fromHistory', from_history, 'offset', event_offset) END AS position
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

      /** Ends the backlog of webhooks that were disabled before `beforeMs`; returns how many deliveries. */
      failBacklogOfDisabled: Effect.fnUntraced(function* (beforeMs: number, reason: string, nowMs: number) {
        const tooLong = sql`status = 'disabled' AND disabled_at < ${at(beforeMs)}::timestamptz`
        const webhooks = yield* sql<{ readonly id: string }>`
          SELECT id FROM webhooks WHERE id = ANY(${column(yield* webhooksWithBacklog)}::text[]) AND ${tooLong}`
        let failed = 0
        for (const { id } of webhooks) {
          const ids = sql`
            SELECT id FROM deliveries WHERE parked AND webhook_id = ${id}
              AND (SELECT ${tooLong} FROM webhooks WHERE id = ${id})`
          failed += yield* failBacklog(ids, reason, nowMs)
        }
        return failed
      })
    }
  })
}) {
  static readonly layer = Layer.effect(DeliveryStore, DeliveryStore.make)
}
