/**
 * The delivery stages with the test's own database and the memory log. Actors, recorder, delay topics and sender are
 * the program's; the helpers here write webhooks and work as the route stage and the API would.
 */

import { assert } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { Environment } from "../../../src/spine/config/Config.ts"
import { delay } from "../../../src/spine/delay/Delay.ts"
import { deliver } from "../../../src/spine/deliver/Deliver.ts"
import { deliverLimits } from "../../../src/spine/deliver/Limits.ts"
import { Recorder } from "../../../src/spine/deliver/record/Recorder.ts"
import { Sender } from "../../../src/spine/deliver/send/Sender.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { UsageStore } from "../../../src/spine/deliveries/UsageStore.ts"
import {
  type DeliveryStatus,
  type DeliveryWork,
  newWork,
  workTopic
} from "../../../src/spine/domain/Delivery.ts"
import { defaultOrdering, type Ordering } from "../../../src/spine/domain/Ordering.ts"
import type { Batch } from "../../../src/spine/event/Batch.ts"
import type { Includable } from "../../../src/spine/event/Include.ts"
import { eventsTopic, type LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { defaultFormat, type RequestFormat } from "../../../src/spine/event/RequestFormat.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import * as Telemetry from "../../../src/spine/observe/Telemetry.ts"
import { AccountHolds } from "../../../src/spine/registry/AccountHolds.ts"
import { DisableWebhooks } from "../../../src/spine/registry/DisableWebhooks.ts"
import { WebhookRegistry } from "../../../src/spine/registry/WebhookRegistry.ts"
import { configRecord, tombstone, type WebhookRow } from "../../../src/spine/registry/WebhookRow.ts"
import { RoutedWebhooks } from "../../../src/spine/route/RoutedWebhooks.ts"
import { column } from "../../../src/spine/store/Columns.ts"
import { Leases } from "../../../src/spine/store/Leases.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { outboxPublisherLayer } from "../../../src/spine/store/outbox/OutboxPublisher.ts"
import { SecretBox } from "../../../src/spine/store/secrets/SecretBox.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import * as MemoryLog from "../log/memory/MemoryLog.ts"
import { settingsLayer } from "../program/settings.ts"
import { UsedDatabase } from "../store/postgres.ts"
import { insertAccount, insertWebhook } from "../store/rows.ts"

export const SECRET = "whsec_of_the_test"

/** A tenth of the program's memory and pages, so that a tenth of the deliveries exceed them. */
export const tenthOfMemory: typeof deliverLimits = {
  ...deliverLimits,
  partitionDeliveries: deliverLimits.partitionDeliveries / 10,
  partitionReplays: deliverLimits.partitionReplays / 10,
  feedRecords: deliverLimits.feedRecords / 10,
  lanePageRows: deliverLimits.lanePageRows / 10,
  rowsAtOnce: deliverLimits.rowsAtOnce / 10
}
const NETWORK = "mainnet"

type DeliveriesLayer = Layer.Layer<DeliveryStore, never, SqlClient.SqlClient | Log | Partitions>

/** Everything but the database, the log and the settings. */
export const stagesLayer = (deliveries: DeliveriesLayer = DeliveryStore.layer) =>
  Layer.mergeAll(Recorder.layer, AccountHolds.layer, outboxPublisherLayer).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        UsageStore.layer,
        WebhookRegistry.layer,
        RoutedWebhooks.layer,
        DisableWebhooks.layer,
        Layer.provide(deliveries, Partitions.layer),
        Partitions.layer,
        Sender.layer,
        Leases.alone
      )
    ),
    Layer.provideMerge(Layer.mergeAll(Outbox.layer, SecretBox.layer))
  )

export const deliveringSettings = (environment: Environment = {}) =>
  settingsLayer({ DELIVERY_RETRY_DELAYS: "10ms,10ms", DELIVERY_TIMEOUT: "2 seconds", ...environment })

export const deliveringLayer = (environment?: Environment, deliveries?: DeliveriesLayer) =>
  stagesLayer(deliveries).pipe(
    Layer.provideMerge(MemoryLog.layer),
    Layer.provideMerge(UsedDatabase),
    Layer.provideMerge(deliveringSettings(environment)),
    // No tracing, as in a program without an endpoint for traces.
    Layer.provideMerge(Telemetry.layer(undefined))
  )

/** Runs both stages in the background; `stop` ends them as SIGTERM would. */
export const startDelivering = Effect.map(Effect.forkScoped(Effect.raceFirst(deliver, delay)), (fiber) => ({
  stop: Fiber.interrupt(fiber)
}))

const publish = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const log = yield* Log
  const [row] = yield* sql<
    WebhookRow & { readonly deleted_at: string | null }
  >`SELECT * FROM webhooks WHERE id = ${id}`
  yield* log.transaction({ append: [row!.deleted_at === null ? configRecord(row!) : tombstone(id)] })
})

/** Creates a webhook for `url`; a test may set fields of its row. */
export const makeWebhook = Effect.fnUntraced(function* (
  url: string,
  fields: {
    readonly maxInFlight?: number
    readonly maxPerSecond?: number
    readonly ordering?: Ordering
    readonly batch?: Batch
    readonly format?: RequestFormat
    readonly include?: ReadonlyArray<Includable>
    readonly accountId?: string
    readonly id?: string
  } = {}
) {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* SecretBox
  const { accountId = "acct_1" } = fields
  yield* insertAccount(accountId)
  const id = yield* insertWebhook(accountId, secrets.seal(SECRET), fields.id)
  yield* sql`UPDATE webhooks SET url = ${url}, max_in_flight = ${fields.maxInFlight ?? 16}, max_per_second = ${fields.maxPerSecond ?? null},
    batch = ${fields.batch === undefined ? null : JSON.stringify(fields.batch)}::text::json,
    ordering = ${fields.ordering ?? defaultOrdering}, format = ${fields.format ?? defaultFormat}, include = ${column(fields.include ?? [])}::text[] WHERE id = ${id}`
  yield* publish(id)
  return id
})

