/**
 * Stage 3: events → deliveries. For each event of the watched networks, in order: find the webhooks that want it, make
 * the rows (`pending`, with deterministic ids), then append the work and commit the event's offset in one transaction
 * of the log. A crash in between makes the same rows again and appends the work once. Webhooks whose account's
 * deliveries wait (AccountHolds) get nothing new.
 */
import { Clock, Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { patiently } from "../config/Retrying.ts"
import { DELIVERIES_TOPIC, type DeliveryWork } from "../domain/Delivery.ts"
import { deliveryId } from "../domain/Ids.ts"
import { eventsTopic, type LedgerEvent, parseLedgerEvent } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import { passageUnder } from "../domain/Quota.ts"
import type { WebhookConfig } from "../domain/Webhook.ts"
import { type AssignedPartition, EventLog, type NewRecord } from "../log/EventLog.ts"
import { DeliveryStore, type NewDelivery } from "../storage/DeliveryStore.ts"
import { Partitions } from "../storage/Partitions.ts"
import { AccountHolds } from "../webhooks/AccountHolds.ts"
import { WebhookRegistry } from "../webhooks/WebhookRegistry.ts"
import { makeWebhookIndex } from "./WebhookIndex.ts"

const GROUP = "route"

/** A delivery to be made: its row, and the work of its first attempt. */
interface Queued {
  readonly row: NewDelivery
  readonly work: NewRecord
}

/** What one transaction of the log is to queue. */
interface Batch {
  readonly queued: Array<Queued>
  /** What a hold leaves out, and an owner of the partition that died may have made the rows of already. */
  readonly begun: Array<Queued>
  detectedFrom: number
  detectedTo: number
}

const emptyBatch = (): Batch => ({
  queued: [],
  begun: [],
  detectedFrom: Number.POSITIVE_INFINITY,
  detectedTo: 0
})

const toQueue = (event: LedgerEvent, eventOffset: number, webhook: WebhookConfig): Queued => {
  const id = deliveryId(event.detected_at, event.position, webhook.id, event.event_id)
  const first: DeliveryWork = {
    delivery_id: id,
    webhook_id: webhook.id,
    attempt: 1,
    series_attempt: 1,
    due_at: 0,
    event
  }
  return {
    row: {
      id,
      webhookId: webhook.id,
      accountId: webhook.account_id,
      network: event.network,
      eventId: event.event_id,
      eventType: event.event_type,
      eventOffset
    },
    work: { topic: DELIVERIES_TOPIC, key: webhook.id, value: JSON.stringify(first) }
  }
}

/** Never ends by itself. */
export const route = Effect.fnUntraced(function* (networks: ReadonlyArray<Network>) {
  const log = yield* EventLog
  const registry = yield* WebhookRegistry
  const holds = yield* AccountHolds
  const deliveries = yield* DeliveryStore
  const partitions = yield* Partitions
  const index = makeWebhookIndex()
  yield* Effect.acquireRelease(
    Effect.sync(() => registry.subscribe((id, webhook) => index.set(id, webhook?.config))),
    (unsubscribe) => Effect.sync(unsubscribe)
  )

  const goesOn = ({ account_id, network }: WebhookConfig) =>
    passageUnder(holds.get(account_id), network) === "all"

  /** Of what a hold leaves out, that whose rows are there: work that is never appended would leave them pending. */
  const withRows = Effect.fnUntraced(function* (begun: ReadonlyArray<Queued>) {
    if (begun.length === 0) return []
    const rows = yield* deliveries
      .states(begun.map(({ row }) => row.id))
      .pipe(patiently("reading delivery states"))
    return begun.filter(({ row }) => rows.has(row.id))
  })

  const queue = Effect.fnUntraced(function* (
    partition: AssignedPartition,
    { queued, begun, detectedFrom, detectedTo }: Batch,
    nextOffset: number
  ) {
    if (queued.length > 0) {
      const now = yield* Clock.currentTimeMillis
      const rows = queued.map(({ row }) => row)
      yield* partitions
        .ensure(detectedFrom, detectedTo)
        .pipe(Effect.andThen(deliveries.insertPending(rows, now)), patiently("queueing deliveries"))
    }
    const append = [...queued, ...(yield* withRows(begun))].map(({ work }) => work)
    // Not repeated here: whether it landed is unknown after an error. The consumer begins anew at what was committed.
    yield* log.transaction({
      append,
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
      let batch = emptyBatch()
      for (const record of records) {
        const event = parseLedgerEvent(record.value)
        if (event === undefined) {
          yield* Effect.logError(`${record.topic}@${record.offset} is not an event; passed over`)
          continue
        }
        for (const webhook of index.match(event)) {
          if (goesOn(webhook)) {
            batch.queued.push(toQueue(event, record.offset, webhook))
            batch.detectedFrom = Math.min(batch.detectedFrom, event.detected_at)
            batch.detectedTo = Math.max(batch.detectedTo, event.detected_at)
          } else if (record.offset < partition.endOffsetAtStart) {
            batch.begun.push(toQueue(event, record.offset, webhook))
          }
        }
        if (batch.queued.length + batch.begun.length >= Limits.routeBatchDeliveries) {
          yield* queue(partition, batch, record.offset + 1)
          batch = emptyBatch()
        }
      }
      yield* queue(partition, batch, records.at(-1)!.offset + 1)
    }
  })

  return yield* log.consume({ group: GROUP, topics: networks.map(eventsTopic) }, run)
}, Effect.scoped)
