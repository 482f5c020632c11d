/**
 * Range partitions of tables that share their bounds: each covers a whole number of days (UTC), is made before a row
 * needs it, whatever the clock does, and is dropped whole by retention. Their names end with their first day.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

export const DAY_MS = 86_400_000

export interface PartitionedTables {
  /** In the order in which statements that use several of them lock them. */
  readonly tables: ReadonlyArray<string>
  readonly days: number
  /** Percent of a page filled by new rows: less where rows are updated, so that new versions find room beside the old. */
  readonly fillfactor?: number
  /** What the partition key compares with at that moment: the text of a literal. */
  readonly boundAt: (unixMs: number) => string
}

export interface TimePartitions {
  /** When the partition that holds the moment begins, in Unix milliseconds. */
  readonly startOf: (unixMs: number) => number
  /** Makes the partitions that hold the time from `fromMs` to `toMs`, both included; free when they are known. */
  readonly ensure: (fromMs: number, toMs: number) => Effect.Effect<void, SqlError.SqlError>
  /** Drops the partitions that ended before `beforeMs`; returns how many. */
  readonly drop: (beforeMs: number) => Effect.Effect<number, SqlError.SqlError>
  /** After a failure nobody knows which are there. */
  readonly forget: Effect.Effect<void>
}

export const makeTimePartitions = Effect.fnUntraced(function* ({
  tables,
  days,
  fillfactor = 100,
  boundAt
}: PartitionedTables) {
  const sql = yield* SqlClient.SqlClient
  const widthMs = days * DAY_MS
  const known = new Set<number>()

  const numberOf = (unixMs: number): number => Math.floor(unixMs / widthMs)
  const nameOf = (table: string, number: number): string =>
    `${table}_${new Date(number * widthMs).toISOString().slice(0, 10).replaceAll("-", "")}`

  const make = Effect.fnUntraced(function* (number: number) {
    const [from, to] = [number, number + 1].map((one) => sql.literal(`'${boundAt(one * widthMs)}'`))
    yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('ledgerhook.partitions', 0))`
    for (const table of tables) {
      yield* sql`CREATE TABLE IF NOT EXISTS ${sql(nameOf(table, number))} PARTITION OF ${sql(table)}
                 FOR VALUES FROM (${from!}) TO (${to!}) WITH (fillfactor = ${sql.literal(String(fillfactor))})`
    }
  }, sql.withTransaction)

  const ensure = Effect.fnUntraced(function* (fromMs: number, toMs: number) {
    for (let number = numberOf(fromMs); number <= numberOf(toMs); number++) {
      if (known.has(number)) continue
      yield* make(number)
      known.add(number)
    }
  })

  const drop = Effect.fnUntraced(function* (beforeMs: number) {
    let dropped = 0
    for (const table of tables) {
      const oldestKept = nameOf(table, numberOf(beforeMs))
      const children = yield* sql<{ readonly name: string }>`
        SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = ${table}::regclass AND c.relname < ${oldestKept}`
      for (const { name } of children) {
        yield* sql`DROP TABLE IF EXISTS ${sql(name)}`
        dropped++
      }
    }
    known.clear()
    return dropped
  })

  const made: TimePartitions = {
    startOf: (unixMs) => numberOf(unixMs) * widthMs,
    ensure,
    drop,
    forget: Effect.sync(() => known.clear())
  }
  return made
})
