/** What the API shows of stored attempts: each once. A response body is stored in full in the delivery's row only. */

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { responseLimits } from "../../../src/spine/deliver/Limits.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { attemptOf, NOW, newDelivery, OWNER, prepare } from "../../support/deliver/deliveryRows.ts"
import { DeliveriesLive } from "./countedDeliveries.ts"

const prepared = Effect.gen(function* () {
  const deliveries = yield* DeliveryStore
  const queries = yield* DeliveryQueries
  const [webhookId] = yield* prepare(1)
  const row = newDelivery(webhookId!, NOW, "payment.xrp")
  yield* deliveries.insertPending([row], NOW)
  return { deliveries, queries, row }
})

layer(DeliveriesLive)("attempts", (it) => {
  it.effect("are stored with as much of a long response as their history shows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { deliveries, queries, row } = yield* prepared
      const bodies = [1, 2].map((n) => `${n}${"ü".repeat(responseLimits.responseBodyBytes)}`)
      for (const [i, responseBody] of bodies.entries())
        yield* deliveries.record([{ ...attemptOf(row.id, i + 1, "retrying", 5), responseBody }], 1_000)
      const stored = yield* sql<{ readonly length: number }>`
        SELECT length(response_body) AS length FROM attempts WHERE delivery_id = ${row.id} ORDER BY attempt`
      const shown = Limits.attemptBodyCharacters
      assert.deepStrictEqual(stored, [{ length: shown }, { length: shown }])
      const history = yield* queries.attempts(row.id)
      assert.deepStrictEqual(
        history.map((one) => one.response_body),
        bodies.map((body) => body.slice(0, shown))
      )
      const found = yield* queries.find(OWNER, row.id)
      assert.strictEqual(
        found.pipe((one) => (one._tag === "Some" ? one.value.response_body : null)),
        bodies[1]
      )
    })
  )

  it.effect("are returned once each: failed ones, and the successful one from the delivery's row", () =>
    Effect.gen(function* () {
      const { deliveries, queries, row } = yield* prepared
      yield* deliveries.record([attemptOf(row.id, 1, "retrying", 5)], 1_000)
      yield* deliveries.record([attemptOf(row.id, 2, "delivered", 5)], 1_000)
      const statuses = (yield* queries.attempts(row.id)).map(({ status }) => status)
      assert.deepStrictEqual(statuses, ["failed", "delivered"])
    })
  )
})
