/**
 * The rows in which processes say that they run and how they are (table `processes`). Only the database's clock counts. A
 * row stays for a day after its process has ended, so that an operator learns who had a role last.
 */
import { hostname } from "node:os"
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql"
import { Settings } from "../../spine/config/Config.ts"
import type { Role } from "../../spine/config/Definitions.ts"
import { Limits } from "../../spine/config/Limits.ts"
import { RELEASE } from "../../spine/log/Log.ts"
import { Health } from "../../spine/observe/Health.ts"
import { Metrics, outcomes } from "../../spine/observe/Metrics.ts"
import { repeatEvery } from "../../spine/observe/RetryUntilSuccess.ts"
import { stageAges } from "../../spine/observe/StageAges.ts"
import { ProcessId } from "../../spine/store/ProcessId.ts"
import * as SqlPool from "../../spine/store/SqlPool.ts"
import { bothClocks, monotonicNow } from "../../spine/words/Monotonic.ts"
import { type PartInProcess, rolePart, type SeenProcess, type Sent } from "./model/SeenProcess.ts"
import { roleFailedSince } from "./model/Traffic.ts"
import { makeParts } from "./ProcessParts.ts"

const MINUTE_MS = 60_000
/** How long the row of an ended process stays. */
const KEPT_MS = 86_400_000

/** Why each of the roles fails, as parts of the process. */
const reasonsOf = Effect.fnUntraced(function* (failing: ReadonlyArray<Role>) {
  const health = yield* Health
  const names = [...(yield* health.probes).keys()]
  const reasons: Record<string, PartInProcess> = {}
  for (const role of failing) {
    const part = names.find((name) => name === role || name.startsWith(`${role}.`))
    const detail = part === undefined ? undefined : yield* health.failureOf(part)
    if (detail !== undefined) reasons[rolePart(role)] = { status: "failed", detail }
  }
  return reasons
})

/**
 * The roles that fail by themselves. A restart that fails again changes nothing. `sharedFailedAt`: when something failed
 * that all stages need.
 */
const failingOf = Effect.fnUntraced(function* (roles: ReadonlyArray<Role>, sharedFailedAt: number) {
  const health = yield* Health
  if ((yield* monotonicNow) - sharedFailedAt < Limits.troubleMs) return []
  const failedSince = yield* health.failedSince
  const parts = [...(yield* health.probes).keys()]
  return roles.filter((role) => roleFailedSince({ failedSince, parts }, role) !== undefined)
})

/** What this process has sent since its start. */
const countSent = Effect.gen(function* () {
  const sent = { attempts: 0, delivered: 0, seconds: 0 }
  for (const outcome of outcomes) {
    const { count, sum } = yield* Metrics.attemptDuration.total({ outcome })
    sent.attempts += count
    sent.seconds += sum
    if (outcome === "delivered") sent.delivered += count
  }
  return sent
})

/** The same of the last minute, at each call. */
const makeSent = () => {
  let samples: ReadonlyArray<Sent> = []
  return Effect.map(countSent, (now): Sent => {
    samples = [...samples, now].slice(-Math.ceil(MINUTE_MS / Limits.leaseRenewMs) - 1)
    const { attempts, delivered, seconds } = samples[0]!
    return {
      attempts: now.attempts - attempts,
      delivered: now.delivered - delivered,
      seconds: now.seconds - seconds
    }
  })
}

/** Keeps the row of this process until its scope ends. */
export const keepProcess = Effect.fnUntraced(function* (version: string, roles: ReadonlyArray<Role>) {
  const sql = yield* SqlClient.SqlClient
  const id = yield* ProcessId
  const parts = yield* makeParts
  const sent = roles.includes("deliver") ? makeSent() : Effect.succeed(null)
  let lastAt = yield* monotonicNow

  const seen = Effect.gen(function* () {
    yield* parts.probe
    const failing = yield* failingOf(roles, parts.sharedFailedAt())
    const behind = yield* stageAges
    const sentLately = JSON.stringify(yield* sent)
    const before = yield* bothClocks
    const sinceMs = before.monotonicMs - lastAt
    lastAt = before.monotonicMs
    const shown = { ...parts.read(), ...(yield* reasonsOf(failing)) }
    const [row] = yield* sql<{ readonly nowMs: number }>`
      INSERT INTO processes (id, host, pid, version, release, roles, failing, seen_at, parts, behind_ms, sent)
      VALUES (${id}, ${hostname()}, ${process.pid}, ${version}, ${RELEASE}, ${roles}, ${failing}, clock_timestamp(),
              ${JSON.stringify(shown)}::text::jsonb, ${JSON.stringify(behind)}::text::jsonb,
              nullif(${sentLately}::text::jsonb, 'null'))
      ON CONFLICT (id) DO UPDATE SET failing = excluded.failing, seen_at = excluded.seen_at, parts = excluded.parts,
        behind_ms = excluded.behind_ms, sent = excluded.sent
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
  yield* Effect.forkScoped(repeatEvery("saying that this process runs", Limits.leaseRenewMs)(seen))
})

/**
 * On a connection of its own: while statements of the pool wait for a lock or a slow disk, the process still runs, and the
 * database still answers.
 */
export const presenceLayer = (version: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { roles } = yield* Settings
      const { config } = yield* PgClient.PgClient
      const own = yield* SqlPool.make(undefined, { ...config, maxConnections: 1 }, {})
      yield* Effect.provideService(keepProcess(version, roles), SqlClient.SqlClient, own)
    })
  ).pipe(Layer.provide(Reactivity.layer))

/** The newest first. */
export const readProcesses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<SeenProcess>`
    SELECT host, pid, version, roles, failing, stopped_at IS NOT NULL AS stopped, parts, behind_ms AS "behindMs", sent,
           ARRAY(SELECT name FROM leases WHERE owner = p.id AND expires_at > clock_timestamp() ORDER BY name) AS holds,
           greatest(0, extract(epoch FROM clock_timestamp() - seen_at) * 1000)::float8 AS "seenAgoMs"
    FROM processes p ORDER BY p.seen_at DESC`
})

/** Deletes the rows of processes that ended long ago. */
export const forgetProcesses = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql`
    DELETE FROM processes
    WHERE seen_at < clock_timestamp() - ${KEPT_MS} * interval '1 millisecond'`.pipe(
    repeatEvery("forgetting ended processes", Limits.maintenanceMs)
  )
)
