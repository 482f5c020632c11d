/**
 * Writers that record attempts of the same webhooks and accounts at the same time do not deadlock, and count all. What
 * a batch costs: statements, and rows of each table, those that triggers write included.
 */
import { readdirSync, readFileSync } from "node:fs"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { makeSeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import {
  recordAttempts,
  recordFirstAttempts,
  triggers
} from "../../../src/spine/deliveries/RecordAttempts.ts"
import { insertPending } from "../../../src/spine/deliveries/Transitions.ts"
import { attemptOf, NOW, newDelivery, prepare, recordingLayer } from "../../support/deliver/deliveryRows.ts"

const MIGRATIONS = "src/spine/store/migrations"
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
  }).pipe(Effect.provide(recordingLayer))
)

type Rows = Readonly<Record<string, number>>

/** The rows that this transaction has inserted, changed and deleted, by table. */
const rowsWritten = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string; readonly rows: number }>`
    SELECT coalesce((SELECT inhparent::regclass::text FROM pg_inherits WHERE inhrelid = relid), relname) AS name,
           sum(n_tup_ins + n_tup_upd + n_tup_del)::int AS rows
    FROM pg_stat_xact_user_tables GROUP BY 1`
  return new Map(tables.map(({ name, rows }) => [name, rows]))
})

/** What `recording` costs. */
const costOf = <E, R>(recording: Effect.Effect<unknown, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const before = yield* rowsWritten
        let statements = 0
        const tracer = Tracer.make({
          span: (options) => {
            if (options.kind === "client") statements++
            return new Tracer.NativeSpan(options)
          }
        })
        yield* Effect.withTracer(recording, tracer)
        const written = [...(yield* rowsWritten)].map(
          ([name, rows]) => [name, rows - (before.get(name) ?? 0)] as const
        )
        const rows: Rows = Object.fromEntries(written.filter(([, count]) => count > 0))
        return { statements, rows }
      })
    )
  )

layer(recordingLayer)("a batch of 20 attempts", (it) => {
  const firstOf = (webhooks: ReadonlyArray<string>, status: "delivered" | "retrying" | "failed") =>
    Array.from({ length: 20 }, (_, i) => {
      const row = newDelivery(webhooks[i % webhooks.length]!, NOW, "payment.xrp")
      return { row, attempt: attemptOf(row.id, 1, status, 5) }
    })

  it.effect("costs one statement if all are delivered at once, and two if they had rows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const webhooks = yield* prepare(2)
      const usage = { delivery_usage: 1, delivery_usage_days: 1 }
      const first = firstOf(webhooks, "delivered")
      assert.deepStrictEqual(yield* costOf(recordFirstAttempts(sql, first, 1e6)), {
        // The first attempts of their webhooks.
        statements: 2,
        rows: { deliveries: 20, delivery_changes: 2, ...usage, webhooks: 2 }
      })
      const second = firstOf(webhooks, "delivered")
      assert.deepStrictEqual(yield* costOf(recordFirstAttempts(sql, second, 1e6)), {
        statements: 1,
        rows: { deliveries: 20, delivery_changes: 2, ...usage }
      })
      const third = firstOf(webhooks, "delivered")
      yield* insertPending(
        sql,
        third.map(({ row }) => row),
        NOW
      )
      const recorded = recordAttempts(
        sql,
        third.map(({ attempt }) => attempt),
        1e6
      )
      assert.deepStrictEqual(yield* costOf(recorded), {
        statements: 2,
        rows: { deliveries: 20, delivery_changes: 6, ...usage }
      })
    })
  )

  it.effect("writes its history, the run, incidents and jobs if it fails", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const webhooks = yield* prepare(2)
      const failed = firstOf(webhooks, "failed")
      const rows = failed.map(({ row }) => ({ ...row, replayJobId: "rpl_job_1" }))
      yield* insertPending(sql, rows, NOW)
      const recorded = recordAttempts(
        sql,
        failed.map(({ attempt }) => attempt),
        1e6
      )
      assert.deepStrictEqual(yield* costOf(recorded), {
        statements: 5,
        rows: {
          deliveries: 20,
          delivery_changes: 6,
          job_changes: 2,
          delivery_usage: 1,
          delivery_usage_days: 1,
          attempts: 20,
          incidents: 2,
          webhooks: 2
        }
      })
    })
  )

  it.effect("runs the triggers that are named beside the steps, and no others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = [
        "deliveries",
        "delivery_usage",
        "delivery_usage_days",
        "attempts",
        "incidents",
        "webhooks"
      ]
      const written = Object.values(triggers).flatMap((some) =>
        Object.values(some).flatMap((one) => one?.[0] ?? [])
      )
      const found = yield* sql<{ readonly name: string }>`
        SELECT tgrelid::regclass::text || '/' || tgname AS name FROM pg_trigger
        WHERE NOT tgisinternal AND tgrelid::regclass::text = ANY(${[...tables, ...written]}::text[])`
      assert.sameMembers(
        found.map(({ name }) => name),
        Object.entries(triggers).flatMap(([table, some]) =>
          Object.keys(some).map((name) => `${table}/${name}`)
        )
      )
      // The newest migration that has the trigger's function.
      const migrations = readdirSync(MIGRATIONS).sort()
      for (const [name, one] of Object.values(triggers).flatMap((some) => Object.entries(some))) {
        if (one === null) continue
        const family = name.replace(/[a-z]+$/, "")
        const having = migrations.filter((file) =>
          readFileSync(`${MIGRATIONS}/${file}`, "utf8").includes(family)
        )
        assert.strictEqual(having.at(-1), `${one[1]}.ts`, name)
      }
    })
  )
})
