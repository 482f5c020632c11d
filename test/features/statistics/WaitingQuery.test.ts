/** The query of docs/runbook.md counts the deliveries that wait, whether they are in the totals or not. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { foldChanges } from "../../../src/features/statistics/DeliveryTotals.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { attemptOf, NOW, newDelivery, prepare } from "../../support/deliver/deliveryRows.ts"
import { codeBlocks } from "../../support/tree/markdown.ts"
import { DeliveriesLive } from "../deliveries/countedDeliveries.ts"

layer(DeliveriesLive)("the query for waiting deliveries", (it) => {
  it.effect("returns each webhook and its number of waiting deliveries, largest first", () =>
    Effect.gen(function* () {
      const [one, other] = yield* prepare(2)
      const store = yield* DeliveryStore
      const sql = yield* SqlClient.SqlClient
      const rows = [one!, one!, one!, one!, other!, other!].map((id) => newDelivery(id, NOW, "nft.minted"))
      yield* store.insertPending(rows, NOW)
      yield* foldChanges
      yield* store.record(
        [attemptOf(rows[0]!.id, 1, "delivered", 5), attemptOf(rows[4]!.id, 1, "retrying", 5)],
        100
      )
      const [query] = codeBlocks("docs/runbook.md", "sql")
      const found = yield* sql.unsafe<{ webhook_id: string; status: string; waiting: string }>(query!)
      assert.deepStrictEqual(
        found.map(({ webhook_id, status, waiting }) => [webhook_id, status, Number(waiting)]).slice(0, 1),
        [[one, "pending", 3]]
      )
      assert.sameDeepMembers(
        found.slice(1).map(({ webhook_id, status, waiting }) => [webhook_id, status, Number(waiting)]),
        [
          [other, "pending", 1],
          [other, "retrying", 1]
        ]
      )
    })
  )
})
