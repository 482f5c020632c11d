/**
 * Totals of deliveries, of each webhook and of an account's together: whatever is written, in whatever order and by how
 * many, they equal a recount of the rows.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { Limits } from "../../src/config/Limits.ts"
import { eventTypes } from "../../src/domain/EventType.ts"
import { deliveryId, idTime } from "../../src/domain/Ids.ts"
import { countsOf, percentile } from "../../src/domain/LatencyHistogram.ts"
import type { Network } from "../../src/domain/Network.ts"
import { type StatsPeriod, statsPeriods, statsWidths } from "../../src/domain/StatsPeriod.ts"
import { type Chance, makeChance } from "../../src/ledger/simulated/Chance.ts"
import { DeliveryQueries } from "../../src/storage/DeliveryQueries.ts"
import { type AttemptRecord, DeliveryStore, type NewDelivery } from "../../src/storage/DeliveryStore.ts"
import { ALL_WEBHOOKS, foldChanges, keepTotals } from "../../src/storage/DeliveryTotals.ts"
import deliveryTotals from "../../src/storage/migrations/0006_delivery_totals.ts"
import accountTotals from "../../src/storage/migrations/0011_account_totals.ts"
import deliveryChanges from "../../src/storage/migrations/0015_delivery_changes.ts"
import { Outbox } from "../../src/storage/Outbox.ts"
import { Partitions } from "../../src/storage/Partitions.ts"
import { WebhookStore } from "../../src/storage/WebhookStore.ts"
import { TestDatabase } from "../support/postgres.ts"
import { insertAccount, insertWebhook } from "../support/rows.ts"

const DAY_MS = 86_400_000
const NOW = Date.parse("2026-11-21T09:30:17.250Z")
const OWNER = { accountId: "acct_1", networks: ["mainnet"] } as const
/** An eighth, and the rounding to whole milliseconds. */
const within = (found: number, exact: number) => Math.abs(found - exact) <= exact / 8 + 0.5

const Live = Layer.mergeAll(
  DeliveryStore.layer,
  DeliveryQueries.layer,
  Partitions.layer,
  WebhookStore.layer
).pipe(Layer.provideMerge(Outbox.layer), Layer.provideMerge(TestDatabase))

let position = 0

const prepare = Effect.fnUntraced(function* (webhooks: number) {
  const partitions = yield* Partitions
  yield* partitions.ensure(NOW - 31 * DAY_MS, NOW)
  yield* insertAccount(OWNER.accountId)
  return yield* Effect.replicateEffect(insertWebhook(OWNER.accountId), webhooks)
})

const newDelivery = (webhookId: string, createdMs: number, eventType: string): NewDelivery => ({
  id: deliveryId(createdMs, position++, webhookId, "event"),
  webhookId,
  accountId: OWNER.accountId,
  network: "mainnet",
  eventId: "event",
  eventType,
  eventOffset: 7
})

const attemptOf = (
  deliveryId: string,
  attempt: number,
  status: AttemptRecord["status"],
  responseTimeMs: number
): AttemptRecord => ({
  deliveryId,
  attempt,
  status,
  responseStatus: status === "delivered" ? 200 : 503,
  responseTimeMs,
  responseBody: null,
  error: status === "delivered" ? null : "HTTP 503",
  attemptedAt: NOW,
  endedAt: NOW + 5,
  nextDelayMs: status === "retrying" ? 1_000 : null
})

const COUNTS = ["pending", "retrying", "delivered", "failed", "latency_sum", "latencies"]

