/**
 * Pages of deliveries: which part of the log is looked at first, and that PostgreSQL opens no more of it. That pages are
 * exact for every filter, wherever their rows are, stands in test/api/DeliveryFilters.test.ts.
 */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../src/config/Limits.ts"
import { deliveryId, firstIdAt } from "../../src/domain/Ids.ts"
import { column } from "../../src/storage/Columns.ts"
import {
  type DeliveryFilter,
  pageRange,
  pageStatement,
  recentPart,
  recentStatement
} from "../../src/storage/DeliveryPages.ts"
import { DeliveryQueries } from "../../src/storage/DeliveryQueries.ts"
import { DeliveryStore } from "../../src/storage/DeliveryStore.ts"
import { foldChanges } from "../../src/storage/DeliveryTotals.ts"
import { Outbox } from "../../src/storage/Outbox.ts"
import { Partitions } from "../../src/storage/Partitions.ts"
import { findPendingTypes } from "../../src/storage/PendingTypes.ts"
import { ReadSql } from "../../src/storage/Sql.ts"
import { TestDatabase } from "../support/postgres.ts"
import { insertAccount, insertWebhook } from "../support/rows.ts"

const DAY_MS = 86_400_000
const NOW = Date.parse("2026-11-21T09:30:17.250Z")
const OWNER = { accountId: "acct_1", networks: ["mainnet"] } as const
const LIMIT = 21
const ANY: DeliveryFilter = {
  webhookId: undefined,
  eventType: undefined,
  status: undefined,
  since: undefined,
  until: undefined
}
const idAt = (unixMs: number) => firstIdAt("dlv_", unixMs)

describe("recentPart", () => {
  const recent = (filter: Partial<DeliveryFilter>, beforeId?: string) =>
    recentPart(pageRange({ ...ANY, ...filter }, beforeId, LIMIT), NOW)

  it("ends where the page does, and begins so much before that, or before now", () => {
    const { endId } = pageRange(ANY, undefined, LIMIT)
    assert.deepStrictEqual(recent({}), { fromId: idAt(NOW - Limits.recentPageMs), endId, limit: LIMIT })
    const last = deliveryId(NOW - 9 * DAY_MS, 3, "wh_1", "event")
    assert.deepStrictEqual(recent({}, last), {
      fromId: idAt(NOW - 9 * DAY_MS - Limits.recentPageMs),
      endId: last,
      limit: LIMIT
    })
    assert.strictEqual(
      recent({ until: NOW - 5 * DAY_MS }).fromId,
      idAt(NOW - 5 * DAY_MS - Limits.recentPageMs)
    )
    assert.strictEqual(recent({ until: NOW + 5 * DAY_MS }).fromId, idAt(NOW - Limits.recentPageMs))
    assert.strictEqual(recent({ until: 0 }).fromId, idAt(0))
  })

  it("is the range itself where that is no longer", () => {
    const range = pageRange({ ...ANY, since: NOW - 1_000 }, undefined, LIMIT)
    assert.strictEqual(recentPart(range, NOW), range)
  })
})

/** As much of a plan that ran as tells what it read. */
interface PlanNode {
  readonly "Relation Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<PlanNode>
}

/** Deliveries looked at. */
const rowsRead = (node: PlanNode): number => {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0)
  if (!/^deliveries_\d/.test(node["Relation Name"] ?? "")) return below
  return below + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
}

const Live = Layer.mergeAll(DeliveryStore.layer, DeliveryQueries.layer, Partitions.layer).pipe(
  Layer.provideMerge(Outbox.layer),
  Layer.provideMerge(TestDatabase)
)

