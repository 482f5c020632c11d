/** The newest answer of each webhook, or why there was none, for lists. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { column } from "../../spine/store/Columns.ts"
import type { WebhookId } from "../../spine/words/Ids.ts"

/** Among so many of a webhook's newest deliveries. Those of one that is held have no attempt. */
const NEWEST = 50

export interface LastAnswer {
  readonly id: WebhookId
  /** ISO 8601, as the driver returns it. */
  readonly at: string
  readonly response_status: number | null
  /** Null if the attempt delivered. */
  readonly error: string | null
}

/** By webhook. Test events count. A webhook without an attempt among its newest deliveries is left out. */
export const lastAnswers = (
  sql: SqlClient.SqlClient,
  webhookIds: ReadonlyArray<WebhookId>
): Effect.Effect<ReadonlyMap<string, LastAnswer>, SqlError.SqlError> =>
  sql<LastAnswer>`
    SELECT w.id, last.* FROM unnest(${column(webhookIds)}::text[]) AS w (id), LATERAL (
      SELECT updated_at AS at, response_status, CASE WHEN status <> 'delivered' THEN last_error END AS error
      FROM (
        SELECT updated_at, response_status, status, last_error, attempts FROM deliveries
        WHERE webhook_id = w.id ORDER BY webhook_id, id DESC LIMIT ${NEWEST}
      ) AS newest WHERE attempts > 0 ORDER BY updated_at DESC LIMIT 1
    ) AS last`.pipe(Effect.map((rows) => new Map(rows.map((row) => [row.id, row]))))