/** What the totals and the changes say together and the rows do not, and the other way round. */
const differences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found: Array<unknown> = []
  const counts = sql.literal(COUNTS.join(", "))
  for (const unit of ["minute", "hour", "day"]) {
    const totals = sql`
      SELECT webhook_id, account_id, network, at, ${sql.csv(COUNTS.map((name) => sql.literal(`sum(${name})`)))}
      FROM (
        SELECT webhook_id, account_id, network, at, ${counts} FROM ${sql(`delivery_${unit}s`)}
        UNION ALL
        SELECT each.webhook_id, account_id, network, date_trunc(${unit}, at, 'UTC'), ${counts} FROM delivery_changes
        CROSS JOIN LATERAL (VALUES (delivery_changes.webhook_id), (${ALL_WEBHOOKS})) AS each (webhook_id)
      ) AS parts GROUP BY 1, 2, 3, 4 HAVING sum(pending + retrying + delivered + failed) <> 0`
    const recount = sql`
      SELECT counted.webhook_id, account_id, network, date_trunc(${unit}, delivery_created_at(id), 'UTC'),
             count(*) FILTER (WHERE status = 'pending'), count(*) FILTER (WHERE status = 'retrying'),
             count(*) FILTER (WHERE status = 'delivered'), count(*) FILTER (WHERE status = 'failed'),
             coalesce(sum(response_time_ms) FILTER (WHERE status = 'delivered'), 0),
             coalesce(sum(latency_histogram(response_time_ms)) FILTER (WHERE status = 'delivered'), 0)
      FROM deliveries CROSS JOIN LATERAL (VALUES (deliveries.webhook_id), (${ALL_WEBHOOKS})) AS counted (webhook_id)
      GROUP BY 1, 2, 3, 4`
    found.push(...(yield* sql`(${totals}) EXCEPT ALL (${recount})`))
    found.push(...(yield* sql`(${recount}) EXCEPT ALL (${totals})`))
  }
  return found
})

const WRITES = 10

/** One write among many: of route, the recorder, the actors, the API, an operator or upkeep, which is the last. */
const randomWrite = Effect.fnUntraced(function* (
  chance: Chance,
  webhooks: ReadonlyArray<string>,
  rows: Array<NewDelivery>,
  writes = WRITES
) {
  const store = yield* DeliveryStore
  const sql = yield* SqlClient.SqlClient
  const some = () => Array.from({ length: chance.int(1, 12) }, () => chance.pick(rows).id)
  const created = () => NOW - chance.int(0, 3 * 3_600_000)
  const write = chance.int(0, writes - 1)
  if (rows.length === 0 || write <= 1) {
    const made = Array.from({ length: chance.int(1, 20) }, () =>
      newDelivery(chance.pick(webhooks), created(), chance.pick(eventTypes))
    )
    yield* store.insertPending([...made, ...rows.slice(0, 2)], NOW)
    rows.push(...made)
  } else if (write <= 4) {
    const statuses = ["delivered", "retrying", "failed"] as const
    yield* store.record(
      [...new Set(some())].map((id) =>
        attemptOf(id, chance.int(1, 4), chance.pick(statuses), chance.int(0, 12_000))
      ),
      100
    )
  } else if (write === 5) yield* store.park(some())
  else if (write === 6) yield* store.fail(some(), "webhook deleted", NOW)
  else if (write === 7) {
    yield* sql`UPDATE deliveries SET status = 'pending' WHERE id = ANY(${some()}::text[]) AND status = 'failed'`
  } else if (write === 8) {
    // Fails after its rows are written: nothing of it may stay.
    yield* Effect.flip(
      sql`UPDATE deliveries SET status = CASE WHEN id = ${some()[0]!} THEN 'unknown' ELSE 'failed' END`
    )
  } else yield* foldChanges
})

