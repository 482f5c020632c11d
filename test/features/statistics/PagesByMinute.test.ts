/** Pages of deliveries find by the totals which minutes have matching ones. They read few rows, whatever is asked for. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { foldChanges } from "../../../src/features/statistics/DeliveryTotals.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { deliveryStatuses } from "../../../src/spine/domain/Delivery.ts"
import { column } from "../../../src/spine/store/Columns.ts"
import { DAY_MS, NOW } from "../../support/deliver/deliveryRows.ts"
import { MonthDatabase } from "../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../support/store/rows.ts"
import { deliveriesReadForPage, PAGE } from "../../support/store/rowsRead.ts"

layer(Layer.provideMerge(Partitions.layer, MonthDatabase))("pages of deliveries", (it) => {
  it.effect("read only rows of minutes that have matching deliveries", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(NOW - 10 * DAY_MS, NOW + DAY_MS))
      yield* insertAccount("acct_minutes")
      const webhookIds = yield* Effect.forEach(Array.from({ length: 5 }), () => insertWebhook("acct_minutes"))
      // Ten a minute, of five webhooks and four types; of each hour's the first one is pending, of a type that is not
      // asked for.
      const hours = 20
      yield* sql`
        INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, status, updated_at)
        SELECT left(first_delivery_id(to_timestamp(${NOW / 1_000 - hours * 3_600}::float8 + i * 6)), 14) || lpad(i::text, 16, '0'),
               (${column(webhookIds)}::text[])[1 + i % 5], 'acct_minutes', 'mainnet', 'event',
               (ARRAY['nft.minted', 'payment.xrp', 'check.cashed', 'nft.burned'])[1 + i % 4], i,
               CASE i % 600 WHEN 0 THEN 'pending' ELSE 'delivered' END, now()
        FROM generate_series(0, ${hours * 600 - 1}::bigint) AS i`
      yield* foldChanges
      yield* sql`ANALYZE`
      const owner = { accountId: "acct_minutes", networks: ["mainnet" as const] }
      // Ten minutes have a hundred, a quarter of them of the type.
      assert.isAtMost(
        yield* deliveriesReadForPage(owner, { statuses: ["pending"], eventType: "nft.minted" }),
        25 * PAGE
      )
      assert.strictEqual(
        yield* deliveriesReadForPage(owner, { statuses: ["pending"], eventType: "payment.xrp" }),
        0
      )
      assert.isAtMost(yield* deliveriesReadForPage(owner, { statuses: ["pending"] }), 10 * PAGE)
      assert.strictEqual(yield* deliveriesReadForPage(owner, { statuses: ["failed"] }), 0)
      assert.isAtMost(
        yield* deliveriesReadForPage(owner, { statuses: ["pending", "failed", "retrying"] }),
        10 * PAGE
      )
      for (const statuses of [undefined, ["delivered"], ["pending", "delivered"]] as const)
        for (const webhookId of [undefined, webhookIds[0]])
          for (const eventType of [undefined, "payment.xrp"])
            assert.isAtMost(yield* deliveriesReadForPage(owner, { statuses, webhookId, eventType }), 4 * PAGE)
      // PostgreSQL has statistics of the first account only, and plans as if no other rows existed.
      const other = { ...owner, accountId: "acct_other" }
      for (const statuses of [
        undefined,
        ["failed", "retrying"] as const,
        ...deliveryStatuses.map((one) => [one])
      ])
        for (const webhookId of [undefined, webhookIds[0]])
          for (const eventType of [undefined, "payment.xrp"])
            assert.strictEqual(yield* deliveriesReadForPage(other, { statuses, webhookId, eventType }), 0)
    })
  )
})
