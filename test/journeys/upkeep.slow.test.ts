/** Every process does this upkeep on its database, whatever its roles are. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { roles } from "../../src/app/Roles.ts"
import { END_AT_ONCE } from "../../src/features/webhooks/DeletedQueues.ts"
import { WebhookStore } from "../../src/features/webhooks/WebhookStore.ts"
import { Partitions } from "../../src/spine/deliveries/Partitions.ts"
import { eventually } from "../support/deliver/delivering.ts"
import { settingsLayer } from "../support/program/settings.ts"
import { TestDatabase } from "../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../support/store/rows.ts"

/** Queues the backlog that a webhook has after a long time without its receiver. */
const queueBacklog = Effect.fnUntraced(function* (webhookId: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  const now = Date.now()
  yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(now, now))
  yield* sql`
    INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, status, parked,
                            updated_at)
    SELECT left(first_delivery_id(to_timestamp(${now}::float8 / 1000)), 14) || lpad(i::text, 16, '0'), id, account_id, network, i::text,
           'payment.xrp', i, 'pending', true, now()
    FROM webhooks, generate_series(1, ${count}::int) AS i WHERE id = ${webhookId}`
})

const Live = Layer.fresh(roles).pipe(
  Layer.provideMerge(TestDatabase),
  Layer.provide(settingsLayer({ ROLES: "delay", XRPL_MAINNET_URLS: "" }))
)

describe("upkeep", () => {
  it.live("makes the days that deliveries need, and adds to totals what changed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const partitions = sql`SELECT 1 FROM pg_inherits WHERE inhparent = 'deliveries'::regclass`
      yield* eventually(Effect.map(partitions, (rows) => assert.isAbove(rows.length, 1)))
      yield* sql`
        INSERT INTO delivery_changes VALUES
          ('acct_1', 'mainnet', 'wh_1', 'payment.xrp', 'delivered', 9, now(), 3, 21),
          ('acct_1', 'mainnet', 'wh_1', 'payment.xrp', 'delivered', 9, now(), 1, 7)`
      const days = sql`
        SELECT webhook_id, count::int, latency_sum::int FROM delivery_totals WHERE width = '1 day'`
      yield* eventually(
        Effect.map(days, (rows) =>
          assert.deepStrictEqual(rows, [{ webhook_id: "wh_1", count: 4, latency_sum: 28 }])
        )
      )
      assert.deepStrictEqual(yield* sql`SELECT 1 FROM delivery_changes`, [])
    }).pipe(Effect.scoped, Effect.provide(Live))
  )

  it.live("ends what is queued for a deleted webhook when it is more than its request could end", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* insertAccount("acct_1")
      const webhook = yield* insertWebhook("acct_1")
      yield* queueBacklog(webhook, END_AT_ONCE)
      const webhooks = yield* WebhookStore
      yield* webhooks.remove({ accountId: "acct_1", networks: ["mainnet"] }, webhook, Date.now())
      const queued = sql`SELECT 1 FROM deliveries WHERE status = 'pending'`
      yield* eventually(Effect.map(queued, (rows) => assert.strictEqual(rows.length, 0)))
    }).pipe(Effect.scoped, Effect.provide(Live))
  )
})
