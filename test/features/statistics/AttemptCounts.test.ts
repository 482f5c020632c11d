/** Attempts are counted with the statement that records them, in the totals or not. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { foldChanges } from "../../../src/features/statistics/DeliveryTotals.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { attemptOf, NOW, newDelivery, OWNER, prepare } from "../../support/deliver/deliveryRows.ts"
import { DeliveriesLive } from "../deliveries/countedDeliveries.ts"

layer(DeliveriesLive)("counts of attempts", (it) => {
  it.effect("are of the minute in which they ended, without test events", () =>
    Effect.gen(function* () {
      const [webhookId] = yield* prepare(1)
      const store = yield* DeliveryStore
      const queries = yield* DeliveryQueries
      const sql = yield* SqlClient.SqlClient
      const MINUTE_MS = 60_000
      const madeMs = NOW - 10 * MINUTE_MS
      const [row, other, test] = [1, 2, 3].map(() => newDelivery(webhookId!, madeMs, "payment.xrp"))
      const endedAt = (minutes: number, ...given: Parameters<typeof attemptOf>) => ({
        ...attemptOf(...given),
        endedAt: madeMs + minutes * MINUTE_MS
      })
      const points = Effect.map(queries.stats(OWNER, webhookId, "1h", NOW, true), (stats) => {
        const inMinute = (n: number) =>
          Object.values(
            stats.points.find(({ at }) => at === Math.floor(madeMs / MINUTE_MS + n) * MINUTE_MS)!.attempts
          )
        return [...[0, 1, 2, 3].map(inMinute), Object.values(stats.attempts)]
      })
      // [first_delivered, first_failed, later_delivered, later_failed]
      const expected = [
        [0, 1, 0, 0],
        [1, 0, 0, 1],
        [0, 0, 1, 0],
        [0, 0, 0, 0],
        [1, 1, 1, 1]
      ]
      yield* store.recordFirst([{ attempt: endedAt(0, row!.id, 1, "retrying", 5), row: row! }], 100)
      yield* store.recordFirst([{ attempt: endedAt(1, other!.id, 1, "delivered", 5), row: other! }], 100)
      yield* foldChanges
      yield* store.record([endedAt(1, row!.id, 2, "retrying", 5)], 100)
      yield* store.record([endedAt(2, row!.id, 3, "delivered", 5)], 100)
      yield* store.record([endedAt(3, row!.id, 3, "delivered", 5)], 100)
      yield* store.insertPending([test!], NOW)
      yield* sql`UPDATE deliveries SET event_offset = NULL, test_event = '{}' WHERE id = ${test!.id}`
      yield* store.record([endedAt(3, test!.id, 1, "delivered", 5)], 100)
      assert.deepStrictEqual(yield* points, expected)
      yield* foldChanges
      assert.deepStrictEqual(yield* points, expected)
      const [changes] = yield* sql<{
        readonly rows: number
      }>`SELECT count(*)::int AS rows FROM delivery_changes`
      assert.strictEqual(changes!.rows, 0)

      // A first attempt that ends in the minute of its delivery costs no row of its own.
      const next = newDelivery(webhookId!, madeMs, "payment.xrp")
      yield* store.recordFirst([{ attempt: endedAt(0, next.id, 1, "delivered", 5), row: next }], 100)
      const rows = yield* sql`SELECT count::int, attempts, first_attempts FROM delivery_changes`
      assert.deepStrictEqual(rows, [{ count: 1, attempts: 1, first_attempts: 1 }])
      // The clock of a process was a year ahead: there is no table partition for that day.
      yield* store.recordFirst(
        [
          {
            attempt: endedAt(525_600, row!.id, 4, "delivered", 5),
            row: newDelivery(webhookId!, madeMs, "payment.xrp")
          }
        ],
        100
      )
      yield* foldChanges
    })
  )
})
