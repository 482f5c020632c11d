/**
 * Lists incidents, with what has become of the deliveries that they concern: those made from the first that failed to the
 * incident's end. These are counted when they are shown, until upkeep stores the counts: once none of them waits, or a
 * day before the deliveries are dropped.
 */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../spine/config/Limits.ts"
import type { Owner } from "../../spine/domain/ApiKey.ts"
import type { IncidentEnd } from "../../spine/domain/HealthState.ts"
import { column } from "../../spine/store/Columns.ts"
import { eachAlone } from "../../spine/words/EachAlone.ts"
import { type AccountId, firstIdAt, idTime, type WebhookId } from "../../spine/words/Ids.ts"

/** Ended incidents whose deliveries are counted in one pass. */
const OUTCOMES_STORED = 100

/** How long before the deliveries of an ended incident are dropped they are counted for the last time. */
const STORED_EARLIER_MS = 24 * 3_600_000

interface Stored {
  readonly id: string
  readonly account_id: AccountId
  readonly network: string
  readonly webhook_id: WebhookId
  /** Unix milliseconds. */
  readonly beganAt: number
  readonly endedAt: number | null
  readonly endedBy: IncidentEnd | null
  /** Null in incidents whose failures release 0.2 recorded: they are kept for 400 days. */
  readonly cause: string | null
  readonly attemptsFailed: number
  /** An id that sorts as the first delivery that the incident concerns. */
  readonly firstDelivery: string
  readonly waited: number | null
  readonly delivered: number | null
  readonly failed: number | null
}

export interface Outcome {
  readonly waited: number
  readonly delivered: number
  readonly failed: number
}

/** `outcome` is null if the deliveries were dropped before they were counted. */
export type Incident = Stored & { readonly outcome: Outcome | null }

interface Filter {
  readonly webhookId: WebhookId | undefined
  /** Exclusive bounds of the beginning, in Unix milliseconds. */
  readonly since: number | undefined
  readonly until: number | undefined
  readonly beforeId: string | undefined
}

const COLUMNS = `
  id, account_id, network, webhook_id, (extract(epoch FROM began_at) * 1000)::float8 AS "beganAt",
  (extract(epoch FROM ended_at) * 1000)::float8 AS "endedAt", ended_by AS "endedBy", cause,
  attempts_failed AS "attemptsFailed", first_delivery AS "firstDelivery", waited::float8 AS waited,
  delivered::float8 AS delivered, failed::float8 AS failed`

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const upTo = (unixMs: number, widthMs: number) => Math.ceil(unixMs / widthMs) * widthMs
const downTo = (unixMs: number, widthMs: number) => Math.floor(unixMs / widthMs) * widthMs

/** Whole hours and minutes are read from counts, and the rest from rows. */
const countOutcome = Effect.fnUntraced(function* (incident: Stored, nowMs: number) {
  const sql = yield* SqlClient.SqlClient
  const beginMs = idTime(incident.firstDelivery)
  const endMs = Math.max(beginMs, incident.endedAt ?? nowMs + 1)
  const minutesFrom = Math.min(upTo(beginMs, MINUTE_MS), endMs)
  const minutesTo = Math.max(downTo(endMs, MINUTE_MS), minutesFrom)
  const hoursFrom = Math.min(upTo(minutesFrom, HOUR_MS), minutesTo)
  const hoursTo = Math.max(downTo(minutesTo, HOUR_MS), hoursFrom)
  const counts = (width: string, fromMs: number, toMs: number) => sql`
    SELECT status, count FROM delivery_counts
    WHERE account_id = ${incident.account_id} AND network = ${incident.network} AND webhook_id = ${incident.webhook_id}
      AND status IN ('pending', 'retrying', 'delivered', 'failed') AND width = ${width}
      AND at >= ${new Date(fromMs)} AND at < ${new Date(toMs)}`
  const rows = (fromId: string, toMs: number) => sql`
    SELECT status, 1 FROM deliveries
    WHERE webhook_id = ${incident.webhook_id} AND id >= ${fromId} AND id < ${firstIdAt("dlv_", toMs)}`
  const parts = sql.join(
    " UNION ALL ",
    false
  )([
    rows(incident.firstDelivery, minutesFrom),
    counts("1 minute", minutesFrom, hoursFrom),
    counts("1 hour", hoursFrom, hoursTo),
    counts("1 minute", hoursTo, minutesTo),
    rows(firstIdAt("dlv_", minutesTo), endMs)
  ])
  const [found] = yield* sql<Outcome>`
    SELECT coalesce(sum(count), 0)::float8 AS waited,
           coalesce(sum(count) FILTER (WHERE status = 'delivered'), 0)::float8 AS delivered,
           coalesce(sum(count) FILTER (WHERE status = 'failed'), 0)::float8 AS failed
    FROM (${parts}) AS parts (status, count)`
  return found!
})

