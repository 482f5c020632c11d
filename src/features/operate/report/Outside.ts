/** Parts that no process probes for itself: the schema registry, the mail server, and locks in PostgreSQL. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings, watchedNetworks } from "../../../spine/config/Config.ts"
import { Limits } from "../../../spine/config/Limits.ts"
import { examineSchemas } from "../../../spine/log/kafka/SchemaRegistry.ts"
import { monotonicNow } from "../../../spine/words/Monotonic.ts"
import { seconds } from "../../../spine/words/Words.ts"
import { mailServerOf } from "../../health/notify/Settings.ts"
import { type Lock, locksPart, mailPart, registryPart } from "../model/PartProbes.ts"
import type { PartState } from "../model/Parts.ts"

/** How long a statement may wait for a lock: much longer than any transaction of the service takes. */
const LOCK_WAIT_MS = 10_000

const REGISTRY_MS = Limits.reportMs / 2

/** Asks the registry, at most once in `sweepMs`. Empty if there is none. */
export const makeRegistryPart = Effect.gen(function* () {
  const settings = yield* Settings
  const url = settings.kafka?.schemaRegistryUrl
  const prefix = settings.kafka?.topicPrefix ?? ""
  let last: { readonly atMs: number; readonly state: PartState } | undefined
  return Effect.gen(function* () {
    if (url === undefined) return []
    const nowMs = yield* monotonicNow
    if (last === undefined || nowMs - last.atMs >= Limits.sweepMs) {
      const state = yield* examineSchemas(url, prefix, watchedNetworks(settings), settings).pipe(
        // A registry that hangs must not make the report old.
        Effect.timeoutOrElse({
          duration: REGISTRY_MS,
          orElse: () => Effect.fail({ message: `no answer within ${seconds(REGISTRY_MS)}` })
        }),
        Effect.match({
          onFailure: ({ message }) => registryPart(message),
          onSuccess: (subjects) => registryPart(subjects.map(({ registered }) => registered))
        })
      )
      last = { atMs: nowMs, state }
    }
    return [last.state]
  })
})

/** From the newest attempts to send a mail. Empty if no mail server is set. */
export const readMailPart = Effect.gen(function* () {
  if (mailServerOf(yield* Settings) === undefined) return []
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly rejected: number
    readonly rejectedMs: number
    readonly error: string | null
  }>`
    SELECT count(*)::float8 AS rejected, max(last_error) AS error,
           coalesce(extract(epoch FROM clock_timestamp() - min(created_at)) * 1000, 0)::float8 AS "rejectedMs"
    FROM mails WHERE next_attempt_at IS NOT NULL AND last_error IS NOT NULL`
  return [mailPart(row!)]
})

/**
 * Statements of the service that wait for a lock of another session. A user without the rights to see others' sessions
 * learns their number only.
 */
export const readLocksPart = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [lock] = yield* sql<Lock>`
    SELECT count(DISTINCT waiting.pid)::float8 AS statements, holder.pid, coalesce(holder.application_name, '') AS name,
           coalesce(holder.state, 'unknown') AS state,
           (extract(epoch FROM clock_timestamp() - min(waiting.query_start)) * 1000)::float8 AS "waitedMs"
    FROM pg_stat_activity waiting, unnest(pg_blocking_pids(waiting.pid)) AS blocking (pid),
         pg_stat_activity holder
    WHERE waiting.datname = current_database() AND waiting.wait_event_type = 'Lock'
      AND waiting.query_start < clock_timestamp() - ${LOCK_WAIT_MS} * interval '1 millisecond'
      AND holder.pid = blocking.pid AND holder.wait_event_type IS DISTINCT FROM 'Lock'
    GROUP BY 2, 3, 4 ORDER BY 1 DESC LIMIT 1`
  return lock === undefined ? [] : [locksPart(lock)]
})
