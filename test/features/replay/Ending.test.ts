/** How jobs end early and which process runs them, with several replay stages at a time. */

import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Latch, type Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { replayLimits } from "../../../src/features/replay/Limits.ts"
import { replay } from "../../../src/features/replay/ReplayJobs.ts"
import { runJob } from "../../../src/features/replay/ReplayRunner.ts"
import { ReplayStore } from "../../../src/features/replay/ReplayStore.ts"
import { ReplayWork } from "../../../src/features/replay/ReplayWork.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { monthOf } from "../../../src/spine/domain/Quota.ts"
import type { ReplayFilters } from "../../../src/spine/domain/Replay.ts"
import { eventually } from "../../support/deliver/delivering.ts"
import { setUsage } from "../../support/store/rows.ts"
import {
  ACCOUNT,
  assertQueued,
  claim,
  eventsOf,
  jobRow,
  owner,
  pastLedgers,
  queueJob,
  replayingLayer,
  rowsOf,
  workOf,
  writeLedgers
} from "./replaying.ts"

/** Too many events: nothing delivers here, so a job waits before it has queued them all. */
const ledgers = pastLedgers(5, 600)
const events = eventsOf(ledgers)
/** Few enough for a job to queue them all. */
const few = { until: Date.parse(ledgers[240]!.closeTime) }
const fewEvents = eventsOf(ledgers.slice(0, 240))

const test = <A, E>(
  name: string,
  body: Effect.Effect<A, E, Layer.Success<typeof replayingLayer> | Scope.Scope>
) =>
  it.live(
    name,
    () => Effect.andThen(writeLedgers(ledgers), body).pipe(Effect.scoped, Effect.provide(replayingLayer)),
    60_000
  )

const until = (id: string, status: string) =>
  eventually(Effect.map(jobRow(id), (job) => assert.strictEqual(job.status, status)))

/** When a batch waits for the latch: before or after its worker reads the job's conditions. */
type Pause = "before it looks" | "after it looked"

/** Workers whose batches, except the first, wait for the latch. */
const pausing = Effect.fnUntraced(function* (go: Latch.Latch, when: Pause) {
  const work = yield* ReplayWork
  const paused = Latch.makeUnsafe()
  let standings = 0
  const service = ReplayWork.of({
    ...work,
    conditions: (job, now) => {
      const standing = work.conditions(job, now)
      if (standings++ === 0) return standing
      const pause = Effect.andThen(Latch.open(paused), Latch.await(go))
      return when === "before it looks" ? Effect.andThen(pause, standing) : Effect.tap(standing, pause)
    }
  })
  return { service, paused: Latch.await(paused) }
})

/** Creates a job that has queued its first batch and waits. */
const halfway = Effect.fnUntraced(function* (filters: ReplayFilters = {}, when: Pause = "before it looks") {
  const go = Latch.makeUnsafe()
  const { service, paused } = yield* pausing(go, when)
  const job = yield* queueJob({ filters, estimatedEvents: events.length })
  const stage = yield* Effect.forkScoped(Effect.provideService(replay, ReplayWork, service))
  yield* paused
  return { ...job, stage, goOn: Latch.open(go) }
})

/** Checks that the counts match what was queued, and that nothing else waits. */
const assertTrue = Effect.fnUntraced(function* (job: { readonly id: string; readonly webhookId: string }) {
  const { processed_events } = yield* jobRow(job.id)
  yield* assertQueued(job, events.slice(0, processed_events))
  return processed_events
})

