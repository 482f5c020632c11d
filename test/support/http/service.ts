/**
 * The API and the delivery stages in one process, as ROLES=api,deliver,delay runs them. A customer's HTTP requests
 * reach the actors through the outbox and the log, and the actors send to real receivers. Retries are 300 ms apart.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Environment } from "../../../src/spine/config/Config.ts"
import { Recorder } from "../../../src/spine/deliver/record/Recorder.ts"
import { Sender } from "../../../src/spine/deliver/send/Sender.ts"
import type { DeliveryStatus } from "../../../src/spine/domain/Delivery.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { AccountHolds } from "../../../src/spine/registry/AccountHolds.ts"
import { WebhookRegistry } from "../../../src/spine/registry/WebhookRegistry.ts"
import { Leases } from "../../../src/spine/store/Leases.ts"
import { outboxPublisherLayer } from "../../../src/spine/store/outbox/OutboxPublisher.ts"
import { eventually, startDelivering } from "../deliver/delivering.ts"
import { type Answer, ApiUnderTest, apiLayer } from "./api.ts"

/** `registryLog`: the log from which deliver reads webhooks, if it is not the log of the other stages. */
export const serviceLayer = (
  environment: Environment = {},
  registryLog: Layer.Layer<Log, never, Log> = Layer.effect(Log, Log)
) =>
  Layer.mergeAll(Recorder.layer, outboxPublisherLayer).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        WebhookRegistry.layer.pipe(Layer.provide(registryLog)),
        AccountHolds.layer,
        Sender.layer,
        Leases.alone
      )
    ),
    Layer.provideMerge(
      apiLayer({
        DELIVERY_ALLOW_HTTP: "true",
        DELIVERY_ALLOW_PRIVATE_ADDRESSES: "true",
        DELIVERY_RETRY_DELAYS: new Array(9).fill("300ms").join(","),
        DELIVERY_JITTER: "0",
        ...environment
      })
    )
  )

/** A customer's webhook on a running service, and the HTTP calls for it. */
export const startWithWebhook = Effect.fnUntraced(function* (url: string, fields: object = {}) {
  const api = yield* ApiUnderTest
  yield* startDelivering
  const { key, accountId } = yield* api.account()
  const as = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    api.call(method, path, { key, headers, ...(body === undefined ? {} : { body }) })
  const created = yield* as("POST", "/v1/webhooks", { url, event_types: ["payment.xrp"], ...fields })
  assert.strictEqual(created.status, 201, created.text)
  const webhook: { readonly id: string; readonly secret: string } = created.body
  const path = `/v1/webhooks/${webhook.id}`
  const ok = (answer: Answer) => {
    assert.isBelow(answer.status, 300, answer.text)
    return answer.body
  }

  const deliveryOf = (id: string) => Effect.map(as("GET", `/v1/deliveries/${id}`), ok)
  return {
    ...webhook,
    accountId,
    as,
    /** Queues test events; returns the deliveries' ids, in order. */
    test: (count = 1) =>
      Effect.forEach(Array.from({ length: count }), () =>
        Effect.map(as("POST", `${path}/test`, { event_type: "payment.xrp" }), (answer) =>
          String(ok(answer).delivery_id)
        )
      ),
    rotate: (body?: unknown) => Effect.map(as("POST", `${path}/rotate-secret`, body), ok),
    change: (body: unknown) => Effect.map(as("PATCH", path, body), ok),
    remove: Effect.map(as("DELETE", path), ok),
    shown: Effect.map(as("GET", path), ok),
    deliveryOf,
    /** Waits until all of the deliveries have the status. */
    until: (ids: ReadonlyArray<string>, status: DeliveryStatus) =>
      eventually(
        Effect.gen(function* () {
          for (const id of ids) assert.strictEqual((yield* deliveryOf(id)).status, status, id)
        })
      )
  }
})
