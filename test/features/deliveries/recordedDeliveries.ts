/** Deliveries for tests of the API: queued as the route stage does it, with attempts as the recorder writes them. */
import { Effect } from "effect"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { eventsTopic, type LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import { ApiUnderTest } from "../../support/http/api.ts"

/** When the deliveries were created. */
export const NOW = Date.parse("2026-11-21T09:30:00.000Z")

const eventAt = (detectedAt: number, position: number, network: Network = "mainnet"): LedgerEvent => ({
  event_id: `xrpl:100:${"A".repeat(64)}:payment.xrp:${position}`,
  event_type: position % 2 === 0 ? "payment.xrp" : "nft.minted",
  ledger_index: 100,
  timestamp: "2026-11-21T09:29:58Z",
  network,
  payload: { sender: "rA", receiver: "rB", amount: "1" },
  accounts: ["rA", "rB"],
  position,
  detected_at: detectedAt
})

let positions = 0

/** Creates an account with a webhook, and a function that queues deliveries for it as the route stage does. */
export const prepareDeliveries = Effect.fnUntraced(function* (environment: "live" | "test" = "live") {
  const api = yield* ApiUnderTest
  const log = yield* Log
  const store = yield* DeliveryStore
  yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(NOW, NOW))
  const { accountId, key } = yield* api.account(environment)
  const created = yield* api.call("POST", "/v1/webhooks", {
    key,
    body: { url: "https://example.com/", event_types: ["*"], headers: { authorization: "Bearer secret" } }
  })
  const { id: webhookId, network } = created.body
  const queue = Effect.fnUntraced(function* (detectedAt: number, fields: Partial<LedgerEvent> = {}) {
    const event = { ...eventAt(detectedAt, positions++, network), ...fields }
    const [at] = yield* log.transaction({
      append: [{ topic: eventsTopic(network), key: network, value: JSON.stringify(event) }]
    })
    const id = deliveryId(detectedAt, event.position, webhookId, event.event_id)
    yield* store.insertPending(
      [
        {
          id,
          webhookId,
          accountId,
          network,
          eventId: event.event_id,
          eventType: event.event_type,
          eventOffset: at!.offset
        }
      ],
      detectedAt
    )
    return { id, event }
  })
  const attempt = (
    id: string,
    number: number,
    status: "delivered" | "retrying" | "failed",
    response: number | null = 503
  ) =>
    store.record(
      [
        {
          deliveryId: id,
          attempt: number,
          status,
          responseStatus: response,
          responseTimeMs: response === null ? null : 12,
          responseBody: response === null ? null : "body",
          error:
            status === "delivered" ? null : response === null ? "connection refused" : `HTTP ${response}`,
          attemptedAt: NOW + number * 1_000,
          endedAt: NOW + number * 1_000 + 12,
          nextDelayMs: status === "retrying" ? 1_000 : null,
          details:
            response === null
              ? { connectMs: null, firstByteMs: null, totalMs: 3, responseHeaders: null }
              : {
                  connectMs: 5,
                  firstByteMs: 11,
                  totalMs: 13,
                  responseHeaders: { server: "nginx", "x-request-id": "a" }
                }
        }
      ],
      100
    )
  const get = (path: string) => api.call("GET", `/v1/deliveries${path}`, { key })
  const idsOf = (path: string) =>
    Effect.map(get(path), ({ body }) => body.data.map(({ id }: { id: string }) => id) as Array<string>)
  return { api, key, accountId, webhookId, queue, attempt, get, idsOf }
})
