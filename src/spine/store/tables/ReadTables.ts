/**
 * Reads all tables of a database as they are at one moment, while a service may write to them. A row is PostgreSQL's
 * text of it, which WriteTables.ts casts back. While tables are read, retention drops none of them.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import {
  appliedMigrations,
  type IdentityColumn,
  identityColumns,
  leavesOf,
  type TableShape,
  tableShapes
} from "./TableShapes.ts"

export interface DatabaseShape {
  readonly migrations: ReadonlyArray<string>
  readonly tables: ReadonlyArray<TableShape>
  readonly identities: ReadonlyArray<IdentityColumn>
  /** The number of rows of each table and partition. */
  readonly rows: Readonly<Record<string, number>>
}

/** Runs `use` in one transaction whose statements all see the database as it was at the first of them. */
export const inSnapshot = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.withTransaction(
      Effect.andThen(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`.unprepared, use)
    )
  })

/** In a snapshot: what there is to read. */
export const readShape = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* tableShapes
  const leaves = leavesOf(tables).map(({ leaf }) => leaf)
  yield* sql`LOCK TABLE ${sql.csv(leaves.map((leaf) => sql`${sql(leaf)}`))} IN ACCESS SHARE MODE`.unprepared
  const rows: Record<string, number> = {}
  for (const leaf of leaves) {
    const [counted] = yield* sql<{ readonly rows: number }>`SELECT count(*)::float8 AS rows FROM ${sql(leaf)}`
      .unprepared
    rows[leaf] = counted!.rows
  }
  const shape: DatabaseShape = {
    migrations: yield* appliedMigrations,
    tables,
    identities: yield* identityColumns,
    rows
  }
  return shape
})

/** Called with the number of rows to copy. Its result is called with the number copied so far. */
export type CopyProgress<R> = (
  total: number
) => Effect.Effect<(done: number) => Effect.Effect<void>, never, R>

export const sumOf = (rows: Readonly<Record<string, number>>): number =>
  Object.values(rows).reduce((sum, count) => sum + count, 0)

/** Calls `use` with the rows of a table or partition, `Limits.largeRows` at a time. */
const eachPage = Effect.fnUntraced(function* <E, R>(
  leaf: string,
  use: (rows: ReadonlyArray<string>) => Effect.Effect<void, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DECLARE copied NO SCROLL CURSOR FOR SELECT whole::text AS row FROM ONLY ${sql(leaf)} AS whole`
    .unprepared
  while (true) {
    const page = yield* sql<{ readonly row: string }>`
      FETCH ${sql.literal(String(Limits.largeRows))} FROM copied`.unprepared
    if (page.length > 0) yield* use(page.map(({ row }) => row))
    if (page.length < Limits.largeRows) break
  }
  yield* sql`CLOSE copied`.unprepared
})

/** In a snapshot: calls `use` with pages of rows of all these tables. Returns how many rows there were. */
export const readRows = Effect.fnUntraced(function* <E, R, R2>(
  { rows: counts, tables }: Pick<DatabaseShape, "rows" | "tables">,
  progress: CopyProgress<R2>,
  use: (leaf: string, rows: ReadonlyArray<string>) => Effect.Effect<void, E, R>
) {
  const leaves = leavesOf(tables)
  const show = yield* progress(leaves.reduce((sum, { leaf }) => sum + (counts[leaf] ?? 0), 0))
  let done = 0
  for (const { leaf } of leaves)
    yield* eachPage(leaf, (rows) => {
      done += rows.length
      return Effect.andThen(use(leaf, rows), show(done))
    })
  return done
})