export const setStatus = Effect.fnUntraced(function* (id: string, status: "active" | "disabled" | "deleted") {
  const sql = yield* SqlClient.SqlClient
  if (status === "deleted") yield* sql`UPDATE webhooks SET deleted_at = now() WHERE id = ${id}`
  else yield* sql`UPDATE webhooks SET status = ${status} WHERE id = ${id}`
  yield* publish(id)
})

export const setPaused = Effect.fnUntraced(function* (id: string, paused: boolean) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE webhooks SET paused_at = CASE WHEN ${paused} THEN now() END WHERE id = ${id}`
  yield* publish(id)
})

let ledger = 90_000_000
const BEGAN = Date.parse("2026-11-21T09:30:00.000Z")

/** The events of the deliveries that were queued here, by delivery id. */
const eventsOf = new Map<string, LedgerEvent>()

/**
 * How work is queued: `live` as route does, without a row; `withRow` as a retry by hand does; `replayed` as a replay job
 * does.
 */
type QueuedAs = "live" | "withRow" | "replayed"

/** Queues `count` events of one ledger for the webhook; returns the delivery ids. `between`: before the work, after rows. */
const queue = Effect.fnUntraced(function* <E, R>(
  webhookId: string,
  count: number,
  as: QueuedAs,
  between: (ids: ReadonlyArray<string>) => Effect.Effect<void, E, R>
) {
  const log = yield* Log
  const store = yield* DeliveryStore
  const sql = yield* SqlClient.SqlClient
  const [webhook] = yield* sql<{ readonly account_id: string }>`
    SELECT account_id FROM webhooks WHERE id = ${webhookId}`
  const { account_id } = webhook!
  const ledgerIndex = ledger++
  const detectedAt = BEGAN + (ledgerIndex - 90_000_000)
  const events = Array.from(
    { length: count },
    (_, position): LedgerEvent => ({
      event_id: `xrpl:${ledgerIndex}:${position.toString(16).toUpperCase().padStart(64, "0")}:payment.xrp`,
      event_type: "payment.xrp",
      ledger_index: ledgerIndex,
      timestamp: "2026-11-21T09:30:00Z",
      payload: { tx_hash: "AB", sender: "rA", receiver: "rB", amount: String(position) },
      accounts: ["rA", "rB"],
      network: NETWORK,
      position,
      detected_at: detectedAt
    })
  )
  const positions = yield* log.transaction({
    append: events.map((event) => ({
      topic: eventsTopic(NETWORK),
      key: NETWORK,
      value: JSON.stringify(event)
    }))
  })
  const works = events.map((event, i): DeliveryWork => {
    const work = newWork(deliveryId(detectedAt, event.position, webhookId, event.event_id), webhookId, event)
    eventsOf.set(work.delivery_id, event)
    if (as === "replayed") return { ...work, replay: true }
    return as === "withRow" ? work : { ...work, row: { account_id, event_offset: positions[i]!.offset } }
  })
  if (as !== "live")
    yield* store.insertPending(
      works.map((work, i) => ({
        id: work.delivery_id,
        webhookId,
        accountId: account_id,
        network: NETWORK,
        eventId: work.event.event_id,
        eventType: work.event.event_type,
        eventOffset: positions[i]!.offset,
        ...(as === "replayed" ? { replayJobId: "rpl_job_1" } : {})
      })),
      BEGAN
    )
  const ids = works.map((work) => work.delivery_id)
  yield* between(ids)
  yield* appendWork(works)
  return ids
})

const nothing = () => Effect.void

export const queueEvents = (webhookId: string, count: number) => queue(webhookId, count, "live", nothing)

/** As a retry by hand queues: the row is written first, and the work does not say what it needs. */
export const queueWithRows = <E = never, R = never>(
  webhookId: string,
  count: number,
  between: (ids: ReadonlyArray<string>) => Effect.Effect<void, E, R> = nothing
) => queue(webhookId, count, "withRow", between)

export const queueReplayed = (webhookId: string, count: number) =>
  queue(webhookId, count, "replayed", nothing)

/** The event of a delivery that was queued here. */
export const eventOf = (id: string) => Effect.sync(() => eventsOf.get(id)!)

export const appendWork = Effect.fnUntraced(function* (works: ReadonlyArray<DeliveryWork>) {
  const log = yield* Log
  yield* log.transaction({
    append: works.map((work) => ({
      topic: workTopic(work),
      key: work.webhook_id,
      value: JSON.stringify(work)
    }))
  })
})

/** Repeats the assertions until they pass. After this time it must be a hang, also on a busy machine. */
export const eventually = <E, R>(assertions: Effect.Effect<void, E, R>) =>
  assertions.pipe(
    Effect.catchDefect((defect) => Effect.fail(defect)),
    Effect.retry(Schedule.spaced("10 millis")),
    Effect.timeout("50 seconds")
  )

/** Waits until the rows of all these deliveries have the status. It polls the last ten, and then reads all. */
export const untilAll = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, status: DeliveryStatus) {
  const store = yield* DeliveryStore
  const have = (some: ReadonlyArray<string>) =>
    eventually(
      Effect.gen(function* () {
        const states = yield* store.states(some)
        const others = some.filter((id) => states.get(id)?.status !== status)
        assert.deepStrictEqual(
          others.map((id) => [id, states.get(id)]),
          []
        )
      })
    )
  yield* have(ids.slice(-10))
  yield* have(ids)
})