layer(Live)("pages of deliveries", (it) => {
  it.effect("of the last day open its partitions alone, for every filter that has an order", () =>
    Effect.gen(function* () {
      const read = yield* ReadSql
      yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(NOW - 30 * DAY_MS, NOW))
      for (const webhookId of [undefined, "wh_1"])
        for (const eventType of [undefined, "payment.xrp"])
          for (const status of [undefined, "failed", "retrying"] as const) {
            const filter = { ...ANY, webhookId, eventType, status }
            const range = recentPart(pageRange(filter, idAt(NOW), LIMIT), NOW)
            const { text, values } = recentStatement("id", OWNER, filter, range)
            const plan = yield* read.unsafe<{ readonly "QUERY PLAN": string }>(`EXPLAIN ${text}`, values)
            const lines = plan.map((line) => line["QUERY PLAN"]).join("\n")
            const opened = lines.match(/(?<=on )deliveries_\d{8}(?= )/g)
            assert.sameMembers(opened ?? [], ["deliveries_20261121", "deliveries_20261120"], lines)
            // In the index's order: nothing but a page is ever sorted.
            assert.notMatch(lines, /Seq Scan on deliveries|Bitmap/)
          }
    })
  )

  it.effect("read the rows of a minute that has what is wanted, and not its day's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const read = yield* ReadSql
      yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(NOW - 10 * DAY_MS, NOW + DAY_MS))
      yield* insertAccount("acct_minutes")
      const webhookIds = yield* Effect.forEach(Array.from({ length: 5 }), () => insertWebhook("acct_minutes"))
      // Ten a minute, of five webhooks and four types; of each hour's the first one is pending, of a type that is not asked for.
      const hours = 20
      yield* sql`
        INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, status, updated_at)
        SELECT left(first_delivery_id(${NOW - hours * 3_600_000}::bigint + i * 6000), 14) || lpad(i::text, 16, '0'),
               (${column(webhookIds)}::text[])[1 + i % 5], 'acct_minutes', 'mainnet', 'event',
               (ARRAY['nft.minted', 'payment.xrp', 'check.cashed', 'nft.burned'])[1 + i % 4], i,
               CASE i % 600 WHEN 0 THEN 'pending' ELSE 'delivered' END, now()
        FROM generate_series(0, ${hours * 600 - 1}::bigint) AS i`
      yield* foldChanges
      yield* sql`ANALYZE`
      const filter = { ...ANY, status: "pending" as const, eventType: "payment.xrp" }
      const owner = { accountId: "acct_minutes", networks: ["mainnet" as const] }
      const { text, values } = pageStatement("id", owner, filter, pageRange(filter, undefined, LIMIT))
      const literals = values.map((value) => `'${typeof value === "string" ? value : `{${value.join()}}`}'`)
      const readForPage = read.withTransaction(
        Effect.gen(function* () {
          yield* read.unsafe(`PREPARE page AS ${text}`)
          const [row] = yield* read.unsafe<{
            readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: PlanNode }>
          }>(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE page(${literals.join()})`)
          yield* read`DEALLOCATE page`
          return rowsRead(row!["QUERY PLAN"][0]!.Plan)
        })
      )
      // The webhook's two of each such minute.
      assert.isAtMost(yield* readForPage, 2 * hours)
      // None, once it is known what waits there.
      assert.strictEqual(yield* findPendingTypes(NOW), hours)
      assert.strictEqual(yield* readForPage, 0)
    })
  )

  it.effect("are whole, whether the last day fills them, has a part of them or nothing", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const queries = yield* DeliveryQueries
      yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(NOW - 30 * DAY_MS, NOW))
      yield* insertAccount(OWNER.accountId)
      const webhookId = yield* insertWebhook(OWNER.accountId)
      const ids = [
        0,
        1,
        Limits.recentPageMs - 1,
        Limits.recentPageMs,
        Limits.recentPageMs + 1,
        3 * DAY_MS,
        20 * DAY_MS
      ].map((age, position) => deliveryId(NOW - age, position, webhookId, "event"))
      yield* store.insertPending(
        ids.map((id) => ({
          id,
          webhookId,
          accountId: OWNER.accountId,
          network: "mainnet" as const,
          eventId: "event",
          eventType: "payment.xrp",
          eventOffset: 0
        })),
        NOW
      )
      const page = (limit: number, beforeId?: string) =>
        Effect.map(queries.list(OWNER, ANY, beforeId, limit, NOW), (rows) => rows.map(({ id }) => id))
      for (let limit = 1; limit <= ids.length + 1; limit++)
        for (let before = -1; before < ids.length; before++)
          assert.deepStrictEqual(
            yield* page(limit, ids[before]),
            ids.slice(before + 1, before + 1 + limit),
            `${limit} from ${before + 1}`
          )
    })
  )
})
