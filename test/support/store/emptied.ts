/** Empties a migrated database, and checks whether it then is as the migrations left it. */
import type { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"

type Session = PgConnection.PgConnection

/** A database as the migrations left it. */
export interface AsMigrated {
  /** The oid of the newest table. Later ones have higher oids. */
  readonly newest: string
  readonly schema: string
  /** Statements that write the rows of the migrations. */
  readonly rows: ReadonlyArray<string>
}

/** The first column of the answer. */
const column = (session: Session, sql: string, parameters: ReadonlyArray<unknown> = []) =>
  Effect.map(session.queryValues(sql, parameters), (rows) => rows.map(([value]) => String(value)))

/** Objects with lower oids belong to the system. */
const OWN = 16_384

/** A text that changes with everything but rows: the tables of the migrations, statistics, and what is new. */
const schemaOf = Effect.fnUntraced(function* (session: Session, newest: string) {
  const all = (table: string, columns: string, where: string) =>
    `(SELECT md5(string_agg(concat_ws(' ', ${columns}), '|' ORDER BY ${columns})) FROM ${table} WHERE ${where})`
  const old = (id: string) => `${id} BETWEEN ${OWN} AND ${newest}`
  const [schema] = yield* column(
    session,
    `SELECT concat_ws(' ',
      ${all("pg_class", "oid, relname, relkind, relowner, relnatts, relhastriggers, reltuples >= 0, reloptions, relacl::text", old("oid"))},
      ${all("pg_attribute", "attrelid, attnum, xmin::text", old("attrelid"))},
      ${all("pg_index", "indexrelid, xmin::text", old("indexrelid"))},
      ${all("pg_constraint", "oid, xmin::text", old("oid"))},
      ${all("pg_trigger", "oid, xmin::text", old("oid"))},
      ${all("pg_proc", "oid, xmin::text", `oid >= ${OWN}`)},
      ${all("pg_namespace", "oid, xmin::text", "true")},
      (SELECT count(*) FROM pg_class WHERE oid > ${newest} AND relkind <> 't' AND NOT relispartition),
      (SELECT count(*) FROM pg_trigger WHERE oid > ${newest} AND tgparentid = 0),
      (SELECT count(*) FROM pg_statistic WHERE starelid >= ${OWN}),
      (SELECT count(*) FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase WHERE d.datname = current_database()))`
  )
  return schema!
})

export const asMigrated = Effect.fnUntraced(function* (session: Session) {
  const [newest] = yield* column(session, "SELECT max(oid) FROM pg_class")
  const filled = yield* column(
    session,
    `SELECT format('%I', relname) FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0`
  )
  const rows = yield* Effect.forEach(filled, (table) =>
    column(
      session,
      `SELECT format('INSERT INTO ${table} OVERRIDING SYSTEM VALUE
                      SELECT * FROM json_populate_recordset(NULL::${table}, %L)', json_agg(t)) FROM ${table} t`
    )
  )
  const made: AsMigrated = { newest: newest!, schema: yield* schemaOf(session, newest!), rows: rows.flat() }
  return made
})

/** Partitions that tests made, and tables with rows. */
const tables = (session: Session, newest: string) =>
  Effect.map(
    session.queryValues(
      `SELECT format('%I', relname), oid > $1 AND relispartition, pg_relation_size(oid) FROM pg_class
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
         AND (oid > $1 AND relispartition OR pg_relation_size(oid) > 0)`,
      [newest]
    ),
    (rows) =>
      rows.map(([name, made, bytes]) => ({ name: String(name), made: made === true, bytes: Number(bytes) }))
  )

/** A table of up to ten pages is emptied sooner by DELETE than by TRUNCATE. */
const FEW_BYTES = 10 * 8_192

/**
 * Ends all sessions but idle ones with these process ids, deletes all rows that the migrations did not write, and returns
 * whether the schema is that of the migrations. If there are more than `partitions` partitions, it drops them.
 */
export const emptied = Effect.fnUntraced(function* (
  keeper: Session,
  sessions: Set<number>,
  partitions: number,
  { newest, rows, schema }: AsMigrated
) {
  yield* keeper.queryValues(
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
       AND (state <> 'idle' OR NOT pid = ANY($1::int[]) OR pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory'))`,
    [[...sessions]]
  )
  const found = yield* tables(keeper, newest)
  const made = found.filter((table) => table.made)
  const dropped = made.length > partitions ? made : []
  const filled = found.filter((table) => table.bytes > 0 && !dropped.includes(table))
  const truncated = filled.filter(({ bytes }) => bytes > FEW_BYTES)
  const names = (some: typeof found) => some.map(({ name }) => name).join()
  const statements = [
    "SET LOCAL session_replication_role = replica",
    ...(dropped.length > 0 ? [`DROP TABLE ${names(dropped)}`] : []),
    ...(truncated.length > 0 ? [`TRUNCATE ${names(truncated)} CASCADE`] : []),
    ...filled.filter(({ bytes }) => bytes <= FEW_BYTES).map(({ name }) => `DELETE FROM ${name}`),
    ...rows,
    "PERFORM setval(seqrelid::regclass, seqstart, false) FROM pg_sequence"
  ]
  yield* keeper.query(`DO $body$ BEGIN ${statements.join(";\n")}; END $body$`, [], false)
  return (yield* schemaOf(keeper, newest)) === schema
})