describe("a running job", () => {
  test(
    "is cancelled within a second, and shows how many events it had queued",
    Effect.gen(function* () {
      const jobs = yield* ReplayStore
      const job = yield* queueJob({ filters: {}, estimatedEvents: events.length })
      yield* Effect.forkScoped(replay)
      yield* eventually(
        Effect.map(jobRow(job.id), ({ processed_events }) => assert.isAbove(processed_events, 0))
      )
      const [elapsed, cancelled] = yield* Effect.timed(jobs.cancel(owner, job.id))
      assert.strictEqual(cancelled.result, "cancelled")
      assert.isBelow(Duration.toMillis(elapsed), 1_000)
      const processed = yield* assertTrue(job)
      assert.isBelow(processed, events.length)
      const again = yield* jobs.cancel(owner, job.id)
      assert.strictEqual(again.result, "not cancellable")
    })
  )

  test(
    "whose worker does not answer is cancelled too; what the worker does later has no effect",
    Effect.gen(function* () {
      const jobs = yield* ReplayStore
      const job = yield* halfway({}, "after it looked")
      assert.strictEqual((yield* jobs.cancel(owner, job.id)).result, "cancelled")
      const { processed_events } = yield* jobRow(job.id)
      yield* job.goOn
      yield* eventually(
        Effect.map(rowsOf(job.id), (rows) => {
          assert.isAbove(rows.length, processed_events)
          const beyond = rows.slice(processed_events)
          assert.isTrue(beyond.every(({ last_error }) => last_error === "replay cancelled"))
        })
      )
      assert.deepInclude(yield* jobRow(job.id), { status: "cancelled", processed_events })
    })
  )

  test(
    "waits while too many of its deliveries wait, and is then cancelled within a second",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const jobs = yield* ReplayStore
      const job = yield* queueJob({ filters: {}, estimatedEvents: events.length })
      yield* Effect.forkScoped(replay)
      const queued = (count: number) =>
        eventually(Effect.map(jobRow(job.id), (row) => assert.strictEqual(row.processed_events, count)))
      yield* queued(replayLimits.replayAhead)
      const attempt = (some: number) => sql`
        UPDATE deliveries SET status = 'retrying' WHERE id IN (
          SELECT id FROM deliveries WHERE replay_job_id = ${job.id} AND status = 'pending' ORDER BY id LIMIT ${some})`
      yield* attempt(replayLimits.replayBatchEvents)
      yield* queued(replayLimits.replayAhead + replayLimits.replayBatchEvents)
      const [elapsed, cancelled] = yield* Effect.timed(jobs.cancel(owner, job.id))
      assert.strictEqual(cancelled.result, "cancelled")
      assert.isBelow(Duration.toMillis(elapsed), 1_000)
      const { processed_events } = yield* jobRow(job.id)
      assert.strictEqual(processed_events, replayLimits.replayAhead + replayLimits.replayBatchEvents)
      assert.lengthOf(yield* rowsOf(job.id), processed_events)
    })
  )

  const ends: ReadonlyArray<readonly [what: string, change: string, error: string]> = [
    ["webhook is disabled", "status = 'disabled'", "The webhook was disabled."],
    ["webhook is deleted", "deleted_at = now()", "The webhook was deleted."]
  ]
  for (const [what, change, error] of ends) {
    test(
      `fails with the reason when its ${what}`,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const job = yield* halfway()
        yield* sql`UPDATE webhooks SET ${sql.literal(change)} WHERE id = ${job.webhookId}`
        yield* job.goOn
        yield* until(job.id, "failed")
        const row = yield* jobRow(job.id)
        assert.strictEqual(row.error, error)
        const processed = yield* assertTrue(job)
        assert.isAbove(processed, 0)
        assert.strictEqual(row.failed_events, events.length - processed)
        assert.isNull(row.completed_at)
      })
    )
  }

  test(
    "queues as many events as the monthly quota allows, and then fails",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const carried = replayLimits.replayBatchEvents + 123
      const job = yield* queueJob({ filters: {}, estimatedEvents: events.length })
      yield* sql`UPDATE accounts SET monthly_deliveries = ${String(carried + 77)}::bigint WHERE id = ${ACCOUNT}`
      yield* setUsage(ACCOUNT, monthOf(Date.now()), 77)
      yield* Effect.forkScoped(replay)
      yield* until(job.id, "failed")
      assert.deepInclude(yield* jobRow(job.id), {
        processed_events: carried,
        failed_events: events.length - carried,
        error: "The month's delivery quota is used up."
      })
      yield* assertTrue(job)
    })
  )

  test(
    "waits while its account is suspended",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const job = yield* halfway(few)
      yield* sql`UPDATE accounts SET suspended_at = now() WHERE id = ${ACCOUNT}`
      yield* job.goOn
      const before = yield* jobRow(job.id)
      yield* eventually(
        sql`SELECT 1 FROM replay_jobs WHERE id = ${job.id} AND lease_until > now() + interval '9900 milliseconds'`.pipe(
          Effect.map((rows) => assert.lengthOf(rows, 1))
        )
      )
      assert.strictEqual((yield* jobRow(job.id)).processed_events, before.processed_events)
      yield* sql`UPDATE accounts SET suspended_at = NULL WHERE id = ${ACCOUNT}`
      yield* until(job.id, "completed")
      yield* assertQueued(job, fewEvents)
    })
  )

  test(
    "is taken over within a lease's time although the database's clock was set back",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const work = yield* ReplayWork
      const job = yield* queueJob({ filters: few })
      yield* claim
      yield* sql`UPDATE replay_jobs SET lease_until = lease_until + interval '1 month' WHERE id = ${job.id}`
      assert.strictEqual((yield* work.claim(Date.now()))._tag, "None")
      const rows = yield* sql`
        SELECT 1 FROM replay_jobs WHERE lease_until <= clock_timestamp() + ${Limits.leaseMs} * interval '1 millisecond'`
      assert.lengthOf(rows, 1)
    })
  )

  test(
    "is released by a process that stops, and another one continues at once",
    Effect.gen(function* () {
      const job = yield* halfway(few)
      yield* Fiber.interrupt(job.stage)
      yield* Effect.forkScoped(replay)
      yield* until(job.id, "completed")
      yield* assertQueued(job, fewEvents)
    })
  )

  test(
    "stays with its owner while the lease is renewed, and is taken over when it ends",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const work = yield* ReplayWork
      const job = yield* queueJob({ filters: few })
      const first = yield* claim
      assert.strictEqual((yield* work.claim(Date.now()))._tag, "None")
      assert.strictEqual(yield* work.renew(first), "held")
      yield* sql`UPDATE replay_jobs SET lease_until = now() WHERE id = ${job.id}`
      const second = yield* claim
      assert.strictEqual(second.id, job.id)
      assert.strictEqual(yield* work.renew(first), "lost")
      // The first worker wakes up: it makes the same deliveries and cannot change the job.
      yield* Effect.all([runJob(first), runJob(second)], { concurrency: 2 })
      yield* assertQueued(job, fewEvents)
      assert.deepInclude(yield* jobRow(job.id), {
        status: "completed",
        processed_events: fewEvents.length
      })
    })
  )

  test(
    "runs beside others, up to `replayJobs` at once",
    Effect.gen(function* () {
      const jobs = yield* Effect.forEach(Array.from({ length: replayLimits.replayJobs + 2 }), () =>
        queueJob({ eventIds: events.slice(0, 10).map(({ event_id }) => event_id) })
      )
      yield* Effect.forkScoped(replay)
      for (const job of jobs) {
        yield* until(job.id, "completed")
        assert.lengthOf(yield* workOf(job.webhookId), 10)
      }
    })
  )
})
