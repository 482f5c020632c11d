/**
 * Queues test deliveries: a row that has its own event, and work in the outbox, in one transaction. The row has the
 * webhook's network, so every key that sees the webhook sees the delivery.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Partitions } from "../../spine/deliveries/Partitions.ts"
import { insertTest, type NewTestDelivery } from "../../spine/deliveries/Transitions.ts"
import type { Owner } from "../../spine/domain/ApiKey.ts"
import { DELIVERIES_TOPIC, newWork } from "../../spine/domain/Delivery.ts"
import type { WebhookStatus } from "../../spine/domain/Webhook.ts"
import type { Network } from "../../spine/event/Network.ts"
import { Outbox } from "../../spine/store/outbox/Outbox.ts"

export class TestDeliveries extends Context.Service<TestDeliveries>()("ledgerhook/storage/TestDeliveries", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const outbox = yield* Outbox
    const partitions = yield* Partitions

    const insert = Effect.fnUntraced(function* (owner: Owner, delivery: NewTestDelivery, nowMs: number) {
      const { id, webhookId, event } = delivery
      // FOR SHARE: a concurrent delete or disable of the webhook waits, and then finds the row.
      const [webhook] = yield* sql<{ readonly status: WebhookStatus; readonly network: Network }>`
        SELECT status, network FROM webhooks
        WHERE id = ${webhookId} AND account_id = ${owner.accountId} AND network = ANY(${owner.networks}::text[])
              AND deleted_at IS NULL
        FOR SHARE`
      if (webhook === undefined) return "not found"
      if (webhook.status !== "active") return "webhook disabled"
      yield* insertTest(sql, delivery, owner.accountId, webhook.network, nowMs)
      const work = newWork(id, webhookId, event)
      yield* outbox.insert([{ topic: DELIVERIES_TOPIC, key: webhookId, value: JSON.stringify(work) }])
      return "queued"
    }, sql.withTransaction)

    return {
      /** Call it before `queue`, and outside a transaction: a partition is remembered, also if its making is undone. */
      prepare: (nowMs: number) => partitions.ensure(nowMs, nowMs),
      queue: insert
    }
  })
}) {
  static readonly layer = Layer.effect(TestDeliveries, TestDeliveries.make)
}
