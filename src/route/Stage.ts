/**
 * Stage 3: events → deliveries. For each event of the watched networks, in order: find the webhooks that want it, make
 * the rows (`pending`, with deterministic ids), then append the work and commit the event's offset in one transaction
 * of the log. A crash in between makes the same rows again and appends the work once.
 */
import { Clock, Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { patiently } from "../config/Retrying.ts"
import { DELIVERIES_TOPIC, type DeliveryWork } from "../domain/Delivery.ts"
import { deliveryId } from "../domain/Ids.ts"
import { eventsTopic, type LedgerEvent } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import { type AssignedPartition, EventLog, type LogRecord, type NewRecord } from "../log/EventLog.ts"
import { DeliveryStore, type NewDelivery } from "../storage/DeliveryStore.ts"
import { Partitions } from "../storage/Partitions.ts"
import { WebhookRegistry } from "../webhooks/WebhookRegistry.ts"
import { makeWebhookIndex } from "./WebhookIndex.ts"

const GROUP = "route"

interface Routed {
  readonly rows: ReadonlyArray<NewDelivery>
  readonly work: ReadonlyArray<NewRecord>
}

const routed = (
  event: LedgerEvent,
  eventOffset: number,
  webhooks: ReadonlyArray<{ id: string; account_id: string }>
): Routed => {
  const rows: Array<NewDelivery> = []
  const work: Array<NewRecord> = []
  for (const webhook of webhooks) {
    const id = deliveryId(event.detected_at, event.position, webhook.id, event.event_id)
    rows.push({
      id,
      webhookId: webhook.id,
      accountId: webhook.account_id,
      network: event.network,
      eventId: event.event_id,
      eventType: event.event_type,
      eventOffset
    })
    const first: DeliveryWork = {
      delivery_id: id,
      webhook_id: webhook.id,
      attempt: 1,
      series_attempt: 1,
      due_at: 0,
      event
    }
    work.push({ topic: DELIVERIES_TOPIC, key: webhook.id, value: JSON.stringify(first) })
  }
  return { rows, work }
}

const parse = (record: LogRecord): LedgerEvent | undefined => {
  try {
    // Written by ingest in this shape.
    const event = JSON.parse(record.value ?? "") as LedgerEvent
    return typeof event.event_id === "string" && typeof event.detected_at === "number" ? event : undefined
  } catch {
    return undefined
  }
}

/** Never ends by itself. */
export const route = Effect.fnUntraced(function* (networks: ReadonlyArray<Network>) {
  const log = yield* EventLog
  const registry = yield* WebhookRegistry
  const deliveries = yield* DeliveryStore
  const partitions = yield* Partitions
  const index = makeWebhookIndex()
  yield* Effect.acquireRelease(
    Effect.sync(() => registry.subscribe((id, webhook) => index.set(id, webhook?.config))),
    (unsubscribe) => Effect.sync(unsubscribe)
  )

  const queue = Effect.fnUntraced(function* (
    partition: AssignedPartition,
    { rows, work }: Routed,
    detected: { readonly from: number; readonly to: number },
    nextOffset: number
  ) {
    if (rows.length > 0) {
      const now = yield* Clock.currentTimeMillis
      yield* partitions
        .ensure(detected.from, detected.to)
        .pipe(Effect.andThen(deliveries.insertPending(rows, now)), patiently("queueing deliveries"))
    }
    // Not repeated here: whether it landed is unknown after an error. The consumer begins anew at what was committed.
    yield* log.transaction({
      append: work,
      commit: {
        group: GROUP,
        positions: [{ topic: partition.topic, partition: partition.partition, offset: nextOffset }]
      }
    })
  })

  const run = Effect.fnUntraced(function* (partition: AssignedPartition) {
    while (true) {
      const records = yield* partition.take(Limits.takeBatchRecords)
      // "From the next ledger that is routed after the response": the index must hold what the API has answered for.
      yield* registry.upToDate.pipe(patiently("catching up with webhooks.config"))
      let rows: Array<NewDelivery> = []
      let work: Array<NewRecord> = []
      let detected = { from: Number.POSITIVE_INFINITY, to: 0 }
      for (const record of records) {
        const event = parse(record)
        if (event === undefined) {
          yield* Effect.logError(`${record.topic}@${record.offset} is not an event; passed over`)
        } else {
          const found = routed(event, record.offset, index.match(event))
          if (found.rows.length > 0) {
            // Not by spreading: an event may match more webhooks than a call takes arguments.
            rows = rows.concat(found.rows)
            work = work.concat(found.work)
            detected = {
              from: Math.min(detected.from, event.detected_at),
              to: Math.max(detected.to, event.detected_at)
            }
          }
        }
        if (rows.length >= Limits.routeBatchDeliveries) {
          yield* queue(partition, { rows, work }, detected, record.offset + 1)
          rows = []
          work = []
          detected = { from: Number.POSITIVE_INFINITY, to: 0 }
        }
      }
      yield* queue(partition, { rows, work }, detected, records.at(-1)!.offset + 1)
    }
  })

  return yield* log.consume({ group: GROUP, topics: networks.map(eventsTopic) }, run)
}, Effect.scoped)
