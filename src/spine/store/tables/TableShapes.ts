/**
 * What the tables of a database look like: their columns, the partitions that time has made, and the next values of
 * their identity columns. Read from PostgreSQL's catalogs, so a new table or column needs no change here.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export interface TablePartition {
  readonly name: string
  /** `FOR VALUES FROM ('…') TO ('…')`. */
  readonly bound: string
  /** Such as `fillfactor=50`. */
  readonly options: ReadonlyArray<string>
}

export interface TableShape {
  readonly name: string
  /** Without generated columns, whose values PostgreSQL computes. */
  readonly columns: ReadonlyArray<string>
  /** Null if the table is not partitioned. */
  readonly partitions: ReadonlyArray<TablePartition> | null
}

export interface IdentityColumn {
  readonly table: string
  readonly column: string
  readonly last: string
  /** Whether `last` has been given to a row. */
  readonly used: boolean
}

/** Tables that describe the running processes or the schema and are made again. All others are copied, those of features too. */
const LEFT_OUT = ["leases", "migrations", "networks", "processes"]

/** In the order in which they were made, so that a table follows those that it references. */
export const tableShapes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{
    readonly name: string
    readonly columns: ReadonlyArray<string>
    readonly split: boolean
  }>`
    SELECT c.relname AS name, c.relkind = 'p' AS split, (
      SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    ) AS columns
    FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND NOT c.relname = ANY(${LEFT_OUT}::text[])
    ORDER BY c.oid`
  const partitions = yield* sql<TablePartition & { readonly parent: string }>`
    SELECT p.relname AS parent, c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound,
           coalesce(c.reloptions, '{}') AS options
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
    WHERE p.relnamespace = current_schema()::regnamespace AND p.relkind = 'p' AND c.relispartition
      AND c.relkind = 'r'
    ORDER BY c.relname`
  return tables.map(
    ({ name, columns, split }): TableShape => ({
      name,
      columns,
      partitions: split
        ? partitions
            .filter(({ parent }) => parent === name)
            .map(({ name: partition, bound, options }) => ({ name: partition, bound, options }))
        : null
    })
  )
})

/** The tables that contain rows: those without partitions, and the partitions of the others. Pure. */
export const leavesOf = (tables: ReadonlyArray<TableShape>) =>
  tables.flatMap((table) =>
    (table.partitions ?? [{ name: table.name }]).map(({ name }) => ({ leaf: name, table }))
  )

export const identityColumns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ readonly table: string; readonly column: string; readonly sequence: string }>`
    SELECT c.relname AS table, a.attname AS column, pg_get_serial_sequence(quote_ident(c.relname), a.attname) AS sequence
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.attidentity <> ''
    ORDER BY c.oid`
  return yield* Effect.forEach(columns, ({ table, column, sequence }) =>
    Effect.map(
      sql<{ readonly last: string; readonly used: boolean }>`
        SELECT last_value::text AS last, is_called AS used FROM ${sql.literal(sequence)}`,
      ([row]): IdentityColumn => ({ table, column, last: row!.last, used: row!.used })
    )
  )
})

/** The names of the migrations that the database has, in order. */
export const appliedMigrations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string }>`
    SELECT lpad(migration_id::text, 4, '0') || '_' || name AS name FROM migrations ORDER BY migration_id`
  return rows.map(({ name }) => name)
})
