/**
 * Reads all tables of one database as a backup does, and fills another as a restore does, in one transaction of the
 * other: after a kill -9 it is as empty as before. Without the tables of the embedded log, offsets in rows are
 * translated.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../../spine/config/Limits.ts"
import { column } from "../../../spine/store/Columns.ts"
import { type CopyProgress, inSnapshot, readRows, readShape } from "../../../spine/store/tables/ReadTables.ts"
import type { TableShape } from "../../../spine/store/tables/TableShapes.ts"
import { type ChangedColumns, fillTables } from "../tables/WriteTables.ts"

const LOG_TABLES = [
  "log_identity",
  "log_owner",
  "log_ends",
  "log_commits",
  "log_work",
  "log_history",
  "log_transactions",
  "log_compacted",
  // The index of transactions has places in the log. The stage `events` makes it again.
  "transactions"
]

/** A run of records of a topic that are consecutive in both logs (copies/move/OffsetMap.ts). */
export interface MovedRun {
  readonly topic: string
  readonly source: number
  readonly target: number
  readonly records: number
}

/** Whether a service has been started on the database. */
export const isInUse = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly used: boolean }>`
    SELECT EXISTS (SELECT 1 FROM accounts) OR EXISTS (SELECT 1 FROM log_identity) AS used`
  return row?.used === true
})

/** Runs of a topic begin far below the first offset and end far above the last, so each offset has a translation. */
const storeRuns = Effect.fnUntraced(function* (runs: ReadonlyArray<MovedRun>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TEMPORARY TABLE moved_runs (topic text COLLATE "C", source bigint, target bigint, records bigint)
    ON COMMIT DROP`.unprepared
  for (let i = 0; i < runs.length; i += Limits.statementRows) {
    const some = runs.slice(i, i + Limits.statementRows)
    yield* sql`
      INSERT INTO moved_runs SELECT * FROM unnest(
        ${column(some.map(({ topic }) => topic))}::text[], ${column(some.map(({ source }) => source))}::bigint[],
        ${column(some.map(({ target }) => target))}::bigint[], ${column(some.map(({ records }) => records))}::bigint[])`
  }
  yield* sql`CREATE INDEX moved_runs_by_source ON moved_runs (topic, source)`.unprepared
  yield* sql`
    CREATE FUNCTION pg_temp.moved(of text, place bigint) RETURNS bigint LANGUAGE sql STABLE AS $body$
      SELECT CASE WHEN place < source + records THEN target + (place - source) ELSE (
        SELECT target FROM pg_temp.moved_runs WHERE topic = of AND source > place ORDER BY source LIMIT 1) END
      FROM pg_temp.moved_runs WHERE topic = of AND source <= place ORDER BY source DESC LIMIT 1
    $body$`.unprepared
})

/** Columns with offsets, as they are in the other log. A job's places are offsets unless it reads by ledger. */
const translations = (sql: SqlClient.SqlClient): ChangedColumns => {
  const moved = (topic: string, of: string) =>
    sql.literal(`pg_temp.moved('xrpl.' || (whole).network || '.${topic}', (whole).${of})`)
  const place = (of: string, unless: string) =>
    sql`CASE WHEN (whole).filters IS NULL ${sql.literal(unless)} THEN (whole).${sql(of)} ELSE ${moved("events", of)} END`
  return {
    deliveries: {
      event_offset: sql`CASE WHEN (whole).from_history THEN ${moved("history.events", "event_offset")}
                        ELSE ${moved("events", "event_offset")} END`
    },
    history_stretches: {
      marker_offset: moved("history.ledgers", "marker_offset"),
      event_offset: sql`CASE (whole).events WHEN 0 THEN 0 ELSE ${moved("history.events", "event_offset")} END`
    },
    replay_jobs: {
      start_offset: place("start_offset", ""),
      end_offset: place("end_offset", ""),
      next_offset: place("next_offset", ""),
      cursor: place("cursor", "OR (whole).by_ledger")
    }
  }
}

export interface MoveOptions<A, E, R, R2> {
  readonly source: SqlClient.SqlClient
  readonly target: SqlClient.SqlClient
  /** Undefined: the log is in the tables and moves with them, with the same offsets. */
  readonly runs: ReadonlyArray<MovedRun> | undefined
  readonly progress: CopyProgress<R2>
  /** Runs in the transaction of the target, at its end. If it fails, the target stays empty. */
  readonly finish: Effect.Effect<A, E, R>
}

/** Returns the number of rows, and the result of `finish`. */
export const moveTables = <A, E, R, R2>({
  source,
  target,
  runs,
  progress,
  finish
}: MoveOptions<A, E, R, R2>) => {
  const inTarget = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, SqlClient.SqlClient, target)
  const isMoved = ({ name }: TableShape) => runs === undefined || !LOG_TABLES.includes(name)
  const copy = Effect.gen(function* () {
    const shape = yield* readShape
    if (runs !== undefined) yield* inTarget(storeRuns(runs))
    const tables = yield* inTarget(fillTables(shape, isMoved, runs === undefined ? {} : translations(target)))
    const moved = { ...shape, tables: shape.tables.filter(isMoved) }
    const rows = yield* readRows(moved, progress, (leaf, page) => inTarget(tables.add(leaf, page)))
    yield* inTarget(tables.finish)
    return { rows, finished: yield* inTarget(finish) }
  })
  return target.withTransaction(copy.pipe(inSnapshot, Effect.provideService(SqlClient.SqlClient, source)))
}
