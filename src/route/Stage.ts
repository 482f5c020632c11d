/**
 * Stage 3: events → deliveries. For each event, in order: find the webhooks that want it, insert `pending` rows with
 * deterministic ids, then append the work and commit the event's offset in one transaction of the log. After a crash
 * in between, the same rows are made again and the work is appended once; rows that exist get their work even if the
 * webhook no longer matches. A webhook whose account is on hold (AccountHolds) gets no new deliveries. Unreadable
 * records, and refused rows, go to the quarantine. Events that many webhooks want are routed in parts (Deferred).
 */
import { Clock, Effect, Fiber } from "effect"
import { StageLimits } from "../config/StageLimits.ts"
import { DELIVERIES_TOPIC, newWork } from "../domain/Delivery.ts"
import { deliveryId } from "../domain/Ids.ts"
import { eventsTopic, type LedgerEvent, NOT_AN_EVENT, parseLedgerEvent } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import { permissionUnder } from "../domain/Quota.ts"
import {
  type AssignedPartition,
  EventLog,
  type EventLogError,
  type LogRecord,
  type NewRecord,
  sourceOf
} from "../log/EventLog.ts"
import { retryUntilSuccess } from "../observability/RetryUntilSuccess.ts"
import { continued, TRACE_HEADER, traced } from "../observability/Tracing.ts"
import { DeliveryStore } from "../storage/deliveries/DeliveryStore.ts"
import { Partitions } from "../storage/deliveries/Partitions.ts"
import type { NewDelivery } from "../storage/deliveries/Transitions.ts"
import { makeQuarantine } from "../storage/Quarantine.ts"
import { AccountHolds } from "../webhooks/AccountHolds.ts"
import { makeDeferred } from "./Deferred.ts"
import { RoutedWebhooks } from "./RoutedWebhooks.ts"
import type { RoutedWebhook } from "./WebhookIndex.ts"

const GROUP = "route"

/** A delivery to be made: its row, and the work of its first attempt. */
interface Queued {
  readonly row: NewDelivery
  readonly work: NewRecord
}

/** The work that one transaction of the log will queue. */
interface Batch {
  readonly queued: Array<Queued>
  /** Records that are not events. */
  readonly unreadable: Array<LogRecord>
  /** By offset: events for which an earlier owner of the partition may have made rows before it died. */
  readonly maybeRouted: Map<number, LedgerEvent>
  /** Deliveries of its first event, if earlier batches have queued some of them. */
  readonly queuedBefore: ReadonlySet<string>
  /** When its events were detected: the ids of their deliveries are in this range of time. */
  detectedFrom: number
  detectedTo: number
  /** The starts of the table partitions of these deliveries. */
  readonly days: Set<number>
  /** The trace of the first event that has one: a span has one parent. */
  traceparent: string | undefined
}

const emptyBatch = (queuedBefore: ReadonlySet<string> = new Set()): Batch => ({
  queued: [],
  unreadable: [],
  maybeRouted: new Map(),
  queuedBefore,
  detectedFrom: Number.POSITIVE_INFINITY,
  detectedTo: 0,
  days: new Set(),
  traceparent: undefined
})

/** An event's time and trace, before its deliveries. */
const begin = (batch: Batch, { headers }: LogRecord, { detected_at }: LedgerEvent) => {
  batch.traceparent ??= headers[TRACE_HEADER]
  batch.detectedFrom = Math.min(batch.detectedFrom, detected_at)
  batch.detectedTo = Math.max(batch.detectedTo, detected_at)
}

const firstWork = (event: LedgerEvent, id: string, webhookId: string): NewRecord => ({
  topic: DELIVERIES_TOPIC,
  key: webhookId,
  value: JSON.stringify(newWork(id, webhookId, event))
})

const toQueue = (event: LedgerEvent, eventOffset: number, webhook: RoutedWebhook): Queued => {
  const id = deliveryId(event.detected_at, event.position, webhook.id, event.event_id)
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
    work: firstWork(event, id, webhook.id)
  }
}

