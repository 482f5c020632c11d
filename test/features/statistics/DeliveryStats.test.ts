/** Statistics of deliveries equal a count of the rows, whether these are in the totals or not. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { makeSeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import type { DeliveryPoint } from "../../../src/features/statistics/DeliveryStats.ts"
import { foldChanges } from "../../../src/features/statistics/DeliveryTotals.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import type { NewDelivery } from "../../../src/spine/deliveries/Transitions.ts"
import { percentile } from "../../../src/spine/domain/LatencyBuckets.ts"
import { type StatsPeriod, statsPeriods, statsWidths } from "../../../src/spine/domain/StatsPeriod.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import { idTime } from "../../../src/spine/words/Ids.ts"
import { attemptOf, DAY_MS, NOW, newDelivery, OWNER, prepare } from "../../support/deliver/deliveryRows.ts"
import { insertAccount, insertWebhook } from "../../support/store/rows.ts"
import { DeliveriesLive } from "../deliveries/countedDeliveries.ts"

/** An eighth, and the rounding to whole milliseconds. */
const within = (found: number, exact: number) => Math.abs(found - exact) <= exact / 8 + 0.5

/** A period begins with a whole minute. */
const sinceOf = (period: StatsPeriod) => Math.floor((NOW - statsWidths[period].periodMs) / 60_000) * 60_000

