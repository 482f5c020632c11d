/**
 * Records attempts that have ended: all that follows from them, in order, in one transaction, so it changes together
 * and only once. `record` has the steps and what each one writes. `triggers` names what PostgreSQL adds. Test attempts
 * count neither as usage nor as failures.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import { addUsage } from "./AttemptUsage.ts"
import { lockWebhooks, writeIncidents, writeWebhooks } from "./FailureRows.ts"
import { afterAttempts } from "./FailureRuns.ts"
import {
  type AttemptRecord,
  type CountedAttempt,
  type FirstAttempt,
  insertAttempted,
  OUTCOME_COLUMNS,
  outcomeColumns,
  updateAttempted
} from "./Transitions.ts"

type Sql = SqlClient.SqlClient

/**
 * The triggers on the tables that `record` writes, the table that each one writes, and the migration with its newest
 * form. Those that it never runs have `null`.
 */
export const triggers = {
  deliveries: {
    // Deliveries by status, and attempts by minute. Upkeep adds them to the totals (statistics/DeliveryTotals.ts).
    count_deliveries_on_insert: ["delivery_changes", "0015_webhook_progress"],
    count_deliveries_on_update: ["delivery_changes", "0015_webhook_progress"],
    count_deliveries_on_delete: null,
    // Outcomes of the deliveries of replay and retry jobs. Upkeep adds them to the jobs (replay/JobEnds.ts).
    count_job_deliveries_on_insert: ["job_changes", "0019_job_deliveries"],
    count_job_deliveries_on_update: ["job_changes", "0019_job_deliveries"]
  },
  // It runs if the status changes: Recorder.ts disables webhooks afterwards.
  webhooks: { keep_gaps_of_webhooks: null }
} as const

const insertHistory = (sql: Sql, failed: ReadonlyArray<AttemptRecord>) => sql`
  INSERT INTO attempts (delivery_id, attempt, status, response_status, response_time_ms, response_body,
                        error, attempted_at, next_delay_ms, details)
  SELECT delivery_id, attempt, 'failed', response_status, response_time_ms,
         left(response_body, ${Limits.attemptBodyCharacters}), error, to_timestamp(attempted_ms / 1000),
         next_delay_ms, details
  FROM unnest(${outcomeColumns(sql, failed)}) AS o (${sql.literal(OUTCOME_COLUMNS)})
  ON CONFLICT DO NOTHING`

/**
 * Step 1 is `ended`, a statement of its own, or `insert`, which is part of the statement of step 2. So a batch costs one
 * statement if it has first attempts only and all are delivered, and five at most. PostgreSQL takes 2.4 ms for 50 of
 * those to 10 webhooks: the rows 1.4, triggers 0.5, usage 0.2. Returns the webhooks whose consecutive failures have
 * reached `disableAfter`.
 */
const record = (
  sql: Sql,
  disableAfter: number,
  ended: Effect.Effect<ReadonlyArray<CountedAttempt>, SqlError.SqlError>,
  insert?: Statement.Fragment
) =>
  Effect.gen(function* () {
    // 1. `deliveries`: a row for each attempt. Triggers: `delivery_changes`, a row for each webhook, event type, status
    //    and latency (three if the rows existed), and `job_changes`, two for each job.
    const counted = yield* ended
    const attempts = Map.groupBy(
      counted.filter(({ isTest }) => !isTest),
      ({ webhookId }) => webhookId
    )
    // 2. `delivery_usage` and `delivery_usage_days`: a row in each for each account. Locks the webhooks of steps 4 and 5.
    const usage = addUsage(sql, counted)
    const webhooks = yield* lockWebhooks(
      sql,
      attempts,
      insert === undefined ? usage : sql`made AS (${insert}), ${usage}`
    )
    // 3. `attempts`: a row for each attempt that failed. One that delivers is stored only in the delivery's row.
    const failed = counted.flatMap(({ attempt }) => (attempt.status === "delivered" ? [] : [attempt]))
    if (failed.length > 0) yield* insertHistory(sql, failed)
    if (webhooks.length === 0) return []
    const changes = webhooks.map((before) =>
      afterAttempts(
        before,
        attempts.get(before.id)!.map(({ attempt }) => attempt)
      )
    )
    // 4. `incidents`: a row for each webhook that is failing, or was and answers again.
    const incidents = changes.flatMap(({ incident }) => incident ?? [])
    if (incidents.length > 0) yield* writeIncidents(sql, incidents)
    // 5. `webhooks`: the run of failures, a row for each webhook with one, and for the first attempt of any.
    const changed = changes.map(({ webhook }) => webhook)
    yield* writeWebhooks(sql, changed)
    return changed
      .filter(({ consecutive_failures, is_active }) => is_active && consecutive_failures >= disableAfter)
      .map(({ id }) => id)
  }).pipe(sql.withTransaction)

export const recordAttempts = (sql: Sql, attempts: ReadonlyArray<AttemptRecord>, disableAfter: number) =>
  record(sql, disableAfter, updateAttempted(sql, attempts))

/** The same for the first attempts of deliveries without a row. If one of the rows exists, it fails and changes nothing. */
export const recordFirstAttempts = (sql: Sql, ended: ReadonlyArray<FirstAttempt>, disableAfter: number) => {
  const counted = ended.map(({ attempt, row }) => ({ ...row, attempt, isTest: false }))
  return record(sql, disableAfter, Effect.succeed(counted), insertAttempted(sql, ended))
}
