/** What the rows say of a webhook's live deliveries that wait, for its progress (progress/WebhookProgress.ts). */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { column } from "../../spine/store/Columns.ts"
import { type DeliveryId, type EventId, firstIdAt, type WebhookId } from "../../spine/words/Ids.ts"
import { INDEXED, UNFINISHED } from "../webhooks/WebhookHealthQueries.ts"
import { progressLimits } from "./Limits.ts"

export interface WorkRow {
  /** It is a live delivery that is not delivered and has not failed. */
  readonly waits: boolean
  /** The index of what waits has it. */
  readonly isIndexed: boolean
}

export interface IndexedDeliveries {
  /** False after an update until upkeep has built the index. Then the rest is empty. */
  readonly isIndexed: boolean
  /** At most `progressLimits.progressCounted`. */
  readonly count: number
  readonly oldest: IndexedDelivery | undefined
  /** The oldest of those that were made at `sinceMs` or later. */
  readonly oldestSince: IndexedDelivery | undefined
}

export interface IndexedDelivery {
  readonly deliveryId: DeliveryId
  readonly eventId: EventId
}

interface Row {
  readonly isIndexed: boolean
  readonly count: number
  readonly id: string | null
  readonly event: string | null
  readonly sinceId: string | null
  readonly sinceEvent: string | null
}

const deliveryOf = (id: string | null, event: string | null): IndexedDelivery | undefined =>
  id === null || event === null ? undefined : { deliveryId: id, eventId: event }

export const makeUnfinishedDeliveries = Effect.map(SqlClient.SqlClient, (sql) => {
  const waiting = (webhookId: WebhookId) =>
    sql`deliveries WHERE webhook_id = ${webhookId} AND ${sql.literal(UNFINISHED)} AND ${sql.literal(INDEXED)}`
  return {
    /** The rows of these deliveries that exist. */
    rowsOf: (ids: ReadonlyArray<string>) =>
      ids.length === 0
        ? Effect.succeed(new Map<string, WorkRow>())
        : Effect.map(
            sql<WorkRow & { readonly id: string }>`
              SELECT id, status IN ('pending', 'retrying') AND replay_job_id IS NULL AND test_event IS NULL AS waits,
                     parked OR next_attempt_at IS NOT NULL AS "isIndexed"
              FROM deliveries WHERE id = ANY(${column(ids)}::text[])`,
            (rows) => new Map(rows.map(({ id, ...row }) => [id, row]))
          ),

    /** Those of the webhook that are in the backlog, between two attempts, or retried by hand. */
    indexed: (webhookId: WebhookId, sinceMs: number) =>
      sql<Row>`
        SELECT ${sql.literal(INDEXED)} AS "isIndexed", oldest.id, oldest.event_id AS event, since.id AS "sinceId",
               since.event_id AS "sinceEvent", (
                 SELECT count(*)::int
                 FROM (SELECT FROM ${waiting(webhookId)} LIMIT ${progressLimits.progressCounted}) AS counted
               ) AS count
        FROM (VALUES (1)) AS one
        LEFT JOIN LATERAL (
          SELECT id, event_id FROM ${waiting(webhookId)} ORDER BY id LIMIT 1
        ) AS oldest ON true
        LEFT JOIN LATERAL (
          SELECT id, event_id FROM ${waiting(webhookId)} AND id >= ${firstIdAt("dlv_", sinceMs)} ORDER BY id LIMIT 1
        ) AS since ON true`.pipe(
        Effect.map(([row]): IndexedDeliveries => {
          const { count, event, id, isIndexed, sinceEvent, sinceId } = row!
          return {
            isIndexed,
            count,
            oldest: deliveryOf(id, event),
            oldestSince: deliveryOf(sinceId, sinceEvent)
          }
        })
      )
  }
})
