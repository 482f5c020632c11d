/** What became of a job's deliveries: counts, the list, and the notice when nothing of an ended job waits. */

import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { NoticeStore } from "../../../src/features/health/notify/NoticeStore.ts"
import { finishJobs } from "../../../src/features/replay/JobEnds.ts"
import { runJob } from "../../../src/features/replay/ReplayRunner.ts"
import { ReplayStore } from "../../../src/features/replay/ReplayStore.ts"
import type { DeliveryFilter } from "../../../src/spine/deliveries/DeliveryPages.ts"
import { forgetEnded } from "../../../src/spine/store/EndedRows.ts"
import {
  ACCOUNT,
  claim,
  eventsOf,
  jobRow,
  owner,
  pastLedgers,
  queueJob,
  replayingLayer,
  rowsOf,
  writeLedgers
} from "./replaying.ts"
import { attempted, isRetryable, makeDeliveries, queueRetry } from "./retrying.ts"

const ledgers = pastLedgers(3, 60)
const events = eventsOf(ledgers)

const test = <A, E>(
  name: string,
  body: Effect.Effect<A, E, Layer.Success<typeof replayingLayer> | Scope.Scope>
) =>
  it.live(
    name,
    () => Effect.andThen(writeLedgers(ledgers), body).pipe(Effect.scoped, Effect.provide(replayingLayer)),
    60_000
  )

const run = Effect.flatMap(claim, runJob)
const finish = Effect.suspend(() => finishJobs(Date.now()))

const countsOf = (id: string) => Effect.map(jobRow(id), ({ deliveries }) => deliveries)

/** The ids of the job's deliveries in pages, newest first. */
const listOf = Effect.fnUntraced(function* (id: string, filter: DeliveryFilter = {}) {
  const queries = yield* DeliveryQueries
  const job = yield* queries.ofJob(owner, id)
  assert.isDefined(job)
  const found: Array<string> = []
  for (;;) {
    const page = yield* queries.list(owner, { ...filter, job }, found.at(-1), 7)
    found.push(...page.map((row) => row.id))
    if (page.length < 7) return found
  }
})

const newestFirst = (rows: ReadonlyArray<{ readonly id: string }>) => rows.map(({ id }) => id).toReversed()

const notices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly text: string; readonly data: Readonly<Record<string, unknown>> }>`
    SELECT text, data FROM notices ORDER BY id`
})

const wantNotices = Effect.flatMap(NoticeStore, (store) =>
  store.set(
    ACCOUNT,
    { url: "https://example.com/", format: "standard", types: ["replay.finished"], sealedSecret: null },
    Date.now()
  )
)