layer(Live)("totals of deliveries", (it) => {
  it.effect("equal a recount after any sequence of writes, failing ones included", () =>
    Effect.gen(function* () {
      const webhooks = yield* prepare(3)
      const chance = makeChance(20_261_121)
      const rows: Array<NewDelivery> = []
      for (let i = 0; i < 120; i++) yield* randomWrite(chance, webhooks, rows)
      assert.deepStrictEqual(yield* differences, [])
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM deliveries WHERE webhook_id = ${webhooks[0]!}`
      assert.deepStrictEqual(yield* differences, [])
      yield* foldChanges
      assert.deepStrictEqual(yield* sql`SELECT 1 FROM delivery_changes`, [])
      assert.deepStrictEqual(yield* differences, [])
    })
  )

  it.effect("equal a recount when writers of the same webhooks and minutes work at once", () =>
    Effect.gen(function* () {
      const webhooks = yield* prepare(4)
      const store = yield* DeliveryStore
      const writer = Effect.fnUntraced(function* (seed: number) {
        const chance = makeChance(seed)
        for (let round = 0; round < 15; round++) {
          // Both in an order of the writer's own: who waits for whom must not depend on it.
          const made = Array.from({ length: 30 }, () =>
            newDelivery(chance.pick(webhooks), NOW - chance.int(0, 150_000), "payment.xrp")
          )
          yield* store.insertPending(made, NOW)
          yield* store.record(
            made.map(({ id }) => attemptOf(id, 1, "delivered", chance.int(0, 900))),
            100
          )
        }
      })
      // One process adds changes to the totals at a time; two while a lease moves on.
      const folding = yield* Effect.forkChild(
        Effect.all([Effect.forever(foldChanges), Effect.forever(foldChanges)], { concurrency: "unbounded" })
      )
      yield* Effect.all([1, 2, 3, 4, 5].map(writer), { concurrency: "unbounded" })
      assert.isUndefined(folding.pollUnsafe())
      yield* Fiber.interrupt(folding)
      assert.deepStrictEqual(yield* differences, [])
    })
  )

  it.effect("equal a recount when webhooks are deleted while others of the account are delivered to", () =>
    Effect.gen(function* () {
      const ids = yield* prepare(6)
      const store = yield* DeliveryStore
      const webhooks = yield* WebhookStore
      const made = ids.flatMap((id) =>
        Array.from({ length: 40 }, (_, i) => newDelivery(id, NOW - i * 5_000, "payment.xrp"))
      )
      yield* store.insertPending(made, NOW)
      const recorded = (chunk: number) =>
        store.record(
          made.filter((_, i) => i % 8 === chunk).map(({ id }) => attemptOf(id, 1, "delivered", 20)),
          100
        )
      const deleted = ids.slice(0, 3)
      yield* Effect.all(
        [
          ...deleted.map((id) => webhooks.remove(OWNER, id, NOW)),
          ...Array.from({ length: 8 }, (_, chunk) => recorded(chunk))
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* differences, [])
      const queries = yield* DeliveryQueries
      for (const id of deleted) {
        const { delivered, failed, pending } = yield* queries.stats(OWNER, id, "1h", NOW, false)
        assert.deepStrictEqual([delivered + failed, pending], [40, 0])
      }
    })
  )

  it.effect("take up what changes every moment, however much it is, and its room is used again", () =>
    Effect.gen(function* () {
      yield* prepare(0)
      const sql = yield* SqlClient.SqlClient
      yield* Effect.forkScoped(keepTotals)
      let made = 0
      // The pages are those that the last VACUUM left: to look at the table itself would hold the next one up.
      const state = sql<{ readonly counted: number; readonly bytes: number }>`
        SELECT relpages * current_setting('block_size')::int AS bytes,
               coalesce((SELECT pending FROM delivery_days WHERE webhook_id = 'wh_1'), 0) AS counted
        FROM pg_class WHERE relname = 'delivery_changes'`
      const untilSmall: Effect.Effect<void, SqlError.SqlError> = Effect.flatMap(state, ([row]) =>
        row!.counted === made && row!.bytes <= Limits.deliveryChangesBytes
          ? Effect.void
          : Effect.andThen(TestClock.adjust(Limits.deliveryChangesMs.longest), untilSmall)
      )
      // The first needs more room than there may be, and so do the others together.
      for (const number of [60_000, ...Array.from({ length: 8 }, () => 8_000)]) {
        yield* sql`
          INSERT INTO delivery_changes
          SELECT 'wh_1', 'acct_0', 'mainnet', ${new Date(NOW).toISOString()}::timestamptz, 1, 0, 0, 0, 0, 0, 0
          FROM generate_series(1, ${number}::integer)`
        made += number
        yield* untilSmall
      }
      assert.deepStrictEqual(yield* sql`SELECT 1 FROM delivery_changes`, [])
      for (const unit of ["minute", "hour", "day"])
        yield* sql`DELETE FROM ${sql(`delivery_${unit}s`)} WHERE account_id = 'acct_0'`
    })
  )

  it.effect("go with the deliveries they count", () =>
    Effect.gen(function* () {
      const [webhook] = yield* prepare(1)
      const store = yield* DeliveryStore
      const partitions = yield* Partitions
      const sql = yield* SqlClient.SqlClient
      const old = NOW - 20 * DAY_MS
      yield* store.insertPending([newDelivery(webhook!, old, "payment.xrp")], NOW)
      const kept = newDelivery(webhook!, NOW, "payment.xrp")
      yield* store.insertPending([kept], NOW)
      yield* partitions.drop(NOW)
      assert.deepStrictEqual(yield* differences, [])
      yield* foldChanges
      for (const table of ["delivery_minutes", "delivery_hours", "delivery_days"]) {
        const rows = yield* sql`SELECT pending FROM ${sql(table)} WHERE webhook_id = ${webhook!}`
        assert.deepStrictEqual(rows, [{ pending: 1 }])
      }
    })
  )

  it.effect(
    "a delivery that succeeds stays where it is: no index holds what changes, and its page has room",
    () =>
      Effect.gen(function* () {
        const [webhook] = yield* prepare(1)
        const store = yield* DeliveryStore
        const sql = yield* SqlClient.SqlClient
        const indexes = yield* sql<{ readonly definition: string }>`
        SELECT indexdef AS definition FROM pg_indexes WHERE tablename = 'deliveries_20261121'`
        assert.isNotEmpty(indexes)
        for (const { definition } of indexes)
          assert.notMatch(definition, /\b(status|attempts|updated_at|response_|last_error|next_attempt_at)/)
        const rows = Array.from({ length: 5 }, () => newDelivery(webhook!, NOW, "payment.xrp"))
        yield* store.insertPending(rows, NOW)
        const places = sql`
        SELECT (ctid::text::point)[0] AS page, failing_status FROM deliveries WHERE webhook_id = ${webhook!} ORDER BY id`
        const before = yield* places
        yield* store.record(
          rows.map(({ id }) => attemptOf(id, 1, "delivered", 7)),
          100
        )
        assert.deepStrictEqual(yield* places, before)
      })
  )

  it.effect(
    "statistics are those of the rows, of a webhook or an account, percentiles within an eighth",
    () =>
      Effect.gen(function* () {
        const [one, other] = yield* prepare(2)
        const owner = { accountId: "acct_2", networks: ["testnet", "devnet"] } as const
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

  it.effect("a histogram from the database says what was put into it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const ms of [0, 1, 2, 5, 6, 7, 8, 9, 10, 99, 100, 1_000, 9_999, 10_000, 50_118, 63_096]) {
        const [row] = yield* sql<{ readonly histogram: string }>`
          SELECT (3 * latency_histogram(${ms}::integer))::text AS histogram`
        const counts = countsOf(row!.histogram)
        assert.strictEqual(counts.at(-1), 3)
        for (const share of [0.01, 0.5, 1])
          assert.isTrue(within(percentile(counts, share)!, ms), `${percentile(counts, share)} for ${ms}`)
      }
      assert.isNull(percentile(countsOf("0"), 0.5))
      assert.isNull(percentile(countsOf(""), 0.5))
    })
  )
})

layer(Live)("migrations to totals of deliveries", (it) => {
  it.effect("count the rows that are there", () =>
    Effect.gen(function* () {
      const webhooks = yield* prepare(2)
      const sql = yield* SqlClient.SqlClient
      const chance = makeChance(3)
      const rows: Array<NewDelivery> = []
      for (let i = 0; i < 20; i++) yield* randomWrite(chance, webhooks, rows)
      yield* sql`DROP TABLE delivery_minutes, delivery_hours, delivery_days`
      yield* sql`TRUNCATE delivery_changes`
      yield* sql`DROP INDEX deliveries_by_account_type, deliveries_by_webhook_type`
      yield* sql`ALTER TABLE deliveries DROP COLUMN failing_status`
      yield* sql`
        DROP FUNCTION count_deliveries_on_insert, count_deliveries_on_update, count_deliveries_on_delete,
          delivery_created_at, first_delivery_id, event_type_bit, latency_histogram CASCADE`
      yield* deliveryTotals
      for (let i = 0; i < 20; i++) yield* randomWrite(chance, webhooks, rows, WRITES - 1)
      yield* accountTotals
      assert.deepStrictEqual(yield* differences, [])
      for (let i = 0; i < 20; i++) yield* randomWrite(chance, webhooks, rows, WRITES - 1)
      yield* sql`DROP TABLE delivery_changes`
      yield* deliveryChanges
      assert.deepStrictEqual(yield* differences, [])
      for (let i = 0; i < 20; i++) yield* randomWrite(chance, webhooks, rows)
      assert.deepStrictEqual(yield* differences, [])
    })
  )
})
