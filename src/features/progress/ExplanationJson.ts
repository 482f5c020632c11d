/** An explanation as the API and the command line show it. */
import { iso } from "../../spine/words/IsoTime.ts"
import type { Explanation } from "./Explanations.ts"

export const explanationJson = (transaction: string, explanation: Explanation) => {
  const marker = explanation.ledger?.marker
  return {
    transaction,
    ledger:
      marker === undefined
        ? null
        : {
            index: marker.ledger_index,
            taken_at: iso(marker.detected_at),
            ...(marker.skipped !== undefined && { skipped: marker.skipped })
          },
    events: explanation.events.map(({ event, webhooks }) => ({
      event_id: event.event_id,
      event_type: event.event_type,
      webhooks: webhooks.map(({ webhookId, wanted, reason, delivery }) => ({
        webhook_id: webhookId,
        wanted,
        reason,
        delivery: delivery === undefined ? null : { id: delivery.id, status: delivery.status }
      }))
    })),
    events_count: explanation.eventCount,
    webhooks_count: explanation.webhookCount
  }
}
