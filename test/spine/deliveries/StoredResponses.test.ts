/** A response body is stored in full in the delivery's row only. */

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { responseLimits } from "../../../src/spine/deliver/Limits.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import {
  attemptOf,
  DeliveriesLive,
  NOW,
  newDelivery,
  OWNER,
  prepare
} from "../../features/deliveries/countedDeliveries.ts"

layer(DeliveriesLive)("a long response", (it) => {
  it.effect("stores of an attempt's body what its history shows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const deliveries = yield* DeliveryStore
      const queries = yield* DeliveryQueries
      const [webhookId] = yield* prepare(1)
      const row = newDelivery(webhookId!, NOW, "payment.xrp")
      yield* deliveries.insertPending([row], NOW)
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
})
