/**
 * Totals of deliveries. The totals plus the changes that are not folded into them yet equal a count of the rows, also
 * after concurrent writes in any order.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { makeSeededRandom, type SeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import { CHANGES_BYTES, foldChanges, keepTotals } from "../../../src/features/statistics/DeliveryTotals.ts"
import { WebhookStore } from "../../../src/features/webhooks/WebhookStore.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import type { NewDelivery } from "../../../src/spine/deliveries/Transitions.ts"
import { countWidths } from "../../../src/spine/domain/StatsPeriod.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import { attemptOf, DAY_MS, NOW, newDelivery, OWNER, prepare } from "../../support/deliver/deliveryRows.ts"
import { waitingFor } from "../../support/store/rows.ts"
import { DeliveriesLive } from "../deliveries/countedDeliveries.ts"

/** The differences between the counts and a recount of the rows. */
const differences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found: Array<unknown> = []
  const compare = Effect.fnUntraced(function* (columns: string, counts: string, recount: string) {
    const counted = `SELECT ${columns}, sum(count), sum(latency_sum) FROM ${counts}
                     GROUP BY ${columns} HAVING sum(count) <> 0 OR sum(latency_sum) <> 0`
    const recounted = `SELECT ${columns}, count(*), sum(latency_ms) FROM ${recount} GROUP BY ${columns}`
    for (const text of [`${counted} EXCEPT ALL ${recounted}`, `${recounted} EXCEPT ALL ${counted}`])
      found.push(...(yield* sql.unsafe(text)))
  })
  const rows = (width: string) => `(
    SELECT *, date_bin('${width}', delivery_created_at(id), 'epoch') AS at, latency_bucket(latency_ms)
    FROM (
      SELECT *, CASE status WHEN 'delivered' THEN response_time_ms ELSE 0 END AS latency_ms FROM deliveries
    ) AS rows
  ) AS rows`
  for (const { width } of countWidths)
    yield* compare(
      "account_id, network, webhook_id, status, at, latency_bucket",
      `(SELECT * FROM delivery_counts WHERE width = '${width}' AND status NOT LIKE '%\\_%') AS counts`,
      rows(width)
    )
  // These have no latencies.
  yield* compare(
    "account_id, network, webhook_id, event_type, status, at",
    `(
      SELECT account_id, network, webhook_id, event_type, status, at, count, 0 AS latency_sum FROM delivery_type_totals
      UNION ALL
      SELECT account_id, network, webhook_id, event_type, status, date_bin('10 minutes', at, 'epoch'), count, 0
      FROM delivery_changes
    ) AS counts`,
    `(
      SELECT account_id, network, webhook_id, event_type, status, date_bin('10 minutes', at, 'epoch') AS at, 0 AS latency_ms
      FROM ${rows("1 minute")}
    ) AS rows`
  )
  // Only what is not finished, with the backlog apart.
  const waiting = "status IN ('pending', 'retrying')"
  yield* compare(
    "webhook_id, status, parked",
    `(
      SELECT webhook_id, status, parked, count, 0 AS latency_sum FROM delivery_waiting
      UNION ALL SELECT webhook_id, status, parked, count, 0 FROM delivery_changes WHERE ${waiting}
    ) AS counts`,
    `(SELECT *, 0 AS latency_ms FROM deliveries WHERE ${waiting}) AS rows`
  )
  return found
})

/** One write among many: of a replay, the recorder, the actors, the API, an operator or upkeep, which is the last. */
const randomWrite = Effect.fnUntraced(function* (
  chance: SeededRandom,
  webhooks: ReadonlyArray<string>,
  rows: Array<NewDelivery>
) {
  const store = yield* DeliveryStore
  const sql = yield* SqlClient.SqlClient
  const some = () => Array.from({ length: chance.int(1, 12) }, () => chance.pick(rows).id)
  const created = () => NOW - chance.int(0, 3 * 3_600_000)
  const write = chance.int(0, 12)
  const statuses = ["delivered", "retrying", "failed"] as const
  if (rows.length === 0 || write <= 1 || write >= 10) {
    const made = Array.from({ length: chance.int(1, 20) }, () =>
      newDelivery(chance.pick(webhooks), created(), chance.pick(eventTypes))
    )
    // Some batches have deliveries with a row. A first attempt is then recorded in another way.
    const batch = [...made, ...rows.slice(0, chance.int(0, 1) * 2)]
    const works = batch.map((row) => ({ deliveryId: row.id, attempt: 1, row }))
    if (write === 10)
      yield* store.recordFirst(
        batch.map((row) => ({
          row,
          attempt: attemptOf(row.id, 1, chance.pick(statuses), chance.int(0, 12_000))
        })),
        100
      )
    else if (write === 11) yield* store.moveToBacklog(works, "live")
    else if (write === 12) yield* store.failUnwritten(works, "webhook deleted", NOW)
    else yield* store.insertPending(batch, NOW)
    rows.push(...made)
  } else if (write <= 4) {
    yield* store.record(
      [...new Set(some())].map((id) =>
        attemptOf(id, chance.int(1, 4), chance.pick(statuses), chance.int(0, 12_000))
      ),
      100
    )
  } else if (write === 5)
    yield* store.moveToBacklog(
      [1, 2, 3].flatMap((attempt) => waitingFor(some(), attempt)),
      "live"
    )
  else if (write === 6) yield* store.fail(some(), "webhook deleted", NOW)
  else if (write === 7) {
    yield* sql`UPDATE deliveries SET status = 'pending' WHERE id = ANY(${some()}::text[]) AND status = 'failed'`
  } else if (write === 8) {
    // This statement fails after it has written some rows. None of its changes may stay.
    yield* Effect.flip(
      sql`UPDATE deliveries SET status = CASE WHEN id = ${some()[0]!} THEN 'unknown' ELSE 'failed' END`
    )
  } else yield* foldChanges
})

