/**
 * A webhook's run of failures and its incidents are what a fold over its requests gives, however the requests were
 * gathered into statements, whether or not their deliveries had rows, and also if a statement is repeated.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeSeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { type FailureRun, isFailing } from "../../../src/spine/deliveries/FailureRuns.ts"
import { insertTest } from "../../../src/spine/deliveries/Transitions.ts"
import { NOW, newDelivery, prepare } from "../../support/deliver/deliveryRows.ts"
import { eventOf } from "../../support/deliver/events.ts"
import { after, attemptsOf, nothing, type Recorded, randomRequest } from "../../support/deliver/requests.ts"
import { DeliveriesLive } from "../deliveries/countedDeliveries.ts"

const DISABLE_AFTER = 1_000_000

export const recordedOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const ms = (name: string) => sql.literal(`(extract(epoch FROM ${name}) * 1000)::float8 AS ${name}`)
  const [row] = yield* sql<Omit<Recorded, "incidents">>`
    SELECT ${ms("attempted_at")}, ${ms("failing_since")}, ${ms("last_failed_at")}, failed_attempts, failed_deliveries,
           last_error, is_failing FROM webhooks WHERE id = ${id}`
  const incidents = yield* sql<Recorded["incidents"][number]>`
    SELECT ${ms("began_at")}, ${ms("ended_at")}, ended_by, cause, attempts_failed, failed_deliveries FROM incidents
    WHERE webhook_id = ${id} ORDER BY id`
  return { ...row!, incidents: [...incidents] }
})

layer(DeliveriesLive)("runs of failures", (it) => {
  it.effect("and incidents are what a fold over the requests gives", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const chance = makeSeededRandom(41)
      let incidents = 0
      for (let round = 0; round < 12; round++) {
        const webhooks = yield* prepare(3)
        const expected = new Map<string, Recorded>(webhooks.map((id) => [id, nothing]))
        let now = NOW
        const chanceToAnswer = chance.pick([0, 0.15, 0.3, 0.6, 0.95])
        for (let statement = 0; statement < 8; statement++) {
          // Some pauses are longer than five minutes, and some runs last more than a minute.
          now += chance.pick([100, 5_000, 70_000, 200_000, 400_000])
          const requests = Array.from({ length: chance.int(1, 12) }, () => {
            now += chance.int(0, 3_000)
            const webhookId = chance.pick(webhooks)
            const request = randomRequest(chance, webhookId, now, chanceToAnswer)
            expected.set(webhookId, after(expected.get(webhookId)!, request))
            return request
          })
          const attempts = requests.flatMap(attemptsOf)
          const hasRows = chance.flip(0.4)
          if (hasRows)
            yield* store.insertPending(
              attempts.map(({ row }) => row),
              NOW
            )
          const record = hasRows
            ? store.record(
                attempts.map(({ attempt }) => attempt),
                DISABLE_AFTER
              )
            : store.recordFirst(attempts, DISABLE_AFTER)
          yield* record
          // The result was unknown.
          if (chance.flip(0.3)) yield* record
          for (const id of webhooks)
            assert.deepStrictEqual(yield* recordedOf(id), expected.get(id), `round ${round}, ${statement}`)
        }
        for (const recorded of expected.values()) incidents += recorded.incidents.length
      }
      assert.isAbove(incidents, 10)
    })
  )

  it.effect("have the same rule for a failing webhook in the program and in PostgreSQL", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const times = [null, NOW - 60_001, NOW - 60_000, NOW - 59_999, NOW]
      const runs = times.flatMap((failing_since) =>
        times.flatMap((last_failed_at) =>
          [0, 1, 4, 5, 6].map(
            (failed_attempts): Partial<FailureRun> => ({ failing_since, last_failed_at, failed_attempts })
          )
        )
      )
      const rows = yield* sql<{ readonly is_failing: boolean }>`
        SELECT webhook_is_failing(to_timestamp(failing_since / 1000), failed_attempts, to_timestamp(last_failed_at / 1000))
               AS is_failing
        FROM json_to_recordset(${JSON.stringify(runs)}::json) AS run (
          failing_since float8, last_failed_at float8, failed_attempts int)`
      assert.deepStrictEqual(
        runs.map((run) => isFailing({ ...nothing, failing_from: null, ...run })),
        rows.map(({ is_failing }) => is_failing)
      )
    })
  )

  it.effect("of a healthy webhook cost nothing: its row is written for the first attempt only", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* DeliveryStore
      const [webhook] = yield* prepare(1)
      const version = Effect.map(
        sql<{
          readonly version: string
        }>`SELECT ctid::text || xmin::text || xmax::text AS version FROM webhooks WHERE id = ${webhook!}`,
        ([row]) => row!.version
      )
      const deliver = Effect.suspend(() =>
        store.recordFirst(
          attemptsOf({
            deliveries: [{ row: newDelivery(webhook!, NOW, "payment.xrp"), result: "delivered" }],
            endedAt: NOW
          }),
          DISABLE_AFTER
        )
      )
      const made = yield* version
      yield* deliver
      const attempted = yield* version
      assert.notStrictEqual(attempted, made)
      yield* Effect.replicateEffect(deliver, 5)
      assert.strictEqual(yield* version, attempted)
    })
  )

  it.effect("do not count test attempts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* DeliveryStore
      const [webhook] = yield* prepare(1)
      for (const result of ["failed", "delivered"] as const) {
        const { id, ...row } = newDelivery(webhook!, NOW, "payment.xrp")
        yield* insertTest(sql, { id, webhookId: webhook!, event: eventOf({}) }, row.accountId, "mainnet", NOW)
        const [attempt] = attemptsOf({ deliveries: [{ row: { id, ...row }, result }], endedAt: NOW })
        yield* store.record([attempt!.attempt], DISABLE_AFTER)
      }
      assert.deepStrictEqual(yield* recordedOf(webhook!), nothing)
    })
  )
})
