/**
 * What a run leaves for the checks: what the world has noted (Evidence), and what stands in the database and the log
 * (Outcome).
 */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { ClosedLedger } from "../../src/features/simulator/Chain.ts"
import { historyEventsTopic, historyLedgersTopic } from "../../src/spine/domain/Backfill.ts"
import {
  eventsTopic,
  type LedgerEvent,
  type LedgerMarker,
  ledgersTopic,
  parseLedgerEvent
} from "../../src/spine/event/LedgerEvent.ts"
import { Log } from "../../src/spine/log/Log.ts"
import type { AskedProgress } from "./progressWatch.ts"
import type { AllStages } from "./world/limits.ts"
import { NETWORK } from "./world/node.ts"
import type { HoldTime, Replayed, SimulatedWebhook } from "./world/operator.ts"

/** What a run leaves, besides the database and the log. */
export interface Evidence {
  readonly limits: AllStages
  readonly ledgers: ReadonlyArray<ClosedLedger>
  /** The ledgers before the service's first one. */
  readonly past: ReadonlyArray<ClosedLedger>
  /** Whether history servers lack ledgers or lie. */
  readonly historyFails: boolean
  readonly webhooks: Array<SimulatedWebhook>
  readonly replays: Array<Replayed>
  readonly holds: Array<HoldTime>
  /** When route committed which offset. */
  readonly routed: Array<{ readonly offset: number; readonly atMs: number }>
  /** Stages that died of something else than the log or the database. */
  readonly defects: Array<string>
  /** Processes that died, or were taken for dead. */
  kills: number
  /** How often the machine was suspended. A stage that was ending had no time left for its attempts when it woke up. */
  suspensions: number
  /** Processes that woke up after the cluster had taken them for dead. */
  zombies: number
  /** How often processes may have lost their leases without knowing: they were frozen, or a clock was set. */
  leasesLost: number
  /** How often the database has lost its newest transactions. */
  failovers: number
  /** Requests to each webhook of which the database has lost the record. */
  readonly unknownRequests: Map<string, number>
  readonly disableAfter: number
  /** Webhooks that stayed active after the failures that must disable them. */
  readonly notDisabled: Array<string>
  /** What webhooks' progress was while the run went on, and when it had settled. */
  readonly progress: Array<AskedProgress>
  readonly settledProgress: Array<AskedProgress>
  /** When each event was appended, by its id. The times in the log are of processes whose clocks may be wrong. */
  readonly appended: Map<string, number>
  /** How much the clocks of two processes may differ at most. */
  clocksDifferMs: number
  /** When a process began to handle a partition of deliver. */
  readonly moves: Array<{ readonly partition: number; readonly atMs: number }>
}

export interface Row {
  readonly id: string
  readonly webhook: string
  readonly event: string
  readonly status: "pending" | "retrying" | "delivered" | "failed"
  readonly attempts: number
  readonly job: string | null
  readonly error: string | null
  readonly offset: number
  readonly endedMs: number
}

export interface Outcome {
  readonly rows: ReadonlyArray<Row>
  /** Events with their offsets, and when they were appended. */
  readonly events: ReadonlyArray<{
    readonly event: LedgerEvent
    readonly offset: number
    readonly atMs: number
  }>
  readonly markers: ReadonlyArray<LedgerMarker>
  /** The markers and events of ledgers before the service's first one. */
  readonly pastMarkers: ReadonlyArray<LedgerMarker>
  readonly pastEvents: ReadonlyArray<string>
  readonly loggedEvents: ReadonlyArray<string>
  readonly failedAttempts: ReadonlyMap<string, number>
  readonly counters: ReadonlyMap<string, number>
  /** Webhooks whose row and incidents disagree, or count more failed attempts than were recorded. */
  readonly wrongHealth: ReadonlyArray<string>
  readonly gaps: ReadonlyArray<{
    readonly webhook: string
    readonly from: number
    readonly to: number | null
  }>
  readonly usage: number
  /** Attempts in the statistics. */
  readonly countedAttempts: number
  /** Replay jobs by id. */
  readonly jobs: ReadonlyMap<string, { readonly status: string; readonly error: string | null }>
}

