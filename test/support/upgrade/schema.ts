/**
 * What the tables of a database are made of, as text that two versions can be compared by. Partitions that time has
 * made are left out.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** For each table its columns, and its indexes, constraints and triggers. */
export type SchemaList = Readonly<
  Record<
    string,
    { readonly columns: Readonly<Record<string, string>>; readonly others: ReadonlyArray<string> }
  >
>

export const schemaList = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ readonly table: string; readonly column: string; readonly type: string }>`
    SELECT c.relname AS table, a.attname AS column,
           concat_ws(' ', format_type(a.atttypid, a.atttypmod), 'COLLATE ' || l.collname,
             CASE WHEN a.attnotnull THEN 'NOT NULL' END, 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid),
             CASE WHEN a.attidentity <> '' THEN 'IDENTITY' END) AS type
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    LEFT JOIN pg_collation l ON l.oid = a.attcollation AND l.collname <> 'default'
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
      AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY c.relname, a.attname`
  const others = yield* sql<{ readonly table: string; readonly other: string }>`
    SELECT c.relname AS table, o.other FROM pg_class c JOIN (
      SELECT indrelid AS relation, pg_get_indexdef(indexrelid) AS other FROM pg_index
      UNION ALL SELECT conrelid, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype <> 'n'
      UNION ALL SELECT tgrelid, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    ) o ON o.relation = c.oid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    ORDER BY c.relname, o.other`
  const list: Record<string, { columns: Record<string, string>; others: Array<string> }> = {}
  for (const { table, column, type } of columns) {
    list[table] ??= { columns: {}, others: [] }
    list[table].columns[column] = type
  }
  for (const { table, other } of others) list[table]?.others.push(other)
  return list
})
