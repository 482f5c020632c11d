/**
 * Finds the deliveries of some events to some webhooks: live deliveries by their ids, and the newest replayed
 * deliveries.
 */
import type { SqlClient } from "effect/sql"
import { BY_EVENT } from "../../spine/deliveries/DeliveryPages.ts"
import type { DeliveryStatus } from "../../spine/domain/Delivery.ts"
import { column } from "../../spine/store/Columns.ts"
import { type EventId, firstIdAt, type WebhookId } from "../../spine/words/Ids.ts"

export interface FoundDelivery {
  readonly id: string
  readonly webhookId: WebhookId
  readonly eventId: EventId
  readonly status: DeliveryStatus
}

/**
 * `liveIds`: ids of deliveries of the ledger that was taken at `takenAt`. Replays add at most one row per event and
 * webhook.
 */
export const deliveriesToExplain = (
  sql: SqlClient.SqlClient,
  liveIds: ReadonlyArray<string>,
  takenAt: number,
  eventIds: ReadonlyArray<EventId>,
  webhookIds: ReadonlyArray<WebhookId>
) => {
  const columns = sql`id, webhook_id AS "webhookId", event_id AS "eventId", status`
  return sql<FoundDelivery>`
    (SELECT ${columns} FROM deliveries
     WHERE id = ANY(${column(liveIds)}::text[])
       AND id >= ${firstIdAt("dlv_", takenAt)} AND id < ${firstIdAt("dlv_", takenAt + 1)})
    UNION ALL
    (SELECT DISTINCT ON ("eventId", "webhookId") found.*
     FROM unnest(${column(eventIds)}::text[]) AS event (id) CROSS JOIN LATERAL (
       SELECT ${columns} FROM deliveries WHERE event_id = event.id AND ${sql.literal(BY_EVENT)}
     ) AS found
     WHERE "webhookId" = ANY(${column(webhookIds)}::text[])
     ORDER BY "eventId", "webhookId", found.id DESC)`
}