const markerOf = ({ value }: { readonly value: string | null }) => JSON.parse(value!) as LedgerMarker

export const readOutcome = Effect.fnUntraced(function* ({ appended }: Evidence) {
  const sql = yield* SqlClient.SqlClient
  const log = yield* Log
  const records = (topic: string) => log.read({ topic, partition: 0, offset: 0 }, 100_000)
  const rows = yield* sql<Row>`
    SELECT id, webhook_id AS webhook, event_id AS event, status, attempts, replay_job_id AS job, last_error AS error,
           event_offset::float8 AS offset,
           extract(epoch FROM updated_at)::float8 * 1000 AS "endedMs" FROM deliveries ORDER BY id`
  const attempts = yield* sql<{ readonly id: string; readonly count: number }>`
    SELECT delivery_id AS id, count(*)::int AS count FROM attempts GROUP BY 1`
  const counters = yield* sql<{ readonly id: string; readonly count: number }>`
    SELECT id, consecutive_failures AS count FROM webhooks`
  const wrongHealth = yield* sql<{ readonly id: string }>`
    SELECT w.id FROM webhooks w LEFT JOIN incidents i ON i.id = w.incident_id
    WHERE (w.failing_since IS NULL) <> (w.failed_attempts = 0)
      OR (i.id IS NOT NULL AND i.ended_at IS NULL) <> (w.incident_id IS NOT NULL AND w.incident_ended_at IS NULL)
      OR (w.status = 'active' AND w.deleted_at IS NULL
        AND w.is_failing <> (w.incident_id IS NOT NULL AND w.incident_ended_at IS NULL))
      OR greatest(w.failed_attempts, (SELECT sum(attempts_failed) FROM incidents WHERE webhook_id = w.id))
        > (SELECT count(*) FROM attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.webhook_id = w.id)`
  const [usage] = yield* sql<{ readonly sum: number }>`
    SELECT coalesce(sum(deliveries), 0)::float8 AS sum FROM delivery_usage`
  const gaps = yield* sql<{ readonly webhook: string; readonly from: number; readonly to: number | null }>`
    SELECT webhook_id AS webhook, from_ledger::float8 AS from, to_ledger::float8 AS to FROM webhook_gaps`
  const [counted] = yield* sql<{ readonly sum: number }>`
    SELECT coalesce(sum(count), 0)::float8 AS sum FROM delivery_counts
    WHERE width = '1 day' AND status IN ('first_delivered', 'first_failed', 'later_delivered', 'later_failed')`
  const jobs = yield* sql<{ readonly id: string; readonly status: string; readonly error: string | null }>`
    SELECT id, status, error FROM replay_jobs`
  const logged = yield* sql<{ readonly id: string }>`SELECT event_id AS id FROM events`
  return {
    rows,
    events: (yield* records(eventsTopic(NETWORK))).map(({ offset, value }) => {
      const event = parseLedgerEvent(value)!
      return { event, offset, atMs: appended.get(event.event_id)! }
    }),
    markers: (yield* records(ledgersTopic(NETWORK))).map(markerOf),
    pastMarkers: (yield* records(historyLedgersTopic(NETWORK))).map(markerOf),
    pastEvents: (yield* records(historyEventsTopic(NETWORK))).map(
      ({ value }) => parseLedgerEvent(value)!.event_id
    ),
    loggedEvents: logged.map(({ id }) => id),
    failedAttempts: new Map(attempts.map(({ id, count }) => [id, count])),
    counters: new Map(counters.map(({ id, count }) => [id, count])),
    wrongHealth: wrongHealth.map(({ id }) => id),
    gaps,
    usage: usage!.sum,
    countedAttempts: counted!.sum,
    jobs: new Map(jobs.map(({ id, ...job }) => [id, job]))
  } satisfies Outcome
})
