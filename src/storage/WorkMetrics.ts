/**
 * The metrics of work that waits in the database. The process with the lease `retention` reads them every
 * `metricsReadMs` and shows the last result, so that `/metrics` itself needs no statement.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import { Metrics } from "../observability/Metrics.ts"
import { repeatEvery } from "../observability/RetryUntilSuccess.ts"
import { UsageStore } from "./accounts/UsageStore.ts"
import { backlogReasons, readWaiting, type WaitingDeliveries } from "./deliveries/WaitingDeliveries.ts"

interface WaitingWork extends WaitingDeliveries {
  readonly jobs: Readonly<Record<"queued" | "running", number>>
  readonly mails: number
}

/** Both counts use a small index that has only what waits. */
const readWork = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const usage = yield* UsageStore
  const deliveries = yield* readWaiting(yield* usage.holds(yield* Clock.currentTimeMillis))
  const [row] = yield* sql<{ readonly queued: number; readonly running: number; readonly mails: number }>`
    SELECT count(*) FILTER (WHERE status = 'queued')::float8 AS queued,
           count(*) FILTER (WHERE status = 'running')::float8 AS running,
           (SELECT count(*)::float8 FROM mails WHERE next_attempt_at IS NOT NULL) AS mails
    FROM replay_jobs WHERE status IN ('queued', 'running')`
  const { mails, ...jobs } = row!
  return { ...deliveries, jobs, mails } satisfies WaitingWork
})

export const showWork = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  let work: WaitingWork | undefined
  const of = (read: (work: WaitingWork) => number) => () => (work === undefined ? Number.NaN : read(work))
  for (const status of ["pending", "retrying"] as const)
    yield* Metrics.deliveriesWaiting.observe(
      { status },
      of(({ byStatus }) => byStatus[status])
    )
  for (const reason of backlogReasons)
    yield* Metrics.deliveriesInBacklog.observe(
      { reason },
      of(({ inBacklog }) => inBacklog[reason])
    )
  yield* Metrics.oldestDueDelivery.observe(
    {},
    of(({ oldestDueMs }) =>
      oldestDueMs === undefined ? 0 : Math.max(0, clock.currentTimeMillisUnsafe() - oldestDueMs) / 1_000
    )
  )
  for (const state of ["queued", "running"] as const)
    yield* Metrics.replayJobs.observe(
      { state },
      of(({ jobs }) => jobs[state])
    )
  yield* Metrics.mailsWaiting.observe(
    {},
    of(({ mails }) => mails)
  )
  const read = Effect.map(readWork, (now) => {
    work = now
  })
  return yield* repeatEvery("reading how much work waits", Limits.metricsReadMs)(read)
}).pipe(Effect.scoped)