layer(DeliveriesLive)("statistics of deliveries", (it) => {
  it.effect("equal a count of the rows, for a webhook or an account, percentiles within an eighth", () =>
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
      const chance = makeSeededRandom(7)
      const model = Array.from({ length: 600 }, () => {
        const ageMs = Math.round(31 * DAY_MS * chance.next() ** 6)
        const latencyMs = Math.round(10 ** (4.5 * chance.next()))
        const status = chance.pick(["pending", "retrying", "delivered", "delivered", "failed"] as const)
        return { row: ownDelivery(chance.pick([one!, other!]), NOW - ageMs), latencyMs, status }
      })
      // The first moment of each period, and the last before it.
      for (const period of statsPeriods) {
        const since = sinceOf(period)
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

      const checkLatencies = (
        { p50Ms, p99Ms }: Pick<DeliveryPoint, "p50Ms" | "p99Ms">,
        some: typeof model
      ) => {
        const latencies = some
          .filter(({ status }) => status === "delivered")
          .map(({ latencyMs }) => latencyMs)
          .toSorted((a, b) => a - b)
        for (const [found, share] of [
          [p50Ms, 0.5],
          [p99Ms, 0.99]
        ] as const) {
          const exact = latencies[Math.ceil(share * latencies.length) - 1]
          if (exact === undefined) assert.isNull(found)
          else assert.isTrue(found !== null && within(found, exact), `${found} for ${exact}`)
        }
      }

      const check = Effect.fnUntraced(function* (
        networks: ReadonlyArray<Network>,
        period: StatsPeriod,
        webhookId: string | undefined
      ) {
        const { pointMs } = statsWidths[period]
        const inside = model.filter(
          (each) =>
            createdAt(each) >= sinceOf(period) &&
            networks.includes(each.row.network) &&
            (webhookId === undefined || each.row.webhookId === webhookId)
        )
        const count = (of: typeof model, ...statuses: ReadonlyArray<string>) =>
          of.filter(({ status }) => statuses.includes(status)).length
        const mine = {
          delivered: count(inside, "delivered"),
          failed: count(inside, "failed"),
          pending: count(inside, "pending", "retrying"),
          retrying: count(inside, "retrying")
        }
        // All attempts ended now, whenever their deliveries were made.
        const tried = model.filter(
          ({ row }) =>
            networks.includes(row.network) && (webhookId === undefined || row.webhookId === webhookId)
        )
        const attempts = {
          first_delivered: count(tried, "delivered"),
          first_failed: count(tried, "failed", "retrying"),
          later_delivered: 0,
          later_failed: 0
        }
        const { points, latencySumMs, p50Ms, p99Ms, ...counts } = yield* queries.stats(
          { ...owner, networks },
          webhookId,
          period,
          NOW,
          true
        )
        assert.deepStrictEqual(counts, { ...mine, attempts })
        assert.deepStrictEqual(points.at(-1)!.attempts, attempts)
        if (period === "24h") {
          const fine = yield* queries.stats({ ...owner, networks }, webhookId, period, NOW, "quarters")
          assert.strictEqual(fine.points[1]!.at - fine.points[0]!.at, 900_000)
          for (const point of points) {
            const within = fine.points.filter(({ at }) => at >= point.at && at < point.at + pointMs)
            for (const status of ["delivered", "failed", "pending"] as const)
              assert.strictEqual(
                within.reduce((sum, one) => sum + one[status], 0),
                point[status]
              )
          }
        }
        const sums = yield* queries.stats({ ...owner, networks }, webhookId, period, NOW, false)
        assert.deepStrictEqual(sums, { ...mine, attempts, latencySumMs, p50Ms, p99Ms, points: [] })
        const delivered = inside.filter(({ status }) => status === "delivered")
        assert.strictEqual(
          latencySumMs,
          delivered.reduce((sum, { latencyMs }) => sum + latencyMs, 0)
        )
        assert.strictEqual(points[0]!.at, Math.floor(sinceOf(period) / pointMs) * pointMs)
        assert.strictEqual(points.at(-1)!.at, Math.floor(NOW / pointMs) * pointMs)
        for (const point of points) {
          const there = inside.filter(
            (each) => createdAt(each) >= point.at && createdAt(each) < point.at + pointMs
          )
          assert.strictEqual(point.delivered, count(there, "delivered"))
          assert.strictEqual(point.failed, count(there, "failed"))
          assert.strictEqual(point.pending, count(there, "pending", "retrying"))
          checkLatencies(point, there)
          assert.strictEqual(
            point.answerTimes.reduce((sum, some) => sum + some, 0),
            point.delivered
          )
        }
        checkLatencies({ p50Ms, p99Ms }, inside)
      })
      for (const period of statsPeriods) {
        const since = sinceOf(period)
        const some = yield* queries.statsOfWebhooks(owner, [other!, one!, "wh_none"], period, NOW)
        for (const id of [one!, other!]) {
          const mine = model.filter((each) => createdAt(each) >= since && each.row.webhookId === id)
          const count = (...statuses: ReadonlyArray<string>) =>
            mine.filter(({ status }) => statuses.includes(status)).length
          const { attempts, bars, p50Ms, p99Ms, ...counts } = some.get(id)!
          assert.deepStrictEqual(counts, {
            delivered: count("delivered"),
            failed: count("failed"),
            pending: count("pending", "retrying"),
            retrying: count("retrying")
          })
          checkLatencies({ p50Ms, p99Ms }, mine)
          // All attempts ended now, whenever their deliveries were made.
          const { first_delivered, first_failed } = attempts
          assert.deepStrictEqual(bars.at(-1), [first_delivered, first_failed])
          assert.strictEqual(
            bars.reduce((sum, [answered, failed]) => sum + answered + failed, 0),
            first_delivered + first_failed
          )
          const all = model.filter(({ row, status }) => row.webhookId === id && status !== "pending")
          assert.strictEqual(first_delivered + first_failed, all.length)
        }
        assert.strictEqual(some.size, 2)
        assert.strictEqual((yield* queries.statsOfWebhooks(OWNER, [one!], period, NOW)).size, 0)
      }
      for (const period of statsPeriods)
        for (const networks of [owner.networks, owner.networks.slice(0, 1)])
          for (const webhookId of [one!, other!, undefined]) yield* check(networks, period, webhookId)
    })
  )

  it.effect("a bucket gives a latency within an eighth", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly ms: number; readonly bucket: number }>`
        SELECT ms, latency_bucket(ms) AS bucket
        FROM (SELECT generate_series(0, 2000) AS ms UNION ALL SELECT generate_series(2001, 100000, 37)) AS latencies`
      for (const { ms, bucket } of rows) {
        const found = percentile(new Map([[bucket, 3]]), 0.5)
        assert.isTrue(found !== null && within(found, ms), `${found} for ${ms}`)
      }
    })
  )
})
