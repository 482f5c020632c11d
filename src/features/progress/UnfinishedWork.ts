/**
 * What webhooks' progress needs of the log: up to which ledger events are routed, and which live work `deliver` has not
 * finished. Webhooks that are polled at once share what is read for `SHARED_MS`. The work of a partition is kept
 * while it is unfinished, so each record is read once; at most `progressRecords` from the committed offset on. Work
 * after these belongs to events that are not much older than theirs, because route runs ahead of an event that it has
 * not routed whole by `routeAheadRecords` at most.
 */

import { Effect, Exit, Semaphore } from "effect"
import { Settings, watchedNetworks } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import { DELIVERIES_TOPIC, parseWork } from "../../spine/domain/Delivery.ts"
import {
  eventsTopic,
  type LedgerMarker,
  ledgersTopic,
  parseLedgerEvent
} from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"
import { Log, type LogError, type LogReader } from "../../spine/log/Log.ts"
import { markerIn } from "../../spine/log/ledgers/LedgerMarkers.ts"
import { partitionsOf } from "../../spine/log/Topics.ts"
import { RouteLimits } from "../../spine/route/Limits.ts"
import type { DeliveryId, WebhookId } from "../../spine/words/Ids.ts"
import { monotonicNow } from "../../spine/words/Monotonic.ts"
import { WorkLimits } from "./Limits.ts"

/** Events that are read to find the ledger at an offset: one, unless records are no events. */
const EVENTS_READ = 10

type Reader = LogReader["Service"]

export interface RoutedLedgers {
  /** All events of the log up to the ones of this ledger are routed. */
  readonly through: number
  /** Since when the newest ledgers have followed one another, in Unix milliseconds. */
  readonly rangeSince: number
  /** The newest ledger. */
  readonly newest: number
}

export interface UnfinishedWork {
  readonly offset: number
  readonly deliveryId: DeliveryId
  readonly ledgerIndex: number
  /** Its row was written before its record. */
  readonly hadRow: boolean
}

export interface PartitionWork {
  /** The network's ledgers that were routed before the work was read; undefined if none were, or it is not known. */
  readonly routed: ReadonlyMap<Network, RoutedLedgers | undefined>
  readonly byWebhook: ReadonlyMap<string, ReadonlyArray<UnfinishedWork>>
  /**
   * Work that was not read is of later ledgers than this one; undefined if that is not known. Absent if all was read.
   */
  readonly unreadAfter?: ReadonlyMap<Network, number | undefined>
}

/** What the next read of the partition continues. */
interface PartitionRead extends PartitionWork {
  /** Everything before this offset is read. */
  readonly next: number
  readonly work: ReadonlyArray<UnfinishedWork & { readonly webhookId: WebhookId }>
  /** For each network, the offset of the newest event of which a first attempt was read. */
  readonly newestEvent: ReadonlyMap<Network, number>
}

/** How long webhooks that are polled for their progress share what was read: it may be as much late, twice. */
export const SHARED_MS = 1_000

/** A result is used again for `SHARED_MS`. `read` gets the result before. Its age counts from the start of the read. */
const shared = <A, E>(read: (before: A | undefined) => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  let before: A | undefined
  let known: { readonly atMs: number; readonly exit: Exit.Exit<A, E> } | undefined
  return Semaphore.makeUnsafe(1).withPermit(
    Effect.gen(function* () {
      const beganMs = yield* monotonicNow
      if (known !== undefined && beganMs - known.atMs < SHARED_MS) return yield* known.exit
      const exit = yield* Effect.exit(read(before))
      if (Exit.isSuccess(exit)) before = exit.value
      // Who waited meanwhile gets the error too, and does not wait for it once more.
      known = { atMs: Exit.isSuccess(exit) ? beganMs : yield* monotonicNow, exit }
      return yield* exit
    })
  )
}

/**
 * The newest ledger before the first event at `offset` or later. `newest` is a marker that was read before. Undefined
 * if that is not known: the network began again with lower ledgers, and events of the higher ones are not routed.
 */