layer(DeliveriesLive)("totals of deliveries", (it) => {
  it.effect("equal a recount after any sequence of writes, failing ones included", () =>
    Effect.gen(function* () {
      const webhooks = yield* prepare(3)
      const chance = makeSeededRandom(20_261_121)
      const rows: Array<NewDelivery> = []
      for (let i = 0; i < 160; i++) yield* randomWrite(chance, webhooks, rows)
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
        const chance = makeSeededRandom(seed)
        for (let round = 0; round < 15; round++) {
          // Each writer uses its own order. No order may cause a deadlock.
          const made = Array.from({ length: 30 }, () =>
            newDelivery(chance.pick(webhooks), NOW - chance.int(0, 150_000), "payment.xrp")
          )
          const attempts = made.map(({ id }) => attemptOf(id, 1, "delivered", chance.int(0, 900)))
          if (seed % 2 === 0) {
            yield* store.recordFirst(
              made.map((row, i) => ({ row, attempt: attempts[i]! })),
              100
            )
            continue
          }
          yield* store.insertPending(made, NOW)
          yield* store.record(attempts, 100)
        }
      })
      // One process at a time adds changes to the totals; two may do so while a lease changes its holder.
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

  it.effect("absorb many rounds of changes and reuse their space on disk", () =>
    Effect.gen(function* () {
      yield* prepare(0)
      const sql = yield* SqlClient.SqlClient
      yield* Effect.forkScoped(keepTotals)
      let made = 0
      // This reads the page count of the last VACUUM, because a query of the table itself would delay the next VACUUM.
      const state = sql<{ readonly counted: number; readonly bytes: number }>`
        SELECT relpages * current_setting('block_size')::int AS bytes,
               coalesce((SELECT count FROM delivery_totals WHERE webhook_id = 'wh_1' AND width = '1 day'), 0)::int AS counted
        FROM pg_class WHERE relname = 'delivery_changes'`
      const untilSmall: Effect.Effect<void, SqlError.SqlError> = Effect.flatMap(state, ([row]) =>
        row!.counted === made && row!.bytes <= CHANGES_BYTES
          ? Effect.void
          : Effect.andThen(TestClock.adjust(Limits.deliveryChangesMs), untilSmall)
      )
      // The first batch needs more space than the limit, and so do the others together.
      for (const number of [60_000, ...Array.from({ length: 8 }, () => 8_000)]) {
        yield* sql`
          INSERT INTO delivery_changes
          SELECT 'acct_0', 'mainnet', 'wh_1', 'payment.xrp', 'pending', 0, ${new Date(NOW).toISOString()}::timestamptz, 1, 0
          FROM generate_series(1, ${number}::integer)`
        made += number
        yield* untilSmall
      }
      assert.deepStrictEqual(yield* sql`SELECT 1 FROM delivery_changes`, [])
      for (const table of ["delivery_totals", "delivery_type_totals"])
        yield* sql`DELETE FROM ${sql(table)} WHERE account_id = 'acct_0'`
      yield* sql`DELETE FROM delivery_waiting WHERE webhook_id = 'wh_1'`
    })
  )

  it.effect("are dropped together with the deliveries that they count", () =>
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
      for (const [table, rows] of [
        ["delivery_totals", countWidths.length],
        ["delivery_type_totals", 1],
        ["delivery_waiting", 1]
      ] as const) {
        const counts = yield* sql`SELECT count::int FROM ${sql(table)} WHERE webhook_id = ${webhook!}`
        assert.deepStrictEqual(
          counts,
          Array.from({ length: rows }, () => ({ count: 1 }))
        )
      }
    })
  )
})
