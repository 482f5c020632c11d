/** Statistics of deliveries are those of the rows, whether these are in the totals or not. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { idTime } from "../../src/domain/Ids.ts"
import { addCounts, countsOf, percentile } from "../../src/domain/LatencyHistogram.ts"
import type { Network } from "../../src/domain/Network.ts"
import { type StatsPeriod, statsPeriods, statsWidths } from "../../src/domain/StatsPeriod.ts"
import { makeChance } from "../../src/ledger/simulated/Chance.ts"
import { DeliveryQueries } from "../../src/storage/DeliveryQueries.ts"
import { deliveryStats } from "../../src/storage/DeliveryStats.ts"
import { DeliveryStore, type NewDelivery } from "../../src/storage/DeliveryStore.ts"
import { foldChanges } from "../../src/storage/DeliveryTotals.ts"
import { ReadSql } from "../../src/storage/Sql.ts"
import {
  attemptOf,
  DAY_MS,
  DeliveriesLive,
  NOW,
  newDelivery,
  OWNER,
  prepare
} from "../support/countedDeliveries.ts"
import { insertAccount, insertWebhook } from "../support/rows.ts"

/** An eighth, and the rounding to whole milliseconds. */
const within = (found: number, exact: number) => Math.abs(found - exact) <= exact / 8 + 0.5

