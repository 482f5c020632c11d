/** Ledgers for streams of ledgers: appended as ingest does it, and routed only when a test says so. */
import { Effect } from "effect"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import type { EventType } from "../../../src/spine/event/EventType.ts"
import { eventsTopic, type LedgerEvent, ledgersTopic } from "../../../src/spine/event/LedgerEvent.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import { eventOf, recordOf } from "../../support/deliver/events.ts"
import { markers } from "../../support/ledger/markers.ts"

/** When the first of these ledgers was taken; each is taken a second after the one before. */
export const TAKEN = Date.parse("2026-11-21T09:30:00.000Z")

let taken = 0

export interface TakenLedger {
  readonly network: Network
  readonly index: number
  readonly takenAt: number
  readonly closedAt: string
  readonly events: ReadonlyArray<LedgerEvent>
}

/** Appends a ledger with an event of each of these types, in one transaction. Route has not read it yet. */
export const takeLedger = Effect.fnUntraced(function* (
  network: Network,
  types: ReadonlyArray<EventType> = ["payment.xrp"]
) {
  const log = yield* Log
  const index = 1_000 + taken
  const takenAt = TAKEN + taken++ * 1_000
  const closedAt = `${new Date(takenAt - 1_000).toISOString().slice(0, 19)}Z`
  const events = types.map((type, position) => ({
    ...eventOf({ network, ledgerIndex: index, position, type, timestamp: closedAt }),
    detected_at: takenAt
  }))
  const [marker] = markers(index, index)
  yield* log.transaction({
    append: events.map((event) => ({ ...recordOf(event), headers: { "event-type": event.event_type } })),
    appendThen: (positions) => [
      {
        topic: ledgersTopic(network),
        key: network,
        value: JSON.stringify({
          ...marker,
          close_time: closedAt,
          event_count: events.length,
          first_event_offset: positions[0]?.offset ?? null,
          detected_at: takenAt
        })
      }
    ]
  })
  return { network, index, takenAt, closedAt, events } satisfies TakenLedger
})

/** Commits as route does once it has queued the events of all ledgers. */
export const routeLedgers = Effect.fnUntraced(function* (network: Network) {
  const log = yield* Log
  const partition = { topic: eventsTopic(network), partition: 0 }
  const { end } = yield* log.offsets(partition)
  yield* log.transaction({
    append: [],
    commit: { group: "route", positions: [{ ...partition, offset: end }] }
  })
})

/** Queues a delivery of each event to the webhook, as deliver does; returns their ids. */
export const queueLedger = Effect.fnUntraced(function* (
  { events, network, takenAt }: TakenLedger,
  accountId: string,
  webhookId: string
) {
  const store = yield* DeliveryStore
  const rows = events.map(({ event_id: eventId, event_type: eventType, position }) => ({
    id: deliveryId(takenAt, position, webhookId, eventId),
    webhookId,
    accountId,
    network,
    eventId,
    eventType,
    eventOffset: position
  }))
  yield* store.insertPending(rows, takenAt)
  return rows.map(({ id }) => id)
})

/** Records one attempt of a delivery. */
export const attemptDelivery = Effect.fnUntraced(function* (
  deliveryId: string,
  attempt: number,
  status: "delivered" | "retrying" | "failed"
) {
  const store = yield* DeliveryStore
  const isAnswered = status === "delivered"
  yield* store.record(
    [
      {
        deliveryId,
        attempt,
        status,
        responseStatus: isAnswered ? 200 : 503,
        responseTimeMs: 12,
        responseBody: null,
        error: isAnswered ? null : "HTTP 503",
        attemptedAt: TAKEN + attempt * 1_000,
        endedAt: TAKEN + attempt * 1_000 + 12,
        nextDelayMs: status === "retrying" ? 5_000 : null
      }
    ],
    1_000
  )
})