const put = (batch: Batch, queued: Queued, day: number) => {
  batch.queued.push(queued)
  batch.days.add(day)
}

const tracedQueue = <E, R>(
  self: Effect.Effect<void, E, R>,
  { topic }: AssignedPartition,
  { queued, traceparent }: Batch
) => traced(self, "route events", () => ({ topic, deliveries: queued.length }), traceparent)

export const route = Effect.fnUntraced(function* (networks: ReadonlyArray<Network>) {
  const {
    routeAheadRecords,
    routeBatchDeliveries,
    routeDeferredMost,
    routePartDeliveries,
    takeBatchRecords
  } = yield* StageLimits
  const log = yield* EventLog
  const webhooks = yield* RoutedWebhooks
  const holds = yield* AccountHolds
  const deliveries = yield* DeliveryStore
  const partitions = yield* Partitions
  const quarantine = yield* makeQuarantine

  const maySend = ({ account_id, network }: RoutedWebhook) =>
    permissionUnder(holds.get(account_id), network) === "all"

  /**
   * Work for rows that an earlier owner made, for webhooks that no longer match: disabled, deleted, changed or on
   * hold. Without it the rows would stay `pending` for ever. Deliver decides what happens to the work.
   */
  const worksOfExistingRows = Effect.fnUntraced(function* ({
    queued,
    queuedBefore,
    maybeRouted,
    detectedFrom,
    detectedTo
  }: Batch) {
    const [first] = maybeRouted.values()
    if (first === undefined) return []
    const rows = yield* deliveries
      .unattempted(first.network, [...maybeRouted.keys()], detectedFrom, detectedTo)
      .pipe(retryUntilSuccess("reading deliveries without work"))
    const ids = new Set(queued.map(({ row }) => row.id))
    return rows.flatMap(({ id, webhookId, eventOffset }) => {
      const event = maybeRouted.get(eventOffset)
      return event === undefined || ids.has(id) || queuedBefore.has(id)
        ? []
        : [{ eventOffset, work: firstWork(event, id, webhookId) }]
    })
  })

  const queue = Effect.fnUntraced(function* (partition: AssignedPartition, batch: Batch, nextOffset: number) {
    let refused: ReadonlySet<string> = new Set()
    if (batch.queued.length > 0) {
      const now = yield* Clock.currentTimeMillis
      const rows = batch.queued.map(({ row }) => row)
      // Not the whole range of time: one event with a wrong time must not make thousands of partitions.
      refused = yield* Effect.forEach(batch.days, (day) => partitions.ensure(day, day), {
        discard: true
      }).pipe(Effect.andThen(deliveries.insertPending(rows, now)), retryUntilSuccess("queueing deliveries"))
    }
    if (batch.unreadable.length > 0) {
      const unreadable = batch.unreadable.map((record) => ({
        source: sourceOf(record),
        text: record.value ?? "",
        reason: NOT_AN_EVENT
      }))
      yield* quarantine.put("route", unreadable).pipe(retryUntilSuccess("quarantining records"))
    }
    const works = batch.queued.flatMap(({ row: { id, eventOffset }, work }) =>
      refused.has(id) ? [] : [{ eventOffset, work }]
    )
    const begun = yield* worksOfExistingRows(batch)
    // Each webhook's deliveries are in ledger order.
    const append = [...works, ...begun].sort((a, b) => a.eventOffset - b.eventOffset).map(({ work }) => work)
    // The transaction is not retried here, because its result is unknown after an error. The consumer restarts from
    // the committed offset.
    yield* log.transaction({
      append: yield* continued(append),
      commit: {
        group: GROUP,
        positions: [{ topic: partition.topic, partition: partition.partition, offset: nextOffset }]
      }
    })
  }, tracedQueue)

  const run = Effect.fnUntraced(function* (partition: AssignedPartition) {
    const deferred = makeDeferred()
    /** The offset behind the last record that was routed, or deferred. */
    let routedTo = partition.startOffset
    /** The read under way, while deferred deliveries are queued meanwhile. */
    let taking: Fiber.Fiber<ReadonlyArray<LogRecord>, EventLogError> | undefined

    /** Events behind one with deferred deliveries are not committed. */
    const queueUpTo = (batch: Batch, offset: number) => {
      routedTo = offset
      return queue(partition, batch, Math.min(offset, deferred.firstOffset() ?? offset))
    }

    const queuePart = () => {
      const batch = emptyBatch()
      for (const { record, event, webhook } of deferred.take(routePartDeliveries)) {
        begin(batch, record, event)
        put(batch, toQueue(event, record.offset, webhook), partitions.startOf(event.detected_at))
      }
      return queueUpTo(batch, routedTo)
    }

    /** Waits for records only if nothing else is to be done. */
    const takeRecords = Effect.gen(function* () {
      const first = deferred.firstOffset()
      if (first === undefined && taking === undefined) return yield* partition.take(takeBatchRecords)
      if (deferred.size() >= routeDeferredMost || routedTo - (first ?? routedTo) >= routeAheadRecords)
        return []
      taking ??= yield* Effect.forkChild(partition.take(takeBatchRecords), { startImmediately: true })
      if (first !== undefined && taking.pollUnsafe() === undefined) return []
      const records = yield* Fiber.join(taking)
      taking = undefined
      return records
    })

    const routeRecords = Effect.fnUntraced(function* (records: ReadonlyArray<LogRecord>) {
      // The API promises that a change applies from the next ledger on that is routed after its response.
      yield* webhooks.upToDate.pipe(retryUntilSuccess("catching up with webhooks.config"))
      let batch = emptyBatch()
      for (const record of records) {
        const event = parseLedgerEvent(record.value)
        if (event === undefined || eventsTopic(event.network) !== partition.topic) {
          batch.unreadable.push(record)
          continue
        }
        let wanting: ReadonlyArray<RoutedWebhook> = webhooks.match(event).filter(maySend)
        /** Also of the parts that follow: none of them has rows without work. */
        const queuedOfEvent = new Set<string>()
        const isMaybeRouted = record.offset < partition.endOffsetAtStart
        begin(batch, record, event)
        // After a restart, rows without work must get it in ledger order, so nothing is deferred.
        if (!isMaybeRouted && (deferred.size() > 0 || wanting.length > routeBatchDeliveries)) {
          const isLarge = wanting.length > routeBatchDeliveries
          deferred.add(record, event, isLarge ? wanting : wanting.filter(({ id }) => deferred.has(id)))
          wanting = isLarge ? [] : wanting.filter(({ id }) => !deferred.has(id))
        }
        for (const webhook of wanting) {
          if (batch.queued.length >= routeBatchDeliveries) {
            // More of this event follows, so its offset is not committed yet.
            yield* queueUpTo(batch, record.offset)
            batch = emptyBatch(queuedOfEvent)
            begin(batch, record, event)
          }
          const queued = toQueue(event, record.offset, webhook)
          queuedOfEvent.add(queued.row.id)
          put(batch, queued, partitions.startOf(event.detected_at))
        }
        if (isMaybeRouted) batch.maybeRouted.set(record.offset, event)
        if (batch.queued.length >= routeBatchDeliveries) {
          yield* queueUpTo(batch, record.offset + 1)
          batch = emptyBatch()
        }
      }
      yield* queueUpTo(batch, records.at(-1)!.offset + 1)
    })

    while (true) {
      const records = yield* takeRecords
      if (records.length > 0) yield* routeRecords(records)
      if (deferred.size() > 0) yield* queuePart()
    }
  })

  return yield* log.consume({ group: GROUP, topics: networks.map(eventsTopic) }, run)
}, Effect.scoped)
