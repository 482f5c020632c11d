/**
 * Pages of deliveries: how much is read for them. That pages are exact for every filter, wherever their rows are,
 * is tested in test/api/DeliveryFilters.slow.test.ts.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { deliveryStatuses } from "../../../src/domain/Delivery.ts"
import { deliveryId, firstDeliveryIdAt } from "../../../src/domain/Ids.ts"
import { column } from "../../../src/storage/Columns.ts"
import { type DeliveryFilter, deliveryPage } from "../../../src/storage/deliveries/DeliveryPages.ts"
import { foldChanges } from "../../../src/storage/deliveries/DeliveryTotals.ts"
import { Partitions } from "../../../src/storage/deliveries/Partitions.ts"
import { ReadSql } from "../../../src/storage/Sql.ts"
import type { Owner } from "../../../src/storage/webhooks/WebhookStore.ts"
import { TestDatabase } from "../../support/postgres.ts"
import { insertAccount, insertWebhook } from "../../support/rows.ts"

const DAY_MS = 86_400_000
const NOW = Date.parse("2026-11-21T09:30:17.250Z")
const LIMIT = 21

/** The parts of an executed plan that show how many rows it read. */
interface PlanNode {
  readonly "Relation Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<PlanNode>
}

/** How many delivery rows the query read. */
const rowsRead = (node: PlanNode): number => {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0)
  if (!/^deliveries_\d/.test(node["Relation Name"] ?? "")) return below
  return below + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
}

/** How many deliveries a generic plan reads for a first page. */
const readFor = Effect.fnUntraced(function* (owner: Owner, filter: DeliveryFilter) {
  const read = yield* ReadSql
  const page = deliveryPage(read, read.literal("id"), owner, filter, undefined, LIMIT)
  const [text, values] = page.compile()
  const literals = values.map((value) => `'${Array.isArray(value) ? `{${value.join()}}` : value}'`)
  return yield* read.withTransaction(
    Effect.gen(function* () {
      yield* read.unsafe(`PREPARE page AS ${text}`)
      const [row] = yield* read.unsafe<{
        readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: PlanNode }>
      }>(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE page(${literals.join()})`)
      yield* read`DEALLOCATE page`
      return rowsRead(row!["QUERY PLAN"][0]!.Plan)
    })
  )
})

layer(Layer.provideMerge(Partitions.layer, TestDatabase))("pages of deliveries", (it) => {
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
      assert.isAtMost(yield* readFor(owner, { statuses: ["pending"], eventType: "nft.minted" }), 25 * LIMIT)
      assert.strictEqual(yield* readFor(owner, { statuses: ["pending"], eventType: "payment.xrp" }), 0)
      assert.isAtMost(yield* readFor(owner, { statuses: ["pending"] }), 10 * LIMIT)
      assert.strictEqual(yield* readFor(owner, { statuses: ["failed"] }), 0)
      assert.isAtMost(yield* readFor(owner, { statuses: ["pending", "failed", "retrying"] }), 10 * LIMIT)
      for (const statuses of [undefined, ["delivered"], ["pending", "delivered"]] as const)
        for (const webhookId of [undefined, webhookIds[0]])
          for (const eventType of [undefined, "payment.xrp"])
            assert.isAtMost(yield* readFor(owner, { statuses, webhookId, eventType }), 4 * LIMIT)
      // PostgreSQL has statistics of the first account only, and plans as if no other rows existed.
      const other = { ...owner, accountId: "acct_other" }
      for (const statuses of [
        undefined,
        ["failed", "retrying"] as const,
        ...deliveryStatuses.map((one) => [one])
      ])
        for (const webhookId of [undefined, webhookIds[0]])
          for (const eventType of [undefined, "payment.xrp"])
            assert.strictEqual(yield* readFor(other, { statuses, webhookId, eventType }), 0)
    })
  )

  it.effect("of one event read that event's rows, and none of its ledger's or its account's others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(NOW - 10 * DAY_MS, NOW + DAY_MS))
      yield* insertAccount("acct_events")
      const webhookIds = yield* Effect.forEach(Array.from({ length: 5 }), () => insertWebhook("acct_events"))
      // Ledgers of 100 events each; every event goes to five webhooks, and every tenth delivery is a replay's.
      const ids = Array.from({ length: 10_000 }, (_, i) => {
        const ledger = Math.floor(i / 500)
        const position = Math.floor(i / 5) % 100
        const eventId = `xrpl:${100 + ledger}:${"A".repeat(64)}:nft.minted:${position}`
        const at = NOW - DAY_MS + ledger * 4_000 + (i % 10 === 0 ? 3_600_000 : 0)
        return {
          eventId,
          webhookId: webhookIds[i % 5]!,
          id: deliveryId(at, position, webhookIds[i % 5]!, eventId)
        }
      })
      yield* sql`
        INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, replay_job_id, status, updated_at)
        SELECT id, webhook_id, 'acct_events', 'mainnet', event_id, 'nft.minted', n, CASE n % 10 WHEN 1 THEN 'rpl_job_1' END, 'delivered', now()
        FROM unnest(${column(ids.map(({ id }) => id))}::text[], ${column(ids.map(({ webhookId }) => webhookId))}::text[],
                    ${column(ids.map(({ eventId }) => eventId))}::text[]) WITH ORDINALITY AS row (id, webhook_id, event_id, n)`
      yield* sql`ANALYZE`
      const owner = { accountId: "acct_events", networks: ["mainnet" as const] }
      const takenAt = NOW - DAY_MS + 7 * 4_000
      const event = {
        id: ids[7 * 500 + 40]!.eventId,
        liveIds: [
          {
            network: "mainnet" as const,
            from: firstDeliveryIdAt(takenAt, 8),
            end: firstDeliveryIdAt(takenAt, 9)
          }
        ]
      }
      for (const webhookId of [undefined, webhookIds[1]])
        for (const statuses of [undefined, ["failed"]] as const)
          assert.isAtMost(yield* readFor(owner, { event, webhookId, statuses }), 5)
    })
  )
})
