/** Retention drops the totals of a day with its deliveries: not while one of them waits. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { foldChanges } from "../../../src/features/statistics/DeliveryTotals.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { applyRetention } from "../../../src/spine/deliveries/Retention.ts"
import { DAY_MS, newDelivery } from "../../support/deliver/deliveryRows.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { TestDatabase } from "../../support/store/postgres.ts"
import { waitingFor } from "../../support/store/rows.ts"

const Live = Layer.provideMerge(DeliveryStore.layer, Partitions.layer).pipe(
  Layer.provideMerge(Layer.merge(TestDatabase, settingsLayer({ RETENTION_DELIVERIES: "30 days" })))
)

layer(Live)("the totals of a day", (it) => {
  it.effect("are kept while a delivery waits, because the attempt that ends its waiting writes to them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const partitions = yield* Partitions
      const deliveries = yield* DeliveryStore
      const [december, january] = [Date.parse("2026-12-01T00:00:00Z"), Date.parse("2027-01-01T00:00:00Z")]
      const ids: Array<string> = []
      for (const day of [december, december + DAY_MS]) {
        const row = newDelivery("wh_1", day, "payment.xrp")
        yield* partitions.ensure(day, day)
        yield* deliveries.insertPending([row], day)
        ids.push(row.id)
      }
      yield* deliveries.moveToBacklog(waitingFor([ids[0]!]), "live")
      yield* foldChanges

      yield* applyRetention(january + DAY_MS)
      const counted =
        yield* sql`SELECT 1 FROM delivery_totals WHERE webhook_id = 'wh_1' AND width = '1 minute'`
      assert.strictEqual(counted.length, 2)

      const tooLate = december + (30 + 31) * DAY_MS
      yield* applyRetention(tooLate + 1)
      yield* applyRetention(tooLate + 2)
      assert.strictEqual((yield* deliveries.states(ids)).size, 0)
      // The day's last changes are dropped with it: no totals are left to add them to.
      assert.strictEqual((yield* foldChanges).changes, 0)
    })
  )
})
