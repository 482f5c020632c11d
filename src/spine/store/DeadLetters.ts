/**
 * Dead letters: records that a stage cannot read or PostgreSQL refuses, such as a text with a NUL, with the reason.
 * The stage continues with the other records. Only errors about the data count: if the database is down, the caller's
 * statement fails as usual. A record that is read again is counted once.
 */

import { Clock, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { deleteEvery } from "../observe/ClockTrust.ts"
import { type deadLetterStages, Metrics } from "../observe/Metrics.ts"
import { printable } from "../words/Printable.ts"
import { column } from "./Columns.ts"
import { storeLimits } from "./Limits.ts"

/** Characters that are kept of a record. With the bound of records that is a few MB. */
export const RECORD_CHARACTERS = 2_000

export type DeadLetterStage = (typeof deadLetterStages)[number]

export interface Described {
  /** Identifies the record: `topic/partition@offset`, or a key. The same whenever the record is read again. */
  readonly source: string
  readonly text: string
}

export interface DeadLetter extends Described {
  readonly reason: string
}

export interface DeadLetterRow {
  readonly stage: DeadLetterStage
  readonly source: string
  readonly reason: string
  readonly record: string
  readonly recorded_at: string
}

/** Fields of PostgreSQL's error. */
interface ServerError {
  readonly code?: unknown
  readonly constraint?: unknown
  readonly message?: unknown
}

const serverError = ({ reason: { cause } }: SqlError.SqlError): ServerError =>
  typeof cause === "object" && cause !== null ? cause : {}

/** SQLSTATE classes: invalid data, violated constraint, larger than PostgreSQL's own limits. */
const DATA_ERROR = /^(22|23|54)/
const CHECK_VIOLATION = "23514"

/** Whether the data caused the error. Repeating the statement then cannot succeed. Pure. */
export const isDataError = (error: SqlError.SqlError): boolean => {
  const { code, constraint } = serverError(error)
  // Without a constraint name it means that the row has no table partition: retention has dropped it.
  if (typeof code !== "string" || (code === CHECK_VIOLATION && constraint === undefined)) return false
  return DATA_ERROR.test(code)
}

export interface WriteAllButDeadLetters<A, B> {
  readonly stage: DeadLetterStage
  readonly records: ReadonlyArray<A>
  readonly describe: (record: A) => Described
  /** One statement that writes all of them. */
  readonly statement: (records: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, SqlError.SqlError>
}

export interface Written<A, B> {
  readonly rows: ReadonlyArray<B>
  readonly deadLetters: ReadonlyArray<A>
}

export const makeDeadLetters = Effect.map(SqlClient.SqlClient, (sql) => {
  /** Returns how many are new. */
  const insert = Effect.fnUntraced(function* (stage: DeadLetterStage, letters: ReadonlyArray<DeadLetter>) {
    const nowMs = yield* Clock.currentTimeMillis
    const texts = (field: keyof DeadLetter, maxLength: number) =>
      column(letters.map((one) => printable(one[field], maxLength)))
    const added = yield* sql`
      INSERT INTO quarantine (stage, source, reason, record, recorded_at)
      SELECT ${stage}, new.*, ${new Date(nowMs).toISOString()}::timestamptz
      FROM unnest(
        ${texts("source", Limits.errorLength)}::text[],
        ${texts("reason", Limits.errorLength)}::text[],
        ${texts("text", RECORD_CHARACTERS)}::text[]
      ) AS new
      ON CONFLICT DO NOTHING RETURNING 1`
    const dropped = yield* sql`
      DELETE FROM quarantine WHERE id <= (
        SELECT id FROM quarantine ORDER BY id DESC OFFSET ${storeLimits.deadLetters} LIMIT 1
      ) RETURNING 1`
    if (dropped.length > 0)
      yield* sql`UPDATE quarantine_beyond SET records = records + ${String(dropped.length)}::bigint`
    return added.length
  })

  const announce = Effect.fnUntraced(function* (
    stage: DeadLetterStage,
    added: number,
    letters: ReadonlyArray<DeadLetter>
  ) {
    if (added === 0) return
    const { source, reason } = letters.at(-1)!
    yield* Metrics.deadLetters.add({ stage }, added)
    yield* Effect.logError(`${stage}: ${added} records became dead letters; see \`ledgerhook doctor\``).pipe(
      Effect.annotateLogs({
        newest: printable(source, Limits.errorLength),
        reason: printable(reason, Limits.errorLength)
      })
    )
  })

  /** Stores records that a stage cannot read. */
  const put = Effect.fnUntraced(function* (stage: DeadLetterStage, letters: ReadonlyArray<DeadLetter>) {
    if (letters.length === 0) return
    yield* announce(stage, yield* sql.withTransaction(insert(stage, letters)), letters)
  })

  /**
   * Writes all records in one statement. If PostgreSQL refuses the data, halves the batch in one transaction until
   * the records that it refuses are alone: they become dead letters, the others are written.
   */
  const write = Effect.fnUntraced(function* <A, B>({
    stage,
    records,
    describe,
    statement
  }: WriteAllButDeadLetters<A, B>): Effect.fn.Return<Written<A, B>, SqlError.SqlError> {
    const rows: Array<B> = []
    const alone: Array<{ readonly record: A; readonly described: DeadLetter }> = []
    const byHalves = (some: ReadonlyArray<A>): Effect.Effect<void, SqlError.SqlError> =>
      sql.withTransaction(statement(some)).pipe(
        Effect.map((returned) => void rows.push(...returned)),
        Effect.catchIf(isDataError, (error) => {
          const [record] = some
          if (record === undefined) return Effect.fail(error)
          if (some.length > 1) {
            const half = Math.ceil(some.length / 2)
            return Effect.andThen(byHalves(some.slice(0, half)), byHalves(some.slice(half)))
          }
          const reason = String(serverError(error).message ?? error.message)
          alone.push({ record, described: { ...describe(record), reason } })
          return Effect.void
        })
      )
    const apart = Effect.gen(function* () {
      yield* byHalves(records)
      const found = alone.map(({ described }) => described)
      return found.length === 0 ? 0 : yield* insert(stage, found)
    }).pipe(sql.withTransaction)

    const returned = yield* statement(records).pipe(
      Effect.catchIf(isDataError, () => Effect.succeed(undefined))
    )
    if (returned !== undefined) return { rows: returned, deadLetters: [] }
    const added = yield* apart
    yield* announce(
      stage,
      added,
      alone.map(({ described }) => described)
    )
    return { rows, deadLetters: alone.map(({ record }) => record) }
  })

  /**
   * Returns the total number of dead letters, including those above `deadLetters`, and the newest
   * records.
   */
  const newest = Effect.fnUntraced(function* (limit: number) {
    const [counted] = yield* sql<{ readonly total: number }>`
      SELECT ((SELECT count(*) FROM quarantine) + (SELECT records FROM quarantine_beyond))::float8 AS total`
    const rows = yield* sql<DeadLetterRow>`
      SELECT stage, source, reason, record, recorded_at FROM quarantine ORDER BY id DESC LIMIT ${limit}`
    return { total: counted?.total ?? 0, rows }
  })

  /** Drops the dead letters from before `beforeMs`; returns their number. */
  const drop = Effect.fnUntraced(function* (beforeMs: number) {
    const dropped = yield* sql`
      DELETE FROM quarantine WHERE recorded_at < ${new Date(beforeMs).toISOString()}::timestamptz RETURNING 1`
    yield* sql`
      UPDATE quarantine_beyond SET records = 0 WHERE records > 0 AND NOT EXISTS (SELECT FROM quarantine)`
    return dropped.length
  })

  return { put, write, newest, drop }
})

/** Deletes records older than RETENTION_EVENTS, hourly. */
export const forgetDeadLetters = Effect.gen(function* () {
  const { retentionEventsMs } = yield* Settings
  const deadLetters = yield* makeDeadLetters
  const once = Effect.gen(function* () {
    const dropped = yield* deadLetters.drop((yield* Clock.currentTimeMillis) - retentionEventsMs)
    if (dropped > 0) yield* Effect.logInfo(`retention dropped ${dropped} dead letters`)
  })
  return yield* once.pipe(deleteEvery("retention of dead letters", Limits.maintenanceMs))
})
