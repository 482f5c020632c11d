/**
 * Incidents: spans in which a webhook was failing. deliveries/FailureRuns.ts begins them, and ends them when the webhook
 * answers. This file ends them if a webhook is disabled or deleted.
 */

import type { SqlClient } from "effect/sql"
import type { IncidentEnd } from "../domain/HealthState.ts"
import { column } from "../store/Columns.ts"
import type { WebhookId } from "../words/Ids.ts"

/** The assignments that end a webhook's run of failures when it is enabled. */
export const RUN_RESET = `
  failing_since = NULL, failed_attempts = 0, failed_deliveries = 0, last_failed_at = NULL, last_error = NULL,
  failing_from = NULL`

/** Ends the open incidents of these webhooks. */
export const endIncidents = (
  sql: SqlClient.SqlClient,
  webhookIds: ReadonlyArray<WebhookId>,
  endedBy: IncidentEnd,
  nowMs: number
) => {
  const at = sql`${new Date(nowMs).toISOString()}::timestamptz`
  return sql`
    WITH ended AS (
      UPDATE webhooks SET incident_ended_at = ${at}
      WHERE id = ANY(${column(webhookIds)}::text[]) AND incident_id IS NOT NULL AND incident_ended_at IS NULL
      RETURNING incident_id
    )
    UPDATE incidents i SET ended_at = greatest(${at}, began_at), ended_by = ${endedBy}
    FROM ended WHERE i.id = ended.incident_id AND i.ended_at IS NULL`
}
