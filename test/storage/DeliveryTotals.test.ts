/**
 * Totals of deliveries, of each webhook and of an account's together: whatever is written, in whatever order and by how
 * many, they equal a recount of the rows.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { Limits } from "../../src/config/Limits.ts"
import { eventTypes } from "../../src/domain/EventType.ts"
import { type Chance, makeChance } from "../../src/ledger/simulated/Chance.ts"
import { DeliveryQueries } from "../../src/storage/DeliveryQueries.ts"
import { DeliveryStore, type NewDelivery } from "../../src/storage/DeliveryStore.ts"
import { ALL_WEBHOOKS, foldChanges, keepTotals } from "../../src/storage/DeliveryTotals.ts"
import deliveryTotals from "../../src/storage/migrations/0006_delivery_totals.ts"
import accountTotals from "../../src/storage/migrations/0011_account_totals.ts"
import deliveryChanges from "../../src/storage/migrations/0015_delivery_changes.ts"
import pendingMinutes from "../../src/storage/migrations/0017_pending_minutes.ts"
import pendingTypes from "../../src/storage/migrations/0018_pending_types.ts"
import { Partitions } from "../../src/storage/Partitions.ts"
import { findPendingTypes } from "../../src/storage/PendingTypes.ts"
import { WebhookStore } from "../../src/storage/WebhookStore.ts"
import {
  attemptOf,
  DAY_MS,
  DeliveriesLive,
  NOW,
  newDelivery,
  OWNER,
  prepare
} from "../support/countedDeliveries.ts"

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

/** Minutes that are not flagged as they should be. */
const wronglyFlagged = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`SELECT webhook_id, at, pending FROM delivery_minutes WHERE has_pending <> (pending > 0)`
)

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

layer(DeliveriesLive)("totals of deliveries", (it) => {
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

  it.effect("tell which minutes have pending deliveries, from the first to the last of them", () =>
    Effect.gen(function* () {
      const [webhook, ...others] = yield* prepare(3)
      const sql = yield* SqlClient.SqlClient
      const chance = makeChance(4)
      const rows: Array<NewDelivery> = []
      for (let i = 0; i < 60; i++) {
        yield* randomWrite(chance, [webhook!, ...others], rows)
        assert.deepStrictEqual(yield* wronglyFlagged, [])
      }
      yield* foldChanges
      const flagged = sql`SELECT 1 FROM delivery_minutes WHERE webhook_id = ${webhook!} AND has_pending`
      assert.isNotEmpty(yield* flagged)
      yield* sql`UPDATE deliveries SET status = 'failed' WHERE webhook_id = ${webhook!} AND status = 'pending'`
      yield* foldChanges
      assert.isEmpty(yield* flagged)
      assert.deepStrictEqual(yield* wronglyFlagged, [])
    })
  )

  it.effect("that change stay where they are: no index holds a number of theirs", () =>
    Effect.gen(function* () {
      yield* prepare(1)
      const sql = yield* SqlClient.SqlClient
      const indexes = yield* sql<{ readonly definition: string }>`
        SELECT indexdef AS definition FROM pg_indexes
        WHERE tablename IN ('delivery_minutes_20261121', 'delivery_hours', 'delivery_days')`
      assert.isNotEmpty(indexes)
      for (const { definition } of indexes)
        assert.notMatch(definition, new RegExp(`\\b(${COUNTS.join("|")})\\b`))
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
})

layer(DeliveriesLive)("migrations to totals of deliveries", (it) => {
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
          delivery_created_at, first_delivery_id, event_type_bit, latency_histogram, flag_pending, forget_pending_types CASCADE`
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
      yield* pendingMinutes
      assert.isNotEmpty(yield* sql`SELECT 1 FROM delivery_minutes WHERE has_pending`)
      assert.deepStrictEqual(yield* wronglyFlagged, [])
      yield* pendingTypes
      assert.isAbove(yield* findPendingTypes(NOW), 0)
    })
  )
})
