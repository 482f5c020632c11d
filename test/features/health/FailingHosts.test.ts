/** Which hosts count as failing, and when so many do that the cause is probably here. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { failingHosts } from "../../../src/features/health/FailingHosts.ts"
import { mostHostsFail } from "../../../src/features/health/Hosts.ts"
import { foldChanges } from "../../../src/features/statistics/DeliveryTotals.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { NOW, newDelivery, prepare } from "../../support/deliver/deliveryRows.ts"
import { attemptsOf, type Result } from "../../support/deliver/requests.ts"
import { DeliveriesLive } from "../deliveries/countedDeliveries.ts"

describe("mostHostsFail", () => {
  it("needs ten hosts, and more than half of them", () => {
    assert.deepStrictEqual(
      [
        [9, 9],
        [5, 10],
        [6, 10],
        [112, 224],
        [113, 224]
      ].map(([failing, all]) => mostHostsFail({ failing: failing!, all: all! })),
      [false, false, true, false, true]
    )
  })
})

layer(DeliveriesLive)("failingHosts", (it) => {
  it.effect("counts hosts where no webhook works, of those attempted in the last hour", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const sql = yield* SqlClient.SqlClient
      const store = yield* DeliveryStore
      const ids = yield* prepare(7)
      const attempted = Effect.fnUntraced(function* (
        n: number,
        url: string,
        result: Result,
        at = NOW,
        times = 5
      ) {
        yield* sql`UPDATE webhooks SET url = ${url} WHERE id = ${ids[n]!}`
        for (let i = 0; i < times; i++)
          yield* store.recordFirst(
            attemptsOf({
              deliveries: [{ row: newDelivery(ids[n]!, at, "payment.xrp"), result }],
              endedAt: at
            }),
            1_000
          )
      })
      yield* attempted(0, "https://works.example/a", "delivered")
      yield* attempted(1, "https://dead.example/a", "retrying")
      yield* attempted(2, "https://dead.example/b?c", "retrying")
      yield* attempted(3, "https://dead.example:8443/b", "retrying")
      // At a host that another webhook reaches, or too few failures.
      yield* attempted(4, "https://works.example/b", "retrying")
      yield* attempted(5, "https://once.example/", "retrying", NOW, 1)
      yield* attempted(6, "https://earlier.example/", "retrying", NOW - 3_700_000)
      yield* foldChanges
      assert.deepStrictEqual(yield* failingHosts, { all: 4, failing: 2 })
    })
  )
})