layer(DeliveriesLive)("statistics of deliveries", (it) => {
  it.effect("are those of the rows, of a webhook or an account, percentiles within an eighth", () =>
    Effect.gen(function* () {
      yield* prepare(0)
      const owner = { accountId: "acct_2", networks: ["testnet", "devnet"] } as const
      yield* insertAccount(owner.accountId)
      const sql = yield* SqlClient.SqlClient
      const [one, other] = yield* Effect.forEach(owner.networks, (network) =>
        Effect.tap(
          insertWebhook(owner.accountId),
          (id) => sql`UPDATE webhooks SET network = ${network} WHERE id = ${id}`
        )
      )
      const ownDelivery = (webhookId: string, createdMs: number): NewDelivery => ({
        ...newDelivery(webhookId, createdMs, "nft.minted"),
        accountId: owner.accountId,
        network: owner.networks[webhookId === one ? 0 : 1]
      })
      const store = yield* DeliveryStore
      const queries = yield* DeliveryQueries
      const chance = makeChance(7)
      const model = Array.from({ length: 600 }, () => {
        const ageMs = Math.round(31 * DAY_MS * chance.next() ** 6)
        const latencyMs = Math.round(10 ** (4.5 * chance.next()))
        const status = chance.pick(["pending", "retrying", "delivered", "delivered", "failed"] as const)
        return { row: ownDelivery(chance.pick([one!, other!]), NOW - ageMs), latencyMs, status }
      })
      // The first moment of each period, and the last before it.
      for (const period of statsPeriods) {
        const since = NOW - statsWidths[period].periodMs
        for (const created of [since, since - 1])
          model.push({ row: ownDelivery(one!, created), latencyMs: 5, status: "delivered" })
      }
      yield* store.insertPending(
        model.map(({ row }) => row),
        NOW
      )
      const ended = model.flatMap(({ row, latencyMs, status }) =>
        status === "pending" ? [] : [attemptOf(row.id, 1, status, latencyMs)]
      )
      yield* store.record(ended.slice(0, 300), 100)
      yield* foldChanges
      yield* store.record(ended.slice(300), 100)
      const createdAt = ({ row }: (typeof model)[number]) => idTime(row.id)

      const check = Effect.fnUntraced(function* (
        networks: ReadonlyArray<Network>,
        period: StatsPeriod,
        webhookId: string | undefined
      ) {
        const { periodMs, pointMs } = statsWidths[period]
        const inside = model.filter(
          (each) =>
            createdAt(each) >= NOW - periodMs &&
            networks.includes(each.row.network) &&
            (webhookId === undefined || each.row.webhookId === webhookId)
        )
        const count = (of: typeof model, ...statuses: ReadonlyArray<string>) =>
          of.filter(({ status }) => statuses.includes(status)).length
        const mine = {
          delivered: count(inside, "delivered"),
          failed: count(inside, "failed"),
          pending: count(inside, "pending", "retrying")
        }
        const { points, latencySumMs, ...counts } = yield* queries.stats(
          { ...owner, networks },
          webhookId,
          period,
          NOW,
          true
        )
        assert.deepStrictEqual(counts, mine)
        const sums = yield* queries.stats({ ...owner, networks }, webhookId, period, NOW, false)
        assert.deepStrictEqual(sums, { ...mine, latencySumMs, points: [] })
        const delivered = inside.filter(({ status }) => status === "delivered")
        assert.strictEqual(
          latencySumMs,
          delivered.reduce((sum, { latencyMs }) => sum + latencyMs, 0)
        )
        assert.strictEqual(points[0]!.at, Math.floor((NOW - periodMs) / pointMs) * pointMs)
        assert.strictEqual(points.at(-1)!.at, Math.floor(NOW / pointMs) * pointMs)
        for (const point of points) {
          const there = inside.filter(
            (each) => createdAt(each) >= point.at && createdAt(each) < point.at + pointMs
          )
          assert.strictEqual(point.delivered, count(there, "delivered"))
          assert.strictEqual(point.failed, count(there, "failed"))
          assert.strictEqual(point.pending, count(there, "pending", "retrying"))
          const latencies = there
            .filter(({ status }) => status === "delivered")
            .map(({ latencyMs }) => latencyMs)
            .toSorted((a, b) => a - b)
          for (const [found, share] of [
            [point.p50Ms, 0.5],
            [point.p99Ms, 0.99]
          ] as const) {
            const exact = latencies[Math.ceil(share * latencies.length) - 1]
            if (exact === undefined) assert.isNull(found)
            else assert.isTrue(found !== null && within(found, exact), `${found} for ${exact}`)
          }
        }
      })
      for (const period of statsPeriods)
        for (const networks of [owner.networks, owner.networks.slice(0, 1)])
          for (const webhookId of [one!, other!, undefined]) yield* check(networks, period, webhookId)
    })
  )

  it.effect("read the deliveries of the account, or of the webhook, and nobody else's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const read = yield* ReadSql
      const [webhookId, otherId] = yield* prepare(2)
      yield* insertAccount("acct_3")
      const strangerId = yield* insertWebhook("acct_3")
      const sinceMs = NOW - statsWidths["1h"].periodMs
      const insert = (webhook: string, accountId: string, rows: number) => sql`
        INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, status, updated_at)
        SELECT left(first_delivery_id(${sinceMs}::bigint + i % 1000), 14) || ${webhook.slice(-10)} || lpad(i::text, 6, '0'),
               ${webhook}, ${accountId}, 'mainnet', 'event', 'payment.xrp', i, 'delivered', now()
        FROM generate_series(0, ${rows - 1}::bigint) AS i`
      yield* insert(webhookId!, OWNER.accountId, 10)
      yield* insert(otherId!, OWNER.accountId, 20)
      // PostgreSQL does not hear of the other account, as in a session that made its plan before.
      yield* sql`ANALYZE deliveries`
      yield* insert(strangerId, "acct_3", 1_000)
      /** By the session so far. */
      const rowsRead = Effect.map(
        read<{ readonly rows: number }>`
          SELECT sum(seq_tup_read + idx_tup_fetch)::float8 AS rows FROM pg_stat_xact_user_tables
          WHERE relname LIKE 'deliveries%'`,
        ([row]) => row!.rows
      )
      for (const [id, rows] of [
        [undefined, 30],
        [webhookId, 10]
      ] as const)
        for (const withPoints of [true, false]) {
          const { before, after } = yield* read.withTransaction(
            Effect.gen(function* () {
              const before = yield* rowsRead
              const { delivered } = yield* deliveryStats(read, OWNER, id, "1h", NOW, withPoints)
              assert.strictEqual(delivered, rows)
              return { before, after: yield* rowsRead }
            })
          )
          assert.strictEqual(after - before, rows)
        }
    })
  )

  it.effect("a histogram from the database says what was put into it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const ms of [0, 1, 2, 5, 6, 7, 8, 9, 10, 99, 100, 1_000, 9_999, 10_000, 50_118, 63_096]) {
        const [row] = yield* sql<{ readonly histogram: Uint8Array }>`
          SELECT numeric_send(3 * latency_histogram(${ms}::integer)) AS histogram`
        const counts = countsOf(row!.histogram)
        assert.strictEqual(counts.at(-1), 3)
        for (const share of [0.01, 0.5, 1])
          assert.isTrue(within(percentile(counts, share)!, ms), `${percentile(counts, share)} for ${ms}`)
      }
      const [sum] = yield* sql<{ readonly histogram: Uint8Array; readonly none: Uint8Array }>`
        SELECT numeric_send(10000 * latency_histogram(0) + 120000000005 * latency_histogram(2) + 70001 * latency_histogram(5)) AS histogram,
               numeric_send(latency_histogram(2) - latency_histogram(2)) AS none`
      assert.deepStrictEqual(countsOf(sum!.histogram), [10_000, 0, 120_000_000_005, 0, 0, 70_001])
      assert.isNull(percentile(countsOf(sum!.none), 0.5))
    })
  )

  it.effect("a histogram is exact after any changes, in whatever order they are added", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // Each takes a latency back and has another one instead; the last takes one back alone.
      const rows = yield* sql<{ readonly change: Uint8Array }>`
        SELECT numeric_send(change) AS change FROM (VALUES
          (3 * latency_histogram(1) + latency_histogram(7) + 2 * latency_histogram(900)),
          (latency_histogram(40) - latency_histogram(1)),
          (latency_histogram(2) - latency_histogram(900)),
          (0 - latency_histogram(7))
        ) AS changes (change)`
      const changes = rows.map(({ change }) => countsOf(change))
      const exact = yield* sql<{ readonly histogram: Uint8Array }>`
        SELECT numeric_send(2 * latency_histogram(1) + latency_histogram(2) + latency_histogram(40)
                            + latency_histogram(900)) AS histogram`
      const expected = countsOf(exact[0]!.histogram)
      for (const order of [changes, changes.toReversed(), [...changes.slice(2), ...changes.slice(0, 2)]]) {
        const sum = order.reduce(addCounts)
        assert.deepStrictEqual(sum.slice(0, expected.length), expected)
        assert.isTrue(sum.slice(expected.length).every((count) => count === 0))
      }
    })
  )
})
