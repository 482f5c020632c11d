/** The log gets every state of a webhook's row, in the order of the changes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { makeEndQueue } from "../../../src/features/webhooks/DeletedQueues.ts"
import { WebhookStore } from "../../../src/features/webhooks/WebhookStore.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import type { WebhookConfig } from "../../../src/spine/domain/Webhook.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import { UsedDatabase } from "../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../support/store/rows.ts"

const NOW = Date.parse("2026-11-21T09:30:00.000Z")
const owner = { accountId: "acct_1", networks: ["mainnet"] } as const

const Live = Layer.mergeAll(
  WebhookStore.layer,
  DeliveryStore.layer,
  DeliveryQueries.layer,
  Partitions.layer
).pipe(Layer.provideMerge(Outbox.layer), Layer.provideMerge(UsedDatabase))

const recorded = Effect.gen(function* () {
  const outbox = yield* Outbox
  return (yield* outbox.next(0, 1_000)).map(({ key, value }) => ({
    key,
    config: value === null ? null : (JSON.parse(value) as WebhookConfig)
  }))
})

describe("webhook store", () => {
  it.live("concurrent changes: the last record matches the final row", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      yield* insertAccount("acct_1")
      const id = yield* insertWebhook("acct_1")
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, i) => i + 1),
        (max_in_flight) => store.change(owner, id, { max_in_flight }, NOW),
        { concurrency: "unbounded" }
      )
      const records = yield* recorded
      assert.strictEqual(records.length, 20)
      const row = Option.getOrThrow(yield* store.find(owner, id))
      assert.strictEqual(records.at(-1)?.config?.max_in_flight, row.max_in_flight)
    }).pipe(Effect.provide(Live))
  )

  it.live("deletes a webhook while its attempts are being recorded", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const deliveries = yield* DeliveryStore
      const endQueue = yield* makeEndQueue
      const sql = yield* SqlClient.SqlClient
      yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(NOW, NOW))
      yield* insertAccount("acct_1")
      for (let round = 0; round < 5; round++) {
        const webhookId = yield* insertWebhook("acct_1")
        const rows = Array.from({ length: 50 }, (_, i) => ({
          id: deliveryId(NOW, i, webhookId, "event"),
          webhookId,
          accountId: "acct_1",
          network: "mainnet" as const,
          eventId: "event",
          eventType: "payment.xrp",
          eventOffset: i
        }))
        yield* deliveries.insertPending(rows, NOW)
        const record = Effect.forEach(
          rows,
          ({ id }) =>
            deliveries.record(
              [
                {
                  deliveryId: id,
                  attempt: 1,
                  status: "failed",
                  responseStatus: 503,
                  responseTimeMs: 1,
                  responseBody: null,
                  error: "HTTP 503",
                  attemptedAt: NOW,
                  endedAt: NOW,
                  nextDelayMs: null
                }
              ],
              1_000
            ),
          { concurrency: 3 }
        )
        const remove = Effect.andThen(store.remove(owner, webhookId, NOW), endQueue(owner, webhookId, 1_000))
        yield* Effect.all([remove, record], { concurrency: "unbounded" })
        const open = yield* sql`
          SELECT 1 FROM deliveries WHERE webhook_id = ${webhookId} AND status IN ('pending', 'retrying')`
        assert.deepStrictEqual(open, [])
        assert.isFalse(yield* store.remove(owner, webhookId, NOW))
      }
    }).pipe(Effect.provide(Live))
  )
})
