/** Day partitions are made before a row needs them and dropped whole, but not while a delivery in them waits. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { applyRetention } from "../../../src/spine/deliveries/Retention.ts"
import { observeLimits } from "../../../src/spine/observe/Limits.ts"
import { lastingTroubles } from "../../../src/spine/observe/Troubles.ts"
import { deliveryId, firstIdAt } from "../../../src/spine/words/Ids.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { TestDatabase } from "../../support/store/postgres.ts"
import { waitingFor } from "../../support/store/rows.ts"

const DAY_MS = 86_400_000
const NOW = Date.parse("2026-11-21T09:30:00.000Z")

layer(
  Layer.mergeAll(Partitions.layer, DeliveryStore.layer).pipe(
    Layer.provideMerge(Layer.merge(TestDatabase, settingsLayer({ RETENTION_DELIVERIES: "30 days" })))
  )
)("partitions", (it) => {
  const names = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly name: string }>`
      SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent IN ('deliveries'::regclass, 'attempts'::regclass) ORDER BY c.relname`
    return rows.map(({ name }) => name)
  })
  const insertAt = (unixMs: number) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO attempts (delivery_id, attempt, status, attempted_at)
                 VALUES (${firstIdAt("dlv_", unixMs)}, 1, 'failed', now())`
    })

  it.effect("accept rows of exactly the days made, from the first to the last millisecond", () =>
    Effect.gen(function* () {
      const partitions = yield* Partitions
      yield* partitions.ensure(NOW, NOW + DAY_MS)
      const midnight = Math.floor(NOW / DAY_MS) * DAY_MS
      yield* insertAt(midnight)
      yield* insertAt(midnight + 2 * DAY_MS - 1)
      const outside = yield* Effect.flip(insertAt(midnight + 2 * DAY_MS))
      assert.strictEqual(outside._tag, "SqlError")
    })
  )

  it.effect("may be made by several processes at once, and repeatedly", () =>
    Effect.gen(function* () {
      const partitions = yield* Partitions
      const later = NOW + 10 * DAY_MS
      yield* Effect.all(
        Array.from({ length: 4 }, () => partitions.ensure(later, later)),
        { concurrency: "unbounded" }
      )
      yield* insertAt(later)
    })
  )

  it.effect("are dropped whole after their retention, and made again if a row needs one", () =>
    Effect.gen(function* () {
      const partitions = yield* Partitions
      const old = NOW - 40 * DAY_MS
      yield* partitions.ensure(old, old)
      yield* partitions.ensure(NOW, NOW)
      assert.strictEqual(yield* partitions.drop(NOW), 5)
      assert.isFalse((yield* names).some((name) => name.includes("20261012")))
      assert.include(yield* names, "deliveries_20261121")
      yield* partitions.ensure(old, old)
      yield* insertAt(old)
    })
  )

  it.effect("are dropped although one of them cannot be, and that day keeps its counts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const partitions = yield* Partitions
      for (const days of [40, 39, 38]) yield* partitions.ensure(NOW - days * DAY_MS, NOW - days * DAY_MS)
      yield* sql`CREATE VIEW report_of_others AS SELECT * FROM deliveries_20261013`
      yield* partitions.drop(NOW)
      yield* TestClock.adjust(observeLimits.lastingMs)
      assert.match(
        [...(yield* lastingTroubles).values()].join(),
        /^dropping the partition deliveries_20261013 has failed for 5 min 0 s: cannot drop table .* because other objects depend on it/
      )
      assert.deepStrictEqual(
        (yield* names).filter((name) => name < "deliveries_20261121" && name.startsWith("deliveries")),
        ["deliveries_20261013"]
      )
      const totals = yield* sql<{ readonly name: string }>`
        SELECT relname AS name FROM pg_class WHERE relname LIKE 'delivery\_totals\_202610%' AND relkind = 'r' ORDER BY 1`
      assert.deepStrictEqual(
        totals.map(({ name }) => name),
        ["delivery_totals_20261013", "delivery_totals_20261014"]
      )
      yield* sql`DROP VIEW report_of_others`
      yield* partitions.drop(NOW)
      assert.notInclude(yield* names, "deliveries_20261013")
      assert.strictEqual((yield* lastingTroubles).size, 0)
    })
  )

  it.effect("are kept a month longer while a delivery in them waits, which then ends with a reason", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const partitions = yield* Partitions
      const deliveries = yield* DeliveryStore
      // A quota is used up on the first day of a month of 31.
      const [december, january] = [Date.parse("2026-12-01T00:00:00Z"), Date.parse("2027-01-01T00:00:00Z")]
      const make = Effect.fnUntraced(function* (unixMs: number) {
        const id = deliveryId(unixMs, 0, "wh_1", "event")
        yield* partitions.ensure(unixMs, unixMs)
        yield* deliveries.insertPending(
          [
            {
              id,
              webhookId: "wh_1",
              accountId: "acct_1",
              network: "mainnet",
              eventId: "event",
              eventType: "payment.xrp",
              eventOffset: 0
            }
          ],
          unixMs
        )
        return id
      })
      const waiting = yield* make(december)
      yield* make(december + DAY_MS)
      yield* deliveries.moveToBacklog(waitingFor([waiting]), "live")

      yield* applyRetention(january + DAY_MS)
      assert.include(yield* names, "deliveries_20261201")
      assert.include(yield* names, "attempts_20261202")
      const tooLate = december + (30 + 31) * DAY_MS
      yield* applyRetention(tooLate)
      assert.isTrue((yield* deliveries.states([waiting])).get(waiting)?.parked)
      yield* applyRetention(tooLate + 1)
      const [ended] = yield* sql`SELECT status, last_error FROM deliveries WHERE id = ${waiting}`
      assert.deepStrictEqual(ended, { status: "failed", last_error: "waited too long" })
      yield* applyRetention(tooLate + 2)
      assert.strictEqual((yield* deliveries.states([waiting])).size, 0)
    })
  )
})
