/**
 * Stage 3: events → deliveries. For each event, in order: find the webhooks that want it, then append their work, with
 * deterministic ids, and commit the event's offset in one transaction of the log. A webhook whose account is on hold
 * (AccountHolds) gets no new deliveries. Unreadable records become dead letters. Events that many webhooks want are
 * routed in parts (Deferred): a restart in the middle of one queues its first parts again, and deliver drops them.
 */
import { Effect, Fiber } from "effect"
import { StageLimits } from "../config/StageLimits.ts"
import { DELIVERIES_TOPIC, newWork } from "../domain/Delivery.ts"
import { permissionUnder } from "../domain/Quota.ts"
import { withoutIncludable } from "../event/Include.ts"
import { eventsTopic, type LedgerEvent, NOT_AN_EVENT, parseLedgerEvent } from "../event/LedgerEvent.ts"
import type { Network } from "../event/Network.ts"
import {
  type AssignedPartition,
  Log,
  type LogError,
  type LogRecord,
  type NewRecord,
  sourceOf
} from "../log/Log.ts"
import { ReaderPace } from "../log/ReaderPace.ts"
import { retryUntilSuccess } from "../observe/RetryUntilSuccess.ts"
import { continued, TRACE_HEADER, traced } from "../observe/Tracing.ts"
import { AccountHolds } from "../registry/AccountHolds.ts"
import { makeDeadLetters } from "../store/DeadLetters.ts"
import { deliveryId } from "../words/Ids.ts"
import { makeDeferred } from "./Deferred.ts"
import { RouteLimits } from "./Limits.ts"
import { RoutedWebhooks } from "./RoutedWebhooks.ts"
import type { RoutedWebhook } from "./WebhookIndex.ts"

const GROUP = "route"

/** What one transaction of the log will do. */
interface NextTransaction {
  readonly append: Array<NewRecord>
  /** Records that are not events. */
  readonly unreadable: Array<LogRecord>
  /** The trace of the first event that has one: a span has one parent. */
  traceparent: string | undefined
}

const emptyTransaction = (): NextTransaction => ({ append: [], unreadable: [], traceparent: undefined })

/** Must be called before the deliveries of the record's event are added. */
const begin = (next: NextTransaction, { headers }: LogRecord) => {
  next.traceparent ??= headers[TRACE_HEADER]
}

const tracedQueue = <E, R>(
  self: Effect.Effect<void, E, R>,
  { topic }: AssignedPartition,
  { append, traceparent }: NextTransaction
) => traced(self, "route events", () => ({ topic, deliveries: append.length }), traceparent)

export const route = Effect.fnUntraced(function* (networks: ReadonlyArray<Network>) {
  const { feedPollMs, feedWaitMs, takeBatchRecords } = yield* StageLimits
  const { routeAheadRecords, routeBatchDeliveries, routeDeferredMost, routePartDeliveries } =
    yield* RouteLimits
  const log = yield* Log
  const pace = yield* ReaderPace
  const webhooks = yield* RoutedWebhooks
  const holds = yield* AccountHolds
  const deadLetters = yield* makeDeadLetters

  const maySend = ({ account_id, network }: RoutedWebhook) =>
    permissionUnder(holds.get(account_id), network) === "all"

  /** Deliver spills what is in the log for too long, so route waits while its feeds wait, for a second at most. */
  const untilFeedsGoOn = Effect.suspend(() =>
    pace.waiting() === 0
      ? Effect.void
      : Effect.sleep(feedPollMs).pipe(
          Effect.repeat({ while: () => pace.waiting() > 0, times: Math.ceil(feedWaitMs / feedPollMs) }),
          Effect.asVoid
        )
  )

  const queue = Effect.fnUntraced(function* (
    partition: AssignedPartition,
    next: NextTransaction,
    nextOffset: number
  ) {
    if (next.unreadable.length > 0) {
      const unreadable = next.unreadable.map((record) => ({
        source: sourceOf(record),
        text: record.value ?? "",
        reason: NOT_AN_EVENT
      }))
      yield* deadLetters.put("route", unreadable).pipe(retryUntilSuccess("storing dead letters"))
    }
    // The transaction is not retried here, because its result is unknown after an error. The consumer restarts from
    // the committed offset.
    yield* log.transaction({
      append: yield* continued(next.append),
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
    /** A read of new records that has begun and not ended, while deferred deliveries are queued. */
    let taking: Fiber.Fiber<ReadonlyArray<LogRecord>, LogError> | undefined

    /** Commits up to the first event of which deliveries wait, or else up to `offset`. */
    const queueUpTo = (next: NextTransaction, offset: number) => {
      routedTo = offset
      return Effect.andThen(
        untilFeedsGoOn,
        queue(partition, next, Math.min(offset, deferred.firstOffset() ?? offset))
      )
    }

    const toQueue = ({ offset }: LogRecord, event: LedgerEvent, webhook: RoutedWebhook): NewRecord => {
      const id = deliveryId(event.detected_at, event.position, webhook.id, event.event_id)
      const row = {
        account_id: webhook.account_id,
        event_offset: offset,
        ...(offset < partition.endOffsetAtStart ? { again: true as const } : {})
      }
      return {
        topic: DELIVERIES_TOPIC,
        key: webhook.id,
        value: JSON.stringify({ ...newWork(id, webhook.id, event), row })
      }
    }

    const queuePart = () => {
      const next = emptyTransaction()
      for (const { record, event, webhook } of deferred.take(routePartDeliveries)) {
        begin(next, record)
        next.append.push(toQueue(record, event, webhook))
      }
      return queueUpTo(next, routedTo)
    }

    /** The next records; none if deferred deliveries should be queued first. Then it does not wait for new records. */
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
      let next = emptyTransaction()
      for (const record of records) {
        const event = parseLedgerEvent(record.value)
        if (event === undefined || eventsTopic(event.network) !== partition.topic) {
          next.unreadable.push(record)
          continue
        }
        let wanting: ReadonlyArray<RoutedWebhook> = webhooks.match(event).filter(maySend)
        // Most webhooks want no more than the payload, so the work of their deliveries is small.
        const plain = wanting.some(({ includes }) => !includes) ? withoutIncludable(event) : event
        const eventFor = ({ includes }: RoutedWebhook) => (includes ? event : plain)
        if (deferred.size() > 0 || wanting.length > routeBatchDeliveries) {
          const isLarge = wanting.length > routeBatchDeliveries
          deferred.add(record, eventFor, isLarge ? wanting : wanting.filter(({ id }) => deferred.has(id)))
          wanting = isLarge ? [] : wanting.filter(({ id }) => !deferred.has(id))
        }
        if (next.append.length + wanting.length > routeBatchDeliveries) {
          yield* queueUpTo(next, record.offset)
          next = emptyTransaction()
        }
        begin(next, record)
        for (const webhook of wanting) next.append.push(toQueue(record, eventFor(webhook), webhook))
      }
      yield* queueUpTo(next, records.at(-1)!.offset + 1)
    })

    while (true) {
      const records = yield* takeRecords
      if (records.length > 0) yield* routeRecords(records)
      if (deferred.size() > 0) yield* queuePart()
    }
  })

  return yield* log.consume({ group: GROUP, topics: networks.map(eventsTopic) }, run)
}, Effect.scoped)
