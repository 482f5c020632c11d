/**
 * Range partitions of tables that share their bounds. Each covers a whole number of days (UTC). A writer makes the
 * partition before it inserts, so no row is ever without one; retention drops whole partitions. Names end with the
 * first day.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { errorText } from "../observe/Logging.ts"
import { noTrouble, noteTrouble } from "../observe/Troubles.ts"

/** Days of table partitions made ahead, so that the next day always has one. */
export const DAYS_AHEAD = 3

export const DAY_MS = 86_400_000

/**
 * How long retention waits for a partition that a backup is reading. Writers wait behind it, so it gives up soon and drops
 * the partition an hour later.
 */
const DROP_WAIT_MS = 500

export interface PartitionedTables {
  /** In the order in which statements lock them, so that making partitions cannot deadlock with them. */
  readonly tables: ReadonlyArray<string>
  readonly days: number
  /** Percent of a page that inserts fill. Below 100, an updated row's new version fits into the same page. */
  readonly fillfactor?: number
  /** The value of the partition key at that moment, as the text of a literal. */
  readonly boundAt: (unixMs: number) => string
}

export interface TimePartitions {
  /** The start of the partition that contains the moment, in Unix milliseconds. */
  readonly startOf: (unixMs: number) => number
  /** Makes the partitions from `fromMs` to `toMs`, both included. Known ones cost no statement. */
  readonly ensure: (fromMs: number, toMs: number) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Drops the partitions that ended before `beforeMs`; returns how many. One that cannot be dropped, because it is being
   * read or because a view is on it, stays until the next time, and the others go.
   */
  readonly drop: (beforeMs: number) => Effect.Effect<number, SqlError.SqlError>
  /** The start of the first table's oldest partition; undefined if there is none. */
  readonly oldest: Effect.Effect<number | undefined, SqlError.SqlError>
  /** Call it after a failed statement: another process may have dropped partitions that are known here. */
  readonly forget: Effect.Effect<void>
}

/** A partition does not inherit REPLICA IDENTITY FULL, which a table without a primary key needs to be published. */
export const inheritReplicaIdentity = Effect.fnUntraced(function* (table: string, partition: string) {
  const sql = yield* SqlClient.SqlClient
  const lacking = yield* sql`
    SELECT FROM pg_class parent, pg_class own WHERE parent.oid = ${table}::regclass AND own.oid = ${partition}::regclass
      AND parent.relreplident = 'f' AND own.relreplident <> 'f'`
  if (lacking.length > 0) yield* sql`ALTER TABLE ${sql(partition)} REPLICA IDENTITY FULL`
})

export const makeTimePartitions = Effect.fnUntraced(function* ({
  tables,
  days,
  fillfactor = 100,
  boundAt
}: PartitionedTables) {
  const sql = yield* SqlClient.SqlClient
  const on = Effect.provideService(SqlClient.SqlClient, sql)
  const widthMs = days * DAY_MS
  const known = new Set<number>()
  /** The partitions that the last pass could not drop. */
  const undropped = new Set<string>()

  const numberOf = (unixMs: number): number => Math.floor(unixMs / widthMs)
  const nameOf = (table: string, number: number): string =>
    `${table}_${new Date(number * widthMs).toISOString().slice(0, 10).replaceAll("-", "")}`

  const make = Effect.fnUntraced(function* (number: number) {
    const [from, to] = [number, number + 1].map((one) => sql.literal(`'${boundAt(one * widthMs)}'`))
    yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('ledgerhook.partitions', 0))`
    for (const table of tables) {
      yield* sql`CREATE TABLE IF NOT EXISTS ${sql(nameOf(table, number))} PARTITION OF ${sql(table)}
                 FOR VALUES FROM (${from!}) TO (${to!}) WITH (fillfactor = ${sql.literal(String(fillfactor))})`
      yield* on(inheritReplicaIdentity(table, nameOf(table, number)))
    }
  }, sql.withTransaction)

  const ensure = Effect.fnUntraced(function* (fromMs: number, toMs: number) {
    for (let number = numberOf(fromMs); number <= numberOf(toMs); number++) {
      if (known.has(number)) continue
      yield* make(number)
      known.add(number)
    }
  })

  const dropOne = (name: string) =>
    Effect.gen(function* () {
      yield* sql`SELECT set_config('lock_timeout', ${String(DROP_WAIT_MS)}, true)`
      yield* sql`DROP TABLE IF EXISTS ${sql(name)}`
      yield* sql`SELECT set_config('lock_timeout', '0', true)`
      return true
    }).pipe(
      sql.withTransaction,
      Effect.catchIf(
        ({ reason }) => reason._tag !== "ConnectionError",
        (error) => Effect.as(cannotDrop(name, error), false)
      )
    )

  /** Something that reads a partition for longer, such as a backup, is no fault: the next retention drops it. */
  const cannotDrop = (name: string, error: SqlError.SqlError) => {
    if (error.reason._tag === "LockTimeoutError") return Effect.void
    const what = `dropping the partition ${name}`
    undropped.add(name)
    return Effect.andThen(
      Effect.logWarning(`${what} failed`, error),
      noteTrouble(name, what, errorText(error))
    )
  }

  const partitionsBefore = Effect.fnUntraced(function* (table: string, name: string) {
    const children = yield* sql<{ readonly name: string }>`
      SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = ${table}::regclass AND c.relname < ${name} ORDER BY 1`
    return children.map((child) => child.name)
  })

  const drop = Effect.fnUntraced(function* (beforeMs: number) {
    let dropped = 0
    const before = [...undropped]
    undropped.clear()
    for (const table of tables)
      for (const name of yield* partitionsBefore(table, nameOf(table, numberOf(beforeMs))))
        if (yield* dropOne(name)) dropped++
    for (const name of before) if (!undropped.has(name)) yield* noTrouble(name)
    known.clear()
    return dropped
  })

  const oldest = Effect.map(partitionsBefore(tables[0]!, `${tables[0]}_99991231`), ([name]) => {
    const day = /(\d{4})(\d\d)(\d\d)$/.exec(name ?? "")
    return day === null ? undefined : Date.parse(day.slice(1).join("-"))
  })

  const made: TimePartitions = {
    startOf: (unixMs) => numberOf(unixMs) * widthMs,
    ensure,
    drop,
    oldest,
    forget: Effect.sync(() => known.clear())
  }
  return made
})
