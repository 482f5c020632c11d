/**
 * The rows in which processes say that they run and how they are (table `processes`). Only the database's clock counts. A
 * row stays for a day after its process has ended, so that an operator learns who had a role last.
 */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../config/Config.ts"
import type { Role } from "../config/Definitions.ts"
import { Limits } from "../config/Limits.ts"
import { bothClocks, monotonicNow } from "../domain/Monotonic.ts"
import type { SeenProcess } from "../health/SeenProcess.ts"
import { roleFailedSince } from "../health/Traffic.ts"
import { Health } from "../observability/Health.ts"
import { repeatEvery } from "../observability/RetryUntilSuccess.ts"
import { stageAges } from "../observability/StageAges.ts"
import { makeParts } from "./ProcessParts.ts"

/** The name of this process in the tables `processes` and `leases`. */
export class ProcessId extends Context.Service<ProcessId, string>()("ledgerhook/storage/ProcessId") {
  static readonly layer = Layer.sync(ProcessId, () => randomUUID())
}

/**
 * The roles that fail by themselves. A restart that fails again changes nothing. `sharedFailedAt`: when something failed
 * that all stages need.
 */
const failingOf = Effect.fnUntraced(function* (roles: ReadonlyArray<Role>, sharedFailedAt: number) {
  const health = yield* Health
  if ((yield* monotonicNow) - sharedFailedAt < Limits.roleFailedMs) return []
  const failedSince = yield* health.failedSince
  const parts = [...(yield* health.probes).keys()]
  return roles.filter((role) => roleFailedSince({ failedSince, parts }, role) !== undefined)
})

/** Keeps the row of this process until its scope ends. */
export const keepProcess = Effect.fnUntraced(function* (version: string, roles: ReadonlyArray<Role>) {
  const sql = yield* SqlClient.SqlClient
  const id = yield* ProcessId
  const parts = yield* makeParts
  let lastAt = yield* monotonicNow

  const seen = Effect.gen(function* () {
    yield* parts.probe
    const failing = yield* failingOf(roles, parts.sharedFailedAt())
    const behind = yield* stageAges
    const before = yield* bothClocks
    const sinceMs = before.monotonicMs - lastAt
    lastAt = before.monotonicMs
    const [row] = yield* sql<{ readonly nowMs: number }>`
      INSERT INTO processes (id, host, pid, version, roles, failing, seen_at, parts, behind_ms)
      VALUES (${id}, ${hostname()}, ${process.pid}, ${version}, ${roles}, ${failing}, clock_timestamp(),
              ${JSON.stringify(parts.read())}::text::jsonb, ${JSON.stringify(behind)}::text::jsonb)
      ON CONFLICT (id) DO UPDATE SET failing = excluded.failing, seen_at = excluded.seen_at, parts = excluded.parts,
        behind_ms = excluded.behind_ms
      RETURNING (extract(epoch FROM seen_at) * 1000)::float8 AS "nowMs"`.pipe(
      Effect.timeout(Limits.databaseConnectMs),
      Effect.tapError(() => parts.answered(undefined, sinceMs))
    )
    const tookMs = (yield* monotonicNow) - before.monotonicMs
    const aheadMs = (yield* Clock.currentTimeMillis) - row!.nowMs
    yield* parts.answered({ tookMs, aheadMs }, sinceMs)
  })
  yield* Effect.addFinalizer(() =>
    sql`UPDATE processes SET seen_at = clock_timestamp(), stopped_at = clock_timestamp() WHERE id = ${id}`.pipe(
      Effect.timeout(Limits.databaseConnectMs),
      Effect.ignore
    )
  )
  yield* Effect.forkScoped(repeatEvery("saying that this process runs", Limits.processSeenMs)(seen))
})

export const presenceLayer = (version: string) =>
  Layer.effectDiscard(Effect.flatMap(Settings, ({ roles }) => keepProcess(version, roles)))

/** The newest first. */
export const readProcesses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<SeenProcess>`
    SELECT host, pid, version, roles, failing, stopped_at IS NOT NULL AS stopped, parts, behind_ms AS "behindMs",
           ARRAY(SELECT name FROM leases WHERE owner = p.id AND expires_at > clock_timestamp() ORDER BY name) AS holds,
           greatest(0, extract(epoch FROM clock_timestamp() - seen_at) * 1000)::float8 AS "seenAgoMs"
    FROM processes p ORDER BY p.seen_at DESC`
})

/**
 * Whether a process of release 0.2 is connected: it has a name without roles (storage/Sql.ts). A user without the rights
 * to see others' sessions does not see it.
 */
export const olderRuns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'ledgerhook' LIMIT 1`
  return rows.length > 0
})

/** Deletes the rows of processes that ended long ago. */
export const forgetProcesses = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql`
    DELETE FROM processes
    WHERE seen_at < clock_timestamp() - ${Limits.processKeptMs} * interval '1 millisecond'`.pipe(
    repeatEvery("forgetting ended processes", Limits.maintenanceMs)
  )
)
