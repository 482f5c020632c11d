/**
 * The health of webhooks after an update from version 0.2, which knows neither the columns nor the table, and while its
 * processes still record attempts.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { endForgotten, fillAttempted, indexUnfinished } from "../../../src/features/health/HealthUpkeep.ts"
import { readHealth } from "../../../src/features/health/WebhookHealthQueries.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { insertTest } from "../../../src/spine/deliveries/Transitions.ts"
import webhookHealth from "../../../src/spine/store/migrations/0011_webhook_health.ts"
import notices from "../../../src/spine/store/migrations/0016_notices.ts"
import { DeliveriesLive, NOW, newDelivery, prepare } from "../../support/countedDeliveries.ts"
import { eventOf } from "../../support/events.ts"
import { attemptsOf, type Result } from "./requests.ts"

const DISABLE_AFTER = 1_000

/** The database becomes one of 0.2, with the partitions that it has. */
const makeOld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX deliveries_unfinished`
  yield* sql`DROP TABLE incidents, notices, notice_urls`
  yield* sql`
    ALTER TABLE webhooks DROP COLUMN is_failing, DROP COLUMN attempted_at, DROP COLUMN last_failed_at, DROP COLUMN last_error,
      DROP COLUMN failed_deliveries, DROP COLUMN failing_from, DROP COLUMN incident_id, DROP COLUMN incident_ended_at`
  yield* sql`DROP FUNCTION webhook_is_failing`
})

const update = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(Effect.andThen(webhookHealth, notices))
  yield* sql`UPDATE migrations SET created_at = clock_timestamp() WHERE name = 'webhook_health'`
})

/** As 0.2 records a failed attempt, or an answer. */
const recordOld = Effect.fnUntraced(function* (webhookId: string, answered: boolean) {
  const sql = yield* SqlClient.SqlClient
  yield* answered
    ? sql`UPDATE webhooks SET failing_since = NULL, failed_attempts = 0, consecutive_failures = 0 WHERE id = ${webhookId}`
    : sql`
      UPDATE webhooks SET failing_since = coalesce(failing_since, ${new Date(NOW)}), failed_attempts = failed_attempts + 1
      WHERE id = ${webhookId}`
})

const record = Effect.fnUntraced(function* (webhookId: string, result: Result, endedAt: number) {
  const store = yield* DeliveryStore
  const row = newDelivery(webhookId, NOW, "payment.xrp")
  yield* store.recordFirst(attemptsOf({ deliveries: [{ row, result }], endedAt }), DISABLE_AFTER)
})

const stateOf = (id: string) => Effect.map(readHealth([id]), (found) => found.get(id)!.state)

const incidentsOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly failed: number; readonly by: string | null }>`
    SELECT attempts_failed AS failed, ended_by AS by FROM incidents WHERE webhook_id = ${id} ORDER BY id`
  return rows.map(({ by, failed }) => [failed, by])
})

layer(DeliveriesLive)("after an update from 0.2", (it) => {
  it.effect(
    "webhooks that were attempted are not new, and those that wait are found once the index is built",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* DeliveryStore
        yield* TestClock.setTime(NOW + 60_000)
        const [attempted, retrying, failing, tested, untouched] = yield* prepare(5)
        yield* makeOld
        const deliver = (webhookId: string, status: string) =>
          Effect.gen(function* () {
            const row = newDelivery(webhookId, NOW, "payment.xrp")
            yield* store.insertPending([row], NOW)
            yield* sql`
              UPDATE deliveries SET status = ${status}, attempts = 1, last_error = 'HTTP 500',
                next_attempt_at = CASE ${status} WHEN 'retrying' THEN now() END
              WHERE id = ${row.id}`
          })
        yield* deliver(attempted!, "delivered")
        yield* deliver(retrying!, "retrying")
        const test = newDelivery(tested!, NOW, "payment.xrp")
        yield* insertTest(
          sql,
          { id: test.id, webhookId: tested!, event: eventOf({}) },
          test.accountId,
          "mainnet",
          NOW
        )
        yield* sql`UPDATE deliveries SET status = 'delivered', attempts = 1 WHERE id = ${test.id}`
        for (let i = 0; i < 5; i++) yield* recordOld(failing!, false)

        yield* update
        assert.strictEqual(yield* stateOf(failing!), "failing")
        // A process died while it built an index.
        const [partition] = yield* sql<{ readonly name: string }>`
        SELECT tableoid::regclass::text AS name FROM deliveries WHERE webhook_id = ${retrying!}`
        const index = `${partition!.name}_unfinished`
        yield* sql`CREATE INDEX ${sql(index)} ON ${sql(partition!.name)} (id)`
        yield* sql`UPDATE pg_index SET indisvalid = false WHERE indexrelid = ${index}::regclass`
        for (const _ of ["once", "again"]) {
          yield* fillAttempted
          assert.notStrictEqual(yield* stateOf(retrying!), "new")
          yield* indexUnfinished
        }
        const states = yield* Effect.forEach([attempted!, retrying!, failing!, tested!, untouched!], stateOf)
        assert.deepStrictEqual(states, ["healthy", "waiting", "failing", "new", "new"])
        const valid = yield* sql`
        SELECT FROM pg_index WHERE indexrelid = 'deliveries_unfinished'::regclass AND indisvalid`
        assert.lengthOf(valid, 1)
      })
  )

  it.effect("a run that 0.2 began counts on, and an incident that it ended is ended", () =>
    Effect.gen(function* () {
      const [webhook] = yield* prepare(1)
      for (let i = 0; i < 4; i++) yield* recordOld(webhook!, false)
      yield* record(webhook!, "failed", NOW + 1_000)
      assert.strictEqual(yield* stateOf(webhook!), "failing")
      assert.deepStrictEqual(yield* incidentsOf(webhook!), [[5, null]])
      yield* recordOld(webhook!, true)
      assert.notStrictEqual(yield* stateOf(webhook!), "failing")
      yield* endForgotten(NOW + 5_000)
      assert.deepStrictEqual(yield* incidentsOf(webhook!), [[5, "attempt"]])
      // 0.2 disables without a word about the incident.
      const sql = yield* SqlClient.SqlClient
      for (let i = 0; i < 5; i++) yield* record(webhook!, "failed", NOW + 400_000)
      assert.deepStrictEqual((yield* incidentsOf(webhook!)).at(-1), [5, null])
      yield* sql`UPDATE webhooks SET status = 'disabled', disabled_at = ${new Date(NOW + 401_000)} WHERE id = ${webhook!}`
      yield* endForgotten(NOW + 402_000)
      assert.deepStrictEqual((yield* incidentsOf(webhook!)).at(-1), [5, "disabled"])
    })
  )
})
