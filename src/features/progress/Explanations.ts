/**
 * Explains a transaction: its ledger, its events, and for each webhook why it got them or did not. This file gathers
 * the facts, and Explanation.ts decides. The event index has the ledger of a transaction; its events are read from the
 * log. API requests wait here for their turn; `Limits.connections` bounds their number.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import { Settings } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import type { DeliveryStatus } from "../../spine/domain/Delivery.ts"
import type { LedgerEvent } from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"
import { BackfillStore } from "../../spine/ledger/backfill/BackfillStore.ts"
import type { LogReader } from "../../spine/log/Log.ts"
import { type FoundLedger, findLedgers, readLedgerEvents } from "../../spine/log/ledgers/LedgerEvents.ts"
import { ledgerRanges } from "../../spine/log/ledgers/LedgerMarkers.ts"
import { column } from "../../spine/store/Columns.ts"
import { ReadSql } from "../../spine/store/Sql.ts"
import { deliveryId, type EventId, type WebhookId } from "../../spine/words/Ids.ts"
import { EventQueries } from "../events/EventQueries.ts"
import { deliveriesToExplain, type FoundDelivery } from "./DeliveriesToExplain.ts"
import { type Explained, explain } from "./Explanation.ts"
import { type WhoseWebhooks, webhooksToExplain } from "./WebhooksToExplain.ts"
import { waitingInLog } from "./WorkInLog.ts"

/** Events and webhooks that one explanation shows (2 MB at most). */
export const SHOWN = { events: 100, webhooks: 100 }

export interface Transaction {
  /** In upper case. */
  readonly hash: string
  readonly network: Network
  /** If undefined, the ledger is searched among the events of the period for which deliveries are kept. */
  readonly ledgerIndex: number | undefined
}

export interface ExplainedDelivery extends Explained {
  readonly webhookId: WebhookId
  /** The newest delivery, live or of a replay. */
  readonly delivery: Pick<FoundDelivery, "id" | "status"> | undefined
}

export interface ExplainedEvent {
  readonly event: LedgerEvent
  readonly webhooks: ReadonlyArray<ExplainedDelivery>
}

/** At most `SHOWN` events and webhooks are listed. The counts include the others. */
export interface Explanation {
  readonly ledger: FoundLedger | undefined
  readonly events: ReadonlyArray<ExplainedEvent>
  readonly eventCount: number
  readonly webhookCount: number
}

/** `xrpl:<ledger_index>:<tx_hash>:…` */
const transactionOf = ({ event_id }: LedgerEvent) => event_id.split(":")[2]

/** The id that route gives to the delivery. */
const liveDeliveryId = (event: LedgerEvent, webhookId: WebhookId): string =>
  deliveryId(event.detected_at, event.position, webhookId, event.event_id)

const pairOf = (webhookId: WebhookId, eventId: EventId): string => `${webhookId} ${eventId}`