describe("the deliveries of a job", () => {
  test(
    "are counted and listed; the job finishes once, when none waits",
    Effect.gen(function* () {
      const job = yield* queueJob({ filters: {}, estimatedEvents: events.length })
      yield* wantNotices
      yield* run
      const rows = yield* rowsOf(job.id)
      const total = rows.length
      assert.isAbove(total, 20)
      // Other deliveries of the webhook do not count.
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, status, updated_at)
        SELECT left(${rows[3]!.id}, 14) || 'ZZZZZZZZZZZZZZZZ', webhook_id, account_id, network, event_id, event_type, 1, 'pending', now()
        FROM deliveries WHERE id = ${rows[3]!.id}`
      assert.deepStrictEqual(yield* countsOf(job.id), { delivered: 0, waiting: total, failed: 0 })
      assert.deepStrictEqual(yield* finish, [])
      assert.deepStrictEqual(yield* countsOf(job.id), { delivered: 0, waiting: total, failed: 0 })

      yield* attempted(rows[0]!.id, 1, "failed")
      yield* attempted(rows[1]!.id, 1, "retrying")
      for (const { id } of rows.slice(2)) yield* attempted(id, 1, "delivered")
      const counts = { delivered: total - 2, waiting: 1, failed: 1 }
      assert.deepStrictEqual(yield* countsOf(job.id), counts)
      assert.deepStrictEqual(yield* finish, [])
      assert.deepStrictEqual(yield* countsOf(job.id), counts)
      assert.deepStrictEqual(yield* notices, [])

      assert.deepStrictEqual(yield* listOf(job.id), newestFirst(rows))
      assert.deepStrictEqual(yield* listOf(job.id, { statuses: ["failed", "retrying"] }), [
        rows[1]!.id,
        rows[0]!.id
      ])
      const until = Date.now() + 60_000
      assert.deepStrictEqual(yield* listOf(job.id, { until, eventType: "none" }), [])

      yield* attempted(rows[1]!.id, 2, "delivered")
      // A process that dies at the end of the transaction leaves everything as it was.
      const died = yield* Effect.flip(
        sql.withTransaction(Effect.andThen(finish, Effect.fail("died" as const)))
      )
      assert.strictEqual(died, "died")
      assert.deepStrictEqual(yield* notices, [])
      assert.deepStrictEqual(yield* finish, [job.id])
      assert.deepStrictEqual(yield* finish, [])
      const ended = { delivered: total - 1, waiting: 0, failed: 1 }
      assert.deepStrictEqual(yield* countsOf(job.id), ended)
      const [notice, ...others] = yield* notices
      assert.deepStrictEqual(others, [])
      assert.deepInclude(notice?.data, { job_id: job.id, status: "completed", ...ended })
      assert.include(notice?.text, `${total - 1} deliveries were delivered, 1 failed.`)

      // A later retry by hand belongs to no job.
      yield* sql`UPDATE deliveries SET status = 'pending' WHERE id = ${rows[0]!.id}`
      yield* finish
      assert.deepStrictEqual(yield* countsOf(job.id), ended)
    })
  )

  test(
    "that a retry job took are counted and listed too, and those that another takes later are its own",
    Effect.gen(function* () {
      const { webhookId, made } = yield* makeDeliveries(40, (i) =>
        i % 4 === 0 ? "failed" : i % 4 === 1 ? "retrying" : "delivered"
      )
      yield* wantNotices
      const sql = yield* SqlClient.SqlClient
      const taken = made.filter(isRetryable)
      // It is due already, so the job queues nothing for it; it is one of the job's all the same.
      yield* sql`UPDATE deliveries SET parked = true WHERE id = ${taken[1]!.id}`
      const id = yield* queueRetry(webhookId)
      yield* run
      assert.deepStrictEqual(yield* countsOf(id), { delivered: 0, waiting: taken.length, failed: 0 })
      assert.deepStrictEqual(yield* listOf(id), newestFirst(taken))
      assert.deepStrictEqual(yield* finish, [])
      yield* attempted(taken[0]!.id, 2, "failed")
      for (const one of taken.slice(2)) yield* attempted(one.id, 2, "delivered")
      assert.deepStrictEqual(yield* finish, [])
      assert.deepStrictEqual(yield* countsOf(id), { delivered: taken.length - 2, waiting: 1, failed: 1 })

      const second = yield* queueRetry(webhookId)
      yield* run
      assert.deepStrictEqual(yield* finish, [id])
      assert.deepStrictEqual(yield* countsOf(id), { delivered: taken.length - 2, waiting: 0, failed: 0 })
      assert.deepStrictEqual(yield* countsOf(second), { delivered: 0, waiting: 2, failed: 0 })
      assert.deepStrictEqual(yield* listOf(second), newestFirst(taken.slice(0, 2)))
      assert.deepStrictEqual(yield* listOf(second, { statuses: ["retrying"] }), [taken[1]!.id])
      for (const one of taken.slice(0, 2)) yield* attempted(one.id, 3, "delivered")
      assert.deepStrictEqual(yield* finish, [second])
      assert.lengthOf(yield* notices, 2)

      // The list goes with the deliveries.
      yield* forgetEnded(86_400_000, Date.now() + 2 * 86_400_000)
      assert.deepStrictEqual(yield* sql`SELECT FROM retried_deliveries`, [])
    })
  )

  test(
    "end with a job that is cancelled before it has any",
    Effect.gen(function* () {
      const jobs = yield* ReplayStore
      const queries = yield* DeliveryQueries
      const job = yield* queueJob({ filters: {}, estimatedEvents: events.length })
      yield* wantNotices
      assert.isUndefined(yield* queries.ofJob(owner, job.id))
      assert.isUndefined(yield* queries.ofJob({ ...owner, networks: ["testnet"] }, job.id))
      yield* jobs.cancel(owner, job.id)
      assert.deepStrictEqual(yield* finish, [job.id])
      assert.deepStrictEqual(yield* countsOf(job.id), { delivered: 0, waiting: 0, failed: 0 })
      assert.lengthOf(yield* notices, 1)
    })
  )
})
