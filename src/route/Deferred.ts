/**
 * Deliveries of events that more webhooks want than fit a transaction. Route queues them in parts, and routes the
 * events behind them meanwhile, so other webhooks do not wait. A webhook that has a deferred delivery gets its later
 * ones behind it, so its deliveries stay in ledger order. In memory only: the offset of the first unfinished event is
 * not committed, so a restart reads it again.
 */
import type { LedgerEvent } from "../domain/LedgerEvent.ts"
import type { LogRecord } from "../log/EventLog.ts"
import type { RoutedWebhook } from "./WebhookIndex.ts"

export interface DeferredDelivery {
  readonly record: LogRecord
  readonly event: LedgerEvent
  readonly webhook: RoutedWebhook
}

interface DeferredEvent {
  readonly record: LogRecord
  readonly event: LedgerEvent
  readonly webhooks: ReadonlyArray<RoutedWebhook>
  /** Those before this index have been taken. */
  taken: number
}

export interface Deferred {
  /** How many deliveries wait. */
  readonly size: () => number
  /** The offset of the first event with deliveries that wait. */
  readonly firstOffset: () => number | undefined
  /** Whether a delivery of the webhook waits, so that a later one must wait behind it. */
  readonly has: (webhookId: string) => boolean
  /** Events must be added in the order of their offsets. */
  readonly add: (record: LogRecord, event: LedgerEvent, webhooks: ReadonlyArray<RoutedWebhook>) => void
  /** Removes and returns at most `most` deliveries, first events first. */
  readonly take: (most: number) => ReadonlyArray<DeferredDelivery>
}

export const makeDeferred = (): Deferred => {
  const events: Array<DeferredEvent> = []
  /** How many deliveries of each webhook wait. */
  const waiting = new Map<string, number>()
  let size = 0

  const takeOne = (one: DeferredEvent): DeferredDelivery => {
    const { record, event } = one
    const webhook = one.webhooks[one.taken++]!
    const left = waiting.get(webhook.id)! - 1
    if (left === 0) waiting.delete(webhook.id)
    else waiting.set(webhook.id, left)
    size--
    return { record, event, webhook }
  }

  return {
    size: () => size,
    firstOffset: () => events[0]?.record.offset,
    has: (webhookId) => waiting.has(webhookId),
    add: (record, event, webhooks) => {
      if (webhooks.length === 0) return
      events.push({ record, event, webhooks, taken: 0 })
      for (const { id } of webhooks) waiting.set(id, (waiting.get(id) ?? 0) + 1)
      size += webhooks.length
    },
    take: (most) => {
      const part: Array<DeferredDelivery> = []
      for (let first = events[0]; first !== undefined && part.length < most; first = events[0]) {
        while (first.taken < first.webhooks.length && part.length < most) part.push(takeOne(first))
        if (first.taken === first.webhooks.length) events.shift()
      }
      return part
    }
  }
}
