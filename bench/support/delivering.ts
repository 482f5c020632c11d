/**
 * Runs the delivery half of the program for benchmarks: its layers on a store of their own, with work queued as route
 * does.
 */
import { Effect, Layer } from "effect"
import { Recorder } from "../../src/spine/deliver/record/Recorder.ts"
import { Sender } from "../../src/spine/deliver/send/Sender.ts"
import { type SignedRequest, signedRequest } from "../../src/spine/deliver/send/Signer.ts"
import { DeliveryStore } from "../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../src/spine/deliveries/Partitions.ts"
import { UsageStore } from "../../src/spine/deliveries/UsageStore.ts"
import { DELIVERIES_TOPIC, type DeliveryWork } from "../../src/spine/domain/Delivery.ts"
import type { LedgerEvent } from "../../src/spine/event/LedgerEvent.ts"
import * as EmbeddedLog from "../../src/spine/log/embedded/EmbeddedLog.ts"
import { Log } from "../../src/spine/log/Log.ts"
import { AccountHolds } from "../../src/spine/registry/AccountHolds.ts"
import { DisableWebhooks } from "../../src/spine/registry/DisableWebhooks.ts"
import { WebhookRegistry } from "../../src/spine/registry/WebhookRegistry.ts"
import { RoutedWebhooks } from "../../src/spine/route/RoutedWebhooks.ts"
import { Outbox } from "../../src/spine/store/outbox/Outbox.ts"
import { SecretBox } from "../../src/spine/store/secrets/SecretBox.ts"
import { deliveryId } from "../../src/spine/words/Ids.ts"
import type { Feed } from "./feed.ts"
import { storeLayer } from "./store.ts"
import { NETWORK, SECRET } from "./webhooks.ts"

export const deliveringLayer = (feed: Feed) =>
  Layer.mergeAll(Recorder.layer, AccountHolds.layer).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        UsageStore.layer,
        WebhookRegistry.layer,
        RoutedWebhooks.layer,
        DisableWebhooks.layer,
        Layer.provide(feed.store, DeliveryStore.layer),
        Partitions.layer,
        Sender.layer
      )
    ),
    Layer.provideMerge(
      Layer.mergeAll(Outbox.layer, SecretBox.layer, Layer.provide(feed.log, EmbeddedLog.layer))
    ),
    Layer.provideMerge(storeLayer())
  )

/** Every event to every webhook: first attempts, in the order in which route queues them. */
export const worksOf = (
  events: ReadonlyArray<LedgerEvent>,
  webhookIds: ReadonlyArray<string>
): ReadonlyArray<DeliveryWork> =>
  events.flatMap((event) =>
    webhookIds.map(
      (webhookId): DeliveryWork => ({
        delivery_id: deliveryId(event.detected_at, event.position, webhookId, event.event_id),
        webhook_id: webhookId,
        attempt: 1,
        series_attempt: 1,
        due_at: 0,
        event
      })
    )
  )

/** The same requests that the stage will send, except for the time of sending. */
export const requestOf = (work: DeliveryWork, url: string): SignedRequest =>
  signedRequest({
    url: new URL(url),
    headers: {},
    secrets: [SECRET],
    webhookId: work.webhook_id,
    deliveryId: work.delivery_id,
    event: work.event,
    nowMs: work.event.detected_at
  })

/** How many rows one statement inserts, and how many records one transaction appends. */
const CHUNK = 1_000

const inChunks = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, i) => all.slice(i * CHUNK, (i + 1) * CHUNK))

/** Pending rows. `eventOffsets`, by event id: read only for deliveries that wait in PostgreSQL. */
export const insertRows = Effect.fnUntraced(function* (
  works: ReadonlyArray<DeliveryWork>,
  accountId: string,
  eventOffsets: ReadonlyMap<string, number> = new Map()
) {
  const store = yield* DeliveryStore
  const now = works[0]!.event.detected_at
  for (const chunk of inChunks(works)) {
    yield* store.insertPending(
      chunk.map((work) => ({
        id: work.delivery_id,
        webhookId: work.webhook_id,
        accountId,
        network: NETWORK,
        eventId: work.event.event_id,
        eventType: work.event.event_type,
        eventOffset: eventOffsets.get(work.event.event_id) ?? 0
      })),
      now
    )
  }
})

/** Work records, as route leaves them. */
export const queueWorks = Effect.fnUntraced(function* (
  works: ReadonlyArray<DeliveryWork>,
  accountId: string,
  eventOffsets?: ReadonlyMap<string, number>
) {
  const log = yield* Log
  for (const chunk of inChunks(works)) {
    yield* log.transaction({
      append: chunk.map((work) => {
        const row = { account_id: accountId, event_offset: eventOffsets?.get(work.event.event_id) ?? 0 }
        return { topic: DELIVERIES_TOPIC, key: work.webhook_id, value: JSON.stringify({ ...work, row }) }
      })
    })
  }
})
