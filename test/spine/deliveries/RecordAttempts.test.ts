/** Writers that record attempts of the same webhooks and accounts at the same time do not deadlock, and count all. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeSeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { attemptOf, DeliveriesLive, NOW, newDelivery, prepare } from "../../support/countedDeliveries.ts"

const WRITERS = 4
const BATCHES = 15
const BATCH = 40

it.live("writers at the same time do not deadlock, and count every attempt once", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const store = yield* DeliveryStore
    const webhooks = yield* prepare(10)
    const chance = makeSeededRandom(44)
    const batches = Array.from({ length: WRITERS }, () =>
      Array.from({ length: BATCHES }, () =>
        Array.from({ length: BATCH }, () => {
          const row = newDelivery(chance.pick(webhooks), NOW, "payment.xrp")
          return { row, attempt: attemptOf(row.id, 1, "failed", 5) }
        })
      )
    )
    yield* Effect.forEach(
      batches,
      (own, writer) =>
        Effect.forEach(own, (batch) =>
          Effect.gen(function* () {
            if (writer % 2 === 0) return yield* store.recordFirst(batch, 1e6)
            yield* store.insertPending(
              batch.map(({ row }) => row),
              NOW
            )
            const attempts = batch.map(({ attempt }) => attempt)
            return yield* store.record(attempts, 1e6)
          })
        ),
      { concurrency: "unbounded" }
    )
    const [counted] = yield* sql`
        SELECT (SELECT count(*)::int FROM attempts) AS attempts,
               (SELECT sum(consecutive_failures)::int FROM webhooks) AS failures,
               (SELECT sum(failed_attempts)::int FROM webhooks) AS in_runs,
               (SELECT sum(attempts_failed)::int FROM incidents) AS in_incidents,
               (SELECT sum(deliveries)::int FROM delivery_usage) AS charged`
    const all = WRITERS * BATCHES * BATCH
    assert.deepStrictEqual(counted, {
      attempts: all,
      failures: all,
      in_runs: all,
      in_incidents: all,
      charged: all
    })
  }).pipe(Effect.provide(DeliveriesLive))
)