export class Explanations extends Context.Service<Explanations>()("ledgerhook/coverage/Explanations", {
  make: Effect.gen(function* () {
    const { retentionDeliveriesMs } = yield* Settings
    const sql = yield* ReadSql
    const queries = yield* EventQueries
    const history = yield* BackfillStore
    const turns = Semaphore.makeUnsafe(Limits.heavyRequestsAtOnce)

    /** The ledger, and the events of the transaction in it. */
    const find = Effect.fnUntraced(function* (
      log: LogReader["Service"],
      { hash, ledgerIndex, network }: Transaction,
      nowMs: number
    ) {
      const indexes =
        ledgerIndex === undefined
          ? yield* queries.ledgersOf(network, hash, nowMs - retentionDeliveriesMs)
          : [ledgerIndex]
      if (indexes.length === 0) return undefined
      const held = { ranges: yield* ledgerRanges(log, network), history: yield* history.ranges(network) }
      let first: FoundLedger | undefined
      for (const index of indexes)
        for (const ledger of yield* findLedgers(log, network, held, index)) {
          first ??= ledger
          const events = (yield* readLedgerEvents(log, network, ledger)).filter(
            (event) => transactionOf(event) === hash
          )
          if (events.length > 0) return { ledger, events }
        }
      return first === undefined ? undefined : { ledger: first, events: [] }
    })

    /** The newest delivery of each webhook and event, and the status of each that was found, by its id. */
    const deliveriesOf = Effect.fnUntraced(function* (
      ledger: FoundLedger,
      events: ReadonlyArray<LedgerEvent>,
      webhookIds: ReadonlyArray<WebhookId>
    ) {
      const newest = new Map<string, FoundDelivery>()
      if (events.length === 0 || webhookIds.length === 0)
        return { newest, live: new Map<string, DeliveryStatus>() }
      const liveIds = ledger.isHistory
        ? []
        : events.flatMap((event) => webhookIds.map((id) => liveDeliveryId(event, id)))
      const eventIds = events.map((event) => event.event_id)
      const takenAt = ledger.marker.detected_at
      const found = yield* deliveriesToExplain(sql, liveIds, takenAt, eventIds, webhookIds)
      for (const row of found) {
        const pair = pairOf(row.webhookId, row.eventId)
        const known = newest.get(pair)
        if (known === undefined || known.id < row.id) newest.set(pair, row)
      }
      return { newest, live: new Map(found.map(({ id, status }) => [id, status])) }
    })

    const explainFound = Effect.fnUntraced(function* (
      log: LogReader["Service"],
      network: Network,
      { events: all, ledger }: { readonly events: ReadonlyArray<LedgerEvent>; readonly ledger: FoundLedger },
      whose: WhoseWebhooks
    ) {
      const events = all.slice(0, SHOWN.events)
      const taken = { at: ledger.marker.detected_at, isHistory: ledger.isHistory }
      const accounts = [...new Set(events.flatMap((event) => event.accounts))]
      const limit = SHOWN.webhooks
      const { count, webhooks } = yield* webhooksToExplain(sql, whose, accounts, taken.at, limit)
      const deliveries = yield* deliveriesOf(
        ledger,
        events,
        webhooks.map(({ id }) => id)
      )
      const assumed = events.map((event) => ({
        event,
        webhooks: webhooks.map((webhook) => {
          const id = liveDeliveryId(event, webhook.id)
          const status = deliveries.live.get(id)
          return { id, webhook, status, explained: explain(webhook, event, taken, { status, isInLog: true }) }
        })
      }))
      /** The log is read only for these: nothing else explains why they have no row. */
      const unexplained = assumed.flatMap((one) =>
        one.webhooks
          .filter(({ explained, status }) => explained.reason === "queued" && status === undefined)
          .map(({ id, webhook }) => ({
            id,
            webhookId: webhook.id,
            // A ledger's events are appended together.
            eventOffset: ledger.marker.first_event_offset! + one.event.position
          }))
      )
      const waiting = yield* waitingInLog(log, network, unexplained)
      return {
        ledger,
        events: assumed.map((one) => ({
          event: one.event,
          webhooks: one.webhooks.map(({ explained, id, status, webhook }) => ({
            webhookId: webhook.id,
            ...(explained.reason === "queued" && status === undefined && !waiting.has(id)
              ? explain(webhook, one.event, taken, { status, isInLog: false })
              : explained),
            delivery: deliveries.newest.get(pairOf(webhook.id, one.event.event_id))
          }))
        })),
        eventCount: all.length,
        webhookCount: count
      } satisfies Explanation
    })

    return {
      hasWebhook: ({ accountId, networks }: WhoseWebhooks, id: string) =>
        sql`
          SELECT 1 FROM webhooks WHERE id = ${id} AND network = ANY(${column(networks)}::text[])
          ${accountId === undefined ? sql`` : sql`AND account_id = ${accountId}`}`.pipe(
          Effect.map((rows) => rows.length > 0)
        ),

      explain: Effect.fnUntraced(
        function* (log: LogReader["Service"], transaction: Transaction, whose: WhoseWebhooks, nowMs: number) {
          const found = yield* find(log, transaction, nowMs)
          if (found !== undefined) return yield* explainFound(log, transaction.network, found, whose)
          return { ledger: undefined, events: [], eventCount: 0, webhookCount: 0 } satisfies Explanation
        },
        Effect.catchTag("NotAMarker", Effect.die),
        turns.withPermits(1)
      )
    }
  })
}) {
  static readonly layer = Layer.effect(Explanations, Explanations.make)
}
