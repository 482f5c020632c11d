/**
 * Pages of deliveries: how much is read for them. That pages are exact for every filter, wherever their rows are,
 * is tested in test/features/deliveries/DeliveryFilters.slow.test.ts.
 */

import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { column } from "../../../src/spine/store/Columns.ts"
import { deliveryId, firstDeliveryIdAt, firstIdAt } from "../../../src/spine/words/Ids.ts"
import { MonthDatabase } from "../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../support/store/rows.ts"
import { deliveriesReadForPage, PAGE } from "../../support/store/rowsRead.ts"

const DAY_MS = 86_400_000
const NOW = Date.parse("2026-11-21T09:30:17.250Z")

layer(Layer.provideMerge(Partitions.layer, MonthDatabase))("pages of deliveries", (it) => {
  it.effect("of a job read its rows and stop, before PostgreSQL knows how many there are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const day = NOW + 2 * DAY_MS
      yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(day, day))
      yield* insertAccount("acct_jobs")
      const webhookId = yield* insertWebhook("acct_jobs")
      const [from, end] = [firstIdAt("dlv_", day), firstIdAt("dlv_", day + 1)]
      yield* sql`
        INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, replay_job_id, status, updated_at)
        SELECT left(${from}, 14) || lpad(i::text, 16, '0'), ${webhookId}, 'acct_jobs', 'mainnet', 'event ' || i, 'payment.xrp', i,
               'rpl_job_1', CASE i % 100 WHEN 0 THEN 'failed' ELSE 'delivered' END, now()
        FROM generate_series(1, 20_000) AS i`
      yield* sql`INSERT INTO retried_deliveries SELECT 'rpl_job_2', id FROM deliveries WHERE webhook_id = ${webhookId}`
      const owner = { accountId: "acct_jobs", networks: ["mainnet" as const] }
      for (const job of [
        { id: "rpl_job_1", webhookId, ids: { from, end } },
        { id: "rpl_job_2", webhookId, ids: undefined }
      ]) {
        assert.isAtMost(yield* deliveriesReadForPage(owner, { job }), 2 * PAGE)
        assert.isAtMost(yield* deliveriesReadForPage(owner, { job, statuses: ["delivered"] }), 2 * PAGE)
        assert.isAtMost(yield* deliveriesReadForPage(owner, { job, eventType: "payment.xrp" }), 2 * PAGE)
      }
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
          assert.isAtMost(yield* deliveriesReadForPage(owner, { event, webhookId, statuses }), 5)
    })
  )
})