const ledgerBefore = Effect.fnUntraced(function* (
  log: Reader,
  network: Network,
  newest: LedgerMarker,
  offset: number
) {
  const records = yield* log.read({ topic: eventsTopic(network), partition: 0, offset }, EVENTS_READ)
  if (records.length === 0) return newest.ledger_index
  const event = records.map(({ value }) => parseLedgerEvent(value)).find((one) => one !== undefined)
  if (event === undefined) return undefined
  if (event.detected_at > newest.detected_at) return newest.ledger_index
  return event.ledger_index > newest.ledger_index ? undefined : event.ledger_index - 1
})

const newestMarker = Effect.fnUntraced(function* (log: Reader, network: Network) {
  const record = yield* log.last({ topic: ledgersTopic(network), partition: 0 })
  return record && (yield* markerIn(record).pipe(Effect.orDie))
})

/** The marker is read first, then route's offset, then the events: a ledger that is taken meanwhile counts later. */
export const readRouted = Effect.fnUntraced(function* (log: Reader, network: Network) {
  const newest = yield* newestMarker(log, network)
  if (newest === undefined) return undefined
  const routedTo = yield* log.committed("route", { topic: eventsTopic(network), partition: 0 })
  const through = yield* ledgerBefore(log, network, newest, routedTo)
  return through === undefined
    ? undefined
    : ({ through, rangeSince: newest.range_since ?? 0, newest: newest.ledger_index } satisfies RoutedLedgers)
})

export const makeUnfinishedWork = Effect.gen(function* () {
  const networks = watchedNetworks(yield* Settings)
  const { progressRecords } = yield* WorkLimits
  const { routeAheadRecords } = yield* RouteLimits
  const log = yield* Log
  const routedOf = new Map(networks.map((network) => [network, shared(() => readRouted(log, network))]))

  const readPartition = Effect.fnUntraced(function* (partition: number, before: PartitionRead | undefined) {
    // This is read first: what is routed by now has its work in the log.
    const routed = new Map(
      yield* Effect.forEach(routedOf, ([network, read]) => Effect.map(read, (one) => [network, one] as const))
    )
    const place = { topic: DELIVERIES_TOPIC, partition }
    const { end, start } = yield* log.offsets(place)
    const committed = Math.max(start, yield* log.committed("deliver", place))
    const work = (before?.work ?? []).filter(({ offset }) => offset >= committed)
    const newestEvent = new Map(before?.newestEvent)
    let next = Math.max(committed, before?.next ?? 0)
    while (next < end && work.length < progressRecords) {
      const most = Math.min(Limits.logReadRecords, progressRecords - work.length)
      const records = yield* log.read({ ...place, offset: next }, most)
      if (records.length === 0) next = end
      for (const { offset, value } of records) {
        next = offset + 1
        const one = parseWork(value ?? "")
        if (one === undefined) continue
        const { delivery_id: deliveryId, event, row, webhook_id: webhookId } = one
        const { ledger_index: ledgerIndex, network } = event
        work.push({ offset, webhookId, deliveryId, ledgerIndex, hadRow: row === undefined })
        if (row !== undefined)
          newestEvent.set(network, Math.max(row.event_offset, newestEvent.get(network) ?? 0))
      }
    }
    const byWebhook = Map.groupBy(work, ({ webhookId }) => webhookId)
    const read: PartitionRead = { routed, byWebhook, next, work, newestEvent }
    if (next >= end) return read
    const unreadAfter = new Map<Network, number | undefined>()
    for (const [network, event] of newestEvent) {
      const newest = yield* newestMarker(log, network)
      // Twice, because these are offsets: some have no event.
      const from = Math.max(0, event - 2 * routeAheadRecords)
      unreadAfter.set(network, newest && (yield* ledgerBefore(log, network, newest, from)))
    }
    return { ...read, unreadAfter }
  })

  const partitions = Array.from({ length: partitionsOf(DELIVERIES_TOPIC) }, (_, partition) =>
    shared((before: PartitionRead | undefined) => readPartition(partition, before))
  )
  return {
    /** The work of a partition of `webhooks.deliveries` that `deliver` had not finished, up to a second ago. */
    of: (partition: number): Effect.Effect<PartitionWork, LogError> => partitions[partition]!,
    /** The id of the event of unfinished work; undefined if its record is gone. */
    eventIdOf: (partition: number, { offset }: UnfinishedWork) =>
      Effect.map(log.read({ topic: DELIVERIES_TOPIC, partition, offset }, 1), ([record]) =>
        record?.offset === offset ? parseWork(record.value ?? "")?.event.event_id : undefined
      )
  }
})