/** `keptFromMs`: older deliveries were dropped. */
const withOutcomes = (incidents: ReadonlyArray<Stored>, nowMs: number, keptFromMs: number) =>
  Effect.forEach(incidents, (incident) => {
    const { delivered, failed, waited } = incident
    if (waited !== null && delivered !== null && failed !== null)
      return Effect.succeed<Incident>({ ...incident, outcome: { waited, delivered, failed } })
    return idTime(incident.firstDelivery) < keptFromMs
      ? Effect.succeed<Incident>({ ...incident, outcome: null })
      : Effect.map(countOutcome(incident, nowMs), (outcome): Incident => ({ ...incident, outcome }))
  })

/** Newest first. */
export const listIncidents = Effect.fnUntraced(function* (
  { accountId, networks }: Owner,
  { beforeId, since, until, webhookId }: Filter,
  limit: number,
  nowMs: number,
  keptFromMs: number
) {
  const sql = yield* SqlClient.SqlClient
  const incidents = yield* sql<Stored>`
    SELECT ${sql.literal(COLUMNS)} FROM incidents WHERE ${sql.and([
      sql`account_id = ${accountId} AND network = ANY(${networks}::text[])`,
      ...(webhookId === undefined ? [] : [sql`webhook_id = ${webhookId}`]),
      ...(since === undefined ? [] : [sql`id >= ${firstIdAt("inc_", Math.max(0, Math.floor(since) + 1))}`]),
      ...(until === undefined ? [] : [sql`id < ${firstIdAt("inc_", Math.max(0, Math.ceil(until)))}`]),
      ...(beforeId === undefined ? [] : [sql`id < ${beforeId}`])
    ])} ORDER BY id DESC LIMIT ${limit}`
  return yield* withOutcomes(incidents, nowMs, keptFromMs)
})

export const findIncident = Effect.fnUntraced(function* (
  { accountId, networks }: Owner,
  id: string,
  nowMs: number,
  keptFromMs: number
) {
  const sql = yield* SqlClient.SqlClient
  const incidents = yield* sql<Stored>`
    SELECT ${sql.literal(COLUMNS)} FROM incidents
    WHERE id = ${id} AND account_id = ${accountId} AND network = ANY(${networks}::text[])`
  const [incident] = yield* withOutcomes(incidents, nowMs, keptFromMs)
  return Option.fromNullishOr(incident)
})

export const findIncidents = Effect.fnUntraced(function* (
  ids: ReadonlyArray<string>,
  nowMs: number,
  keptFromMs: number
) {
  const sql = yield* SqlClient.SqlClient
  const incidents = yield* sql<Stored>`
    SELECT ${sql.literal(COLUMNS)} FROM incidents WHERE id = ANY(${column(ids)}::text[])`
  return yield* withOutcomes(incidents, nowMs, keptFromMs)
})

/** Stores outcomes that do not change any more, and those whose deliveries are dropped within a day. */
export const storeOutcomes = Effect.fnUntraced(function* (nowMs: number, keptFromMs: number) {
  const sql = yield* SqlClient.SqlClient
  const open = yield* sql<Stored>`
    SELECT ${sql.literal(COLUMNS)} FROM incidents
    WHERE waited IS NULL AND ended_at < ${new Date(nowMs - Limits.incidentGapMs)}
      AND first_delivery >= ${firstIdAt("dlv_", keptFromMs)}
    ORDER BY id LIMIT ${OUTCOMES_STORED}`
  const store = Effect.fnUntraced(function* (incident: Stored) {
    const { delivered, failed, waited } = yield* countOutcome(incident, nowMs)
    const isLast = idTime(incident.firstDelivery) < keptFromMs + STORED_EARLIER_MS
    if (delivered + failed < waited && !isLast) return
    yield* sql`
      UPDATE incidents SET waited = ${waited}::float8, delivered = ${delivered}::float8, failed = ${failed}::float8
      WHERE id = ${incident.id} AND ended_at = ${new Date(incident.endedAt!)}`
  })
  yield* eachAlone(open, store)
})
