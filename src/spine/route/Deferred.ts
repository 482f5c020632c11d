/**
 * Deliveries of events that more webhooks want than fit a transaction. Route queues them in parts, and routes the
 * events behind them meanwhile, so other webhooks do not wait. A webhook that has a deferred delivery gets its later
 * ones behind it, so its deliveries stay in ledger order. In memory only: the offset of the first unfinished event is
 * not committed, so a restart reads it again.
 */

import type { LedgerEvent } from "../event/LedgerEvent.ts"
import type { LogRecord } from "../log/Log.ts"
import type { WebhookId } from "../words/Ids.ts"
import type { RoutedWebhook } from "./WebhookIndex.ts"

interface DeferredDelivery {
  readonly record: LogRecord
  readonly event: LedgerEvent
  readonly webhook: RoutedWebhook
}

export const makeDeferred = () => {
  const queue: Array<DeferredDelivery> = []
  /** Those before this index were taken. */
  let taken = 0
  /** How many deliveries of each webhook wait. */
  const waiting = new Map<string, number>()

  return {
    /** How many deliveries wait. */
    size: () => queue.length - taken,
    /** The offset of the first event with deliveries that wait. */
    firstOffset: () => queue[taken]?.record.offset,
    /** Whether a delivery of the webhook waits, so that a later one must wait behind it. */
    has: (webhookId: WebhookId) => waiting.has(webhookId),
    /** Events must be added in the order of their offsets. `eventFor`: the event that the webhook's work has. */
    add: (
      record: LogRecord,
      eventFor: (webhook: RoutedWebhook) => LedgerEvent,
      webhooks: ReadonlyArray<RoutedWebhook>
    ) => {
      for (const webhook of webhooks) {
        queue.push({ record, event: eventFor(webhook), webhook })
        waiting.set(webhook.id, (waiting.get(webhook.id) ?? 0) + 1)
      }
    },
    /** Removes and returns at most `most` deliveries, first events first. */
    take: (most: number): ReadonlyArray<DeferredDelivery> => {
      const part = queue.slice(taken, taken + most)
      taken += part.length
      for (const { webhook } of part) {
        const left = waiting.get(webhook.id)! - 1
        if (left === 0) waiting.delete(webhook.id)
        else waiting.set(webhook.id, left)
      }
      // Seldom, because each removal moves the others.
      if (taken > queue.length / 2) {
        queue.splice(0, taken)
        taken = 0
      }
      return part
    }
  }
}
