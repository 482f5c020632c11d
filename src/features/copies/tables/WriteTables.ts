/**
 * Fills the tables of a migrated database with rows that ReadTables.ts has read. Rows go into the partitions, not
 * into their parent: PostgreSQL then runs no trigger that would count deliveries again. Call it in one transaction.
 */
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { inheritReplicaIdentity } from "../../../spine/log/TimePartitions.ts"
import { column } from "../../../spine/store/Columns.ts"
import type { DatabaseShape } from "../../../spine/store/tables/ReadTables.ts"
import {
  leavesOf,
  type TablePartition,
  type TableShape,
  tableShapes
} from "../../../spine/store/tables/TableShapes.ts"

/** The tables or their rows are not those that were read. */
export class OtherTables extends Schema.TaggedError<OtherTables>()("OtherTables", {
  message: Schema.String
}) {}

/** The only form that this program's partitions have; anything else is not run as SQL. */
const BOUND = /^FOR VALUES FROM \('[^']*'\) TO \('[^']*'\)$/
const OPTION = /^[a-z_]+=\w+$/

const makePartition = Effect.fnUntraced(function* (table: string, { name, bound, options }: TablePartition) {
  const sql = yield* SqlClient.SqlClient
  if (!BOUND.test(bound) || !options.every((option) => OPTION.test(option)))
    return yield* new OtherTables({ message: `the partition ${name} has an unknown form` })
  const settings = options.length === 0 ? "" : ` WITH (${options.join(", ")})`
  yield* sql`
    CREATE TABLE IF NOT EXISTS ${sql(name)} PARTITION OF ${sql(table)} ${sql.literal(bound + settings)}`
    .unprepared
  yield* inheritReplicaIdentity(table, name)
})

const columnsOf = (tables: ReadonlyArray<TableShape>): string =>
  JSON.stringify(tables.map(({ name, columns }) => [name, columns]))

/** Empties the tables and makes their partitions. Fails if the tables are not those of `shape`. */
const prepareTables = Effect.fnUntraced(function* (
  { tables }: DatabaseShape,
  /** The tables to fill. The others stay as they are. */
  isFilled: (table: TableShape) => boolean
) {
  const sql = yield* SqlClient.SqlClient
  const own = yield* tableShapes
  if (columnsOf(own) !== columnsOf(tables))
    return yield* new OtherTables({ message: "the tables are those of another version of ledgerhook" })
  // A migration may have inserted rows.
  yield* sql`TRUNCATE ${sql.csv(own.filter(isFilled).map(({ name }) => sql`${sql(name)}`))}`.unprepared
  for (const { name, partitions } of tables.filter(isFilled))
    for (const partition of partitions ?? []) yield* makePartition(name, partition)
})

/** By table: expressions for columns that change, on the row `whole`. */
export type ChangedColumns = Readonly<Record<string, Readonly<Record<string, Statement.Fragment>>>>

const writeRows = Effect.fnUntraced(function* (
  { name, columns }: TableShape,
  leaf: string,
  rows: ReadonlyArray<string>,
  changed: ChangedColumns[string] = {}
) {
  const sql = yield* SqlClient.SqlClient
  const names = sql.csv(columns.map((one) => sql`${sql(one)}`))
  const values = sql.csv(columns.map((one) => changed[one] ?? sql`(whole).${sql(one)}`))
  yield* sql`
    INSERT INTO ${sql(leaf)} (${names}) OVERRIDING SYSTEM VALUE
    SELECT ${values} FROM (SELECT unnest(${column(rows)}::text[])::${sql(name)} AS whole) AS rows`
})

/** Identity columns continue after the values of `shape`. */
const continueIdentities = Effect.fnUntraced(function* ({ identities }: DatabaseShape) {
  const sql = yield* SqlClient.SqlClient
  for (const { table, column: name, last, used } of identities)
    yield* sql`SELECT setval(pg_get_serial_sequence(quote_ident(${table}), ${name}), ${last}::bigint, ${used})`
})

const checkCount = Effect.fnUntraced(function* (leaf: string, rows: number | undefined) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly rows: number }>`SELECT count(*)::float8 AS rows FROM ${sql(leaf)}`
    .unprepared
  if (found?.rows !== rows)
    return yield* new OtherTables({ message: `the table ${leaf} has ${found?.rows} rows instead of ${rows}` })
})

/** `add` takes the rows of `shape`. `finish` fails unless the tables then have as many rows as those that were read. */
export const fillTables = Effect.fnUntraced(function* (
  shape: DatabaseShape,
  isFilled: (table: TableShape) => boolean = () => true,
  changed: ChangedColumns = {}
) {
  yield* prepareTables(shape, isFilled)
  const leaves = new Map(leavesOf(shape.tables.filter(isFilled)).map(({ leaf, table }) => [leaf, table]))
  const add = Effect.fnUntraced(function* (leaf: string, rows: ReadonlyArray<string>) {
    const table = leaves.get(leaf)
    if (table === undefined)
      return yield* new OtherTables({ message: `it has rows of an unknown table ${leaf}` })
    yield* writeRows(table, leaf, rows, changed[table.name])
  })
  const finish = Effect.andThen(
    Effect.forEach(leaves.keys(), (leaf) => checkCount(leaf, shape.rows[leaf]), { discard: true }),
    continueIdentities(shape)
  )
  return { add, finish }
})
