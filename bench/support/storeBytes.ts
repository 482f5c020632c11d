/** Bytes that a database has for events, deliveries, the log and webhooks, and the WAL it has written so far. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Tables by what they are for. Their partitions have names that begin with the table's. */
const kinds = {
  events: ["events", "event_accounts", "event_hours"],
  deliveries: ["deliveries", "attempts", "delivery_"],
  log: ["log_"],
  webhooks: ["webhooks"]
} as const
type Kind = keyof typeof kinds

export interface Bytes {
  readonly wal: number
  readonly tables: Readonly<Record<Kind, number>>
  readonly indexes: Readonly<Record<Kind, number>>
}

export const bytesNow = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string; readonly table: number; readonly indexes: number }>`
    SELECT relname AS name, pg_table_size(oid)::float8 AS table, pg_indexes_size(oid)::float8 AS indexes
    FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
  const [wal] = yield* sql<{ readonly bytes: number }>`
    SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes`
  const sum = (part: "table" | "indexes") => (names: ReadonlyArray<string>) =>
    rows
      .filter(({ name }) => names.some((start) => name.startsWith(start)))
      .reduce((total, row) => total + row[part], 0)
  const byKind = (of: (names: ReadonlyArray<string>) => number): Bytes["tables"] => ({
    events: of(kinds.events),
    deliveries: of(kinds.deliveries),
    log: of(kinds.log),
    webhooks: of(kinds.webhooks)
  })
  return { wal: wal!.bytes, tables: byKind(sum("table")), indexes: byKind(sum("indexes")) } satisfies Bytes
})
