/**
 * The rows in which processes say that they run (table `processes`). Only the database's clock counts. A row stays for a
 * day after its process has ended, so that an operator learns who had a role last.
 */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../config/Config.ts"
import type { Role } from "../config/Definitions.ts"
import { Limits } from "../config/Limits.ts"
import type { SeenProcess } from "../health/Roles.ts"
import { Health } from "../observability/Health.ts"
import { repeatEvery } from "../observability/RetryUntilSuccess.ts"

/** The roles that fail now: all parts of the role do. `ingest` has one for each network. */
const failingOf = Effect.fnUntraced(function* (roles: ReadonlyArray<Role>) {
  const parts = yield* (yield* Health).probes
  const failing: Array<Role> = []
  for (const role of roles) {
    const own = [...parts].filter(([name]) => name === role || name.startsWith(`${role}.`))
    const states = yield* Effect.all(own.map(([, probe]) => probe))
    if (states.length > 0 && states.every(({ status }) => status === "failed")) failing.push(role)
  }
  return failing
})

/** Keeps the row of this process until its scope ends. */
export const keepProcess = Effect.fnUntraced(function* (version: string, roles: ReadonlyArray<Role>) {
  const sql = yield* SqlClient.SqlClient
  const id = randomUUID()
  const seen = Effect.flatMap(
    failingOf(roles),
    (failing) => sql`
      INSERT INTO processes (id, host, pid, version, roles, failing, seen_at)
      VALUES (${id}, ${hostname()}, ${process.pid}, ${version}, ${roles}, ${failing}, clock_timestamp())
      ON CONFLICT (id) DO UPDATE SET failing = excluded.failing, seen_at = excluded.seen_at`
  )
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
    SELECT host, pid, version, roles, failing, stopped_at IS NOT NULL AS stopped,
           greatest(0, extract(epoch FROM clock_timestamp() - seen_at) * 1000)::float8 AS "seenAgoMs"
    FROM processes ORDER BY processes.seen_at DESC`
})

/** Deletes the rows of processes that ended long ago. */
export const forgetProcesses = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql`
    DELETE FROM processes
    WHERE seen_at < clock_timestamp() - ${Limits.processKeptMs} * interval '1 millisecond'`.pipe(
    repeatEvery("forgetting ended processes", Limits.maintenanceMs)
  )
)
