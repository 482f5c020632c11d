/**
 * Decides the state of a webhook's health, for one webhook and for lists alike, and reads what is recorded beside it
 * (webhooks/WebhookHealth.ts). A healthy webhook costs a look into an index that has only live deliveries that wait.
 */
import { Clock, Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import { accountHolds } from "../../spine/deliveries/UsageStore.ts"
import { type HealthState, healthStates } from "../../spine/domain/HealthState.ts"
import { type Hold, permissionUnder } from "../../spine/domain/Quota.ts"
import type { Network } from "../../spine/event/Network.ts"
import { column } from "../../spine/store/Columns.ts"
import { type AccountId, firstIdAt, idTime } from "../../spine/words/Ids.ts"
import { type Health, WAITING_MS, type WebhookFacts, webhookHealth } from "./WebhookHealth.ts"

/** Rows of `deliveries_unfinished`. */
export const UNFINISHED =
  "(parked OR next_attempt_at IS NOT NULL) AND replay_job_id IS NULL AND test_event IS NULL"
/** False after an update until upkeep has built the index: to read a webhook's deliveries without it may take minutes. */
export const INDEXED = `(SELECT count(*) FROM pg_inherits WHERE inhparent = 'deliveries'::regclass)
  = (SELECT count(*) FROM pg_inherits WHERE inhparent = 'deliveries_unfinished'::regclass)`

type Sql = SqlClient.SqlClient

/** Live deliveries of the webhook `w` that make it `waiting`. */
const waitingRows = (sql: Sql, nowMs: number): Statement.Fragment => sql`
  deliveries WHERE webhook_id = w.id AND ${sql.literal(UNFINISHED)} AND ${sql.literal(INDEXED)}
    AND (next_attempt_at IS NOT NULL OR id < ${firstIdAt("dlv_", Math.max(0, nowMs - WAITING_MS))})`

/**
 * The state of the webhook `w`: the first that is true. `waits`: whether it has `waitingRows`.
 *
 *   disabled   nothing is queued for it; if it is `paused`, events are queued and not sent
 *   new        no event has been sent to it
 *   failing    nothing was answered for at least 5 requests or a minute (`isFailing` in deliveries/FailureRuns.ts)
 *   waiting    a delivery waits for a retry, a rate or its place
 *   healthy    anything else
 */
const stateWhere = (sql: Sql, waits: Statement.Fragment) => sql`CASE
  WHEN w.status = 'disabled' THEN 'disabled'
  WHEN w.paused_at IS NOT NULL THEN 'paused'
  WHEN w.attempted_at IS NULL AND w.failing_since IS NULL THEN 'new'
  WHEN w.is_failing THEN 'failing'
  WHEN ${waits} THEN 'waiting'
  ELSE 'healthy' END`

const stateOf = (sql: Sql, nowMs: number) =>
  stateWhere(sql, sql`EXISTS (SELECT FROM ${waitingRows(sql, nowMs)})`)

/** Webhooks `w` in that state. */
export const inState = (sql: Sql, state: HealthState, nowMs: number) => sql`${stateOf(sql, nowMs)} = ${state}`

/** How many of the webhooks `w` with `condition` are in each state. By default those of all accounts. */
export const countByHealth = Effect.fnUntraced(function* (condition?: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  const nowMs = yield* Clock.currentTimeMillis
  const rows = yield* sql<{ readonly state: HealthState; readonly webhooks: number }>`
    SELECT ${stateOf(sql, nowMs)} AS state, count(*)::float8 AS webhooks
    FROM webhooks w WHERE deleted_at IS NULL AND ${condition ?? sql`true`} GROUP BY 1`
  const counted = new Map(rows.map(({ state, webhooks }) => [state, webhooks]))
  // The cast is safe: every state has an entry.
  return Object.fromEntries(healthStates.map((state) => [state, counted.get(state) ?? 0])) as Record<
    HealthState,
    number
  >
})

/** The place of the state of the webhook `w` in `healthStates`. */
export const rankOf = (sql: Sql, nowMs: number) =>
  sql`array_position(${[...healthStates]}::text[], ${stateOf(sql, nowMs)}) - 1`

interface Row extends Omit<WebhookFacts, "hold" | "incident" | "waiting"> {
  readonly id: string
  readonly accountId: AccountId
  readonly network: Network
  readonly incidentId: string | null
  readonly incidentEndedAt: number | null
  readonly oldest: string | null
  readonly deliveries: number
  readonly retrying: number
  readonly nextAttemptAt: number | null
  readonly waitingError: string | null
}

const factsOf = (
  { incidentEndedAt, incidentId, oldest, waitingError, ...row }: Row,
  hold: Hold | undefined
): WebhookFacts => ({
  ...row,
  hold: permissionUnder(hold, row.network) === "all" ? null : (hold ?? null),
  incident:
    incidentId === null || incidentEndedAt === null
      ? null
      : { beganAt: idTime(incidentId), endedAt: incidentEndedAt },
  waiting:
    oldest === null
      ? null
      : {
          since: idTime(oldest),
          deliveries: row.deliveries,
          isMinimum: row.deliveries === Limits.statementRows,
          retrying: row.retrying,
          nextAttemptAt: row.nextAttemptAt,
          lastError: waitingError
        }
})

/** The health of webhooks of any account, by id. */
export const readHealth = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  if (ids.length === 0) return new Map<string, Health>()
  const nowMs = yield* Clock.currentTimeMillis
  const ms = (column: string, as: string) =>
    sql.literal(`(extract(epoch FROM ${column}) * 1000)::float8 AS "${as}"`)
  const rows = yield* sql<Row>`
    SELECT w.id, w.account_id AS "accountId", w.network, ${stateWhere(sql, sql`oldest.id IS NOT NULL`)} AS state,
           ${ms("w.disabled_at", "disabledAt")}, w.disabled_reason AS "disabledReason",
           ${ms("w.paused_at", "pausedAt")}, ${ms("w.created_at", "createdAt")}, ${ms("w.attempted_at", "attemptedAt")},
           ${ms("w.failing_since", "failingSince")}, w.failed_attempts AS "failedAttempts",
           w.last_error AS "lastError", w.failed_deliveries AS "failedDeliveries", w.incident_id AS "incidentId",
           ${ms("w.incident_ended_at", "incidentEndedAt")}, oldest.id AS oldest,
           coalesce(newest.deliveries, 0) AS deliveries, coalesce(newest.retrying, 0) AS retrying,
           ${ms("newest.next_attempt_at", "nextAttemptAt")}, retried.last_error AS "waitingError"
    FROM webhooks w
    LEFT JOIN LATERAL (SELECT id FROM ${waitingRows(sql, nowMs)} ORDER BY id LIMIT 1) AS oldest ON true
    LEFT JOIN LATERAL (
      SELECT count(*)::int AS deliveries, count(*) FILTER (WHERE next_attempt_at IS NOT NULL)::int AS retrying,
             min(next_attempt_at) AS next_attempt_at, min(id) FILTER (WHERE next_attempt_at IS NOT NULL) AS retried
      FROM (
        SELECT id, next_attempt_at FROM deliveries
        WHERE oldest.id IS NOT NULL AND webhook_id = w.id AND ${sql.literal(UNFINISHED)} ORDER BY id DESC LIMIT ${Limits.statementRows}
      ) AS read
    ) AS newest ON true
    LEFT JOIN LATERAL (SELECT last_error FROM deliveries WHERE id = newest.retried) AS retried ON true
    WHERE w.id = ANY(${ids}::text[])`
  // Most webhooks have nothing that waits.
  const accounts = new Set(rows.flatMap(({ accountId, oldest }) => (oldest === null ? [] : [accountId])))
  const holds =
    accounts.size === 0
      ? new Map<string, Hold>()
      : yield* accountHolds(sql, nowMs, sql`id = ANY(${column([...accounts])}::text[])`)
  return new Map(rows.map((row) => [row.id, webhookHealth(factsOf(row, holds.get(row.accountId)))]))
})

export const makeReadHealth = Effect.map(
  SqlClient.SqlClient,
  (sql) => (ids: ReadonlyArray<string>) => Effect.provideService(readHealth(ids), SqlClient.SqlClient, sql)
)
