/**
 * The SQL of the embedded log (tables: store/migrations/0007_log.ts, 0021_transactions.ts): take ownership, write a
 * batch in one statement, read. Each write carries the writer's fence and has no effect unless that fence is the
 * newest, so a delayed write of an earlier connection changes nothing. Nor has it if the tables do not end where the
 * writer knows: after a quick failover the first write may meet a server that lacks the newest ones. Offsets are int8 in PostgreSQL and numbers here.
 * In array parameters numbers are sent as text, since the driver uses one size for all numbers of an array. The
 * columns `newest_timestamp` are written and never read: release 0.3 still has them.
 */
import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import type { LogRecord, Position } from "../Log.ts"
import { kindOf } from "../Topics.ts"
import { type LogTable, makeLogTablePartitions, tableOf } from "./LogTablePartitions.ts"
import { type LogRow, recordsOf } from "./Rows.ts"

/** Rows of one read. If the log is quiet, a row has only one or two records. */
const READ_ROWS = 64

export interface GroupCommit extends Position {
  readonly group: string
}

/**
 * The right to write. `owner` increases with each process that opens the log, `epoch` each time it reloads its state.
 */
export interface Fence {
  readonly owner: number
  readonly epoch: number
}

/** Another process has opened the log since, or this writer has reloaded its state. */
export class Fenced extends Data.TaggedError("Fenced")<{ readonly message: string }> {}

/** The tables do not know this process: they are from before it opened the log. */
export class OwnerUnknown extends Data.TaggedError("OwnerUnknown")<{ readonly owner: number }> {}

export interface LogWrite {
  readonly rows: ReadonlyArray<LogRow>
  readonly compacted: ReadonlyArray<LogRecord>
  /** Where the tables must end now: at the first new record of each partition. */
  readonly bases: ReadonlyArray<Position>
  /** Of the other partitions with a commit: where the tables must end at least. */
  readonly read: ReadonlyArray<Position>
  readonly ends: ReadonlyArray<Position>
  readonly commits: ReadonlyArray<GroupCommit>
}

/** After a row of this many records, unpacking yields to other fibers. */
const LARGE_ROW_RECORDS = 100

/** Sent as JSON: the driver cannot infer the type of an array that contains only nulls (tombstones). */
const compactedRow = (record: LogRecord) => ({
  topic: record.topic,
  partition: record.partition,
  log_offset: record.offset,
  key: record.key,
  value: record.value,
  headers: JSON.stringify(record.headers),
  record_timestamp: record.timestamp
})

export const makeTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tablePartitions = yield* makeLogTablePartitions

  /** Makes this process the owner. The writes of earlier owners are refused from now on. */
  const own = Effect.map(
    sql<{ readonly owner: bigint }>`
      UPDATE log_owner SET owner = owner + 1, epoch = 0 RETURNING owner`,
    ([row]): Fence => ({ owner: Number(row!.owner), epoch: 0 })
  )

  /**
   * Waits until a running write of this owner has ended, and refuses its writes that have not reached the database
   * yet.
   */
  const renew = Effect.fnUntraced(function* ({ owner }: Fence) {
    yield* tablePartitions.forget
    const [row] = yield* sql<{ readonly epoch: bigint }>`
      UPDATE log_owner SET epoch = epoch + 1 WHERE owner = ${String(owner)} RETURNING epoch`
    if (row === undefined) {
      const [newest] = yield* sql<{ readonly owner: bigint }>`SELECT owner FROM log_owner`
      if (Number(newest!.owner) < owner) return yield* new OwnerUnknown({ owner: Number(newest!.owner) })
      return yield* new Fenced({ message: "Another process has taken over the log of this database." })
    }
    return { owner, epoch: Number(row.epoch) }
  })

  /** One statement, so it writes everything or nothing. */
  const write = Effect.fnUntraced(function* (fence: Fence, batch: LogWrite, nowMs: number) {
    const { rows, compacted, bases, read, ends, commits } = batch
    const columnsOf = (positions: ReadonlyArray<Position>) => sql`
      ${positions.map(({ topic }) => topic)}::text[], ${positions.map(({ partition }) => String(partition))}::int[],
      ${positions.map(({ offset }) => String(offset))}::bigint[]`
    for (const table of new Set(rows.map(({ topic }) => tableOf(topic))))
      yield* tablePartitions.ensure(table, nowMs)
    const writtenAt = new Date(nowMs).toISOString()
    const inserted = (table: LogTable) => {
      const own = rows.filter(({ topic }) => tableOf(topic) === table)
      return sql`
        INSERT INTO ${sql(table)}
          (topic, partition, base_offset, last_offset, records, newest_timestamp, written_at)
        SELECT batch.*, 0, ${writtenAt}::timestamptz FROM fence, unnest(
          ${own.map((row) => row.topic)}::text[], ${own.map((row) => String(row.partition))}::int[],
          ${own.map((row) => String(row.base))}::bigint[], ${own.map((row) => String(row.last))}::bigint[],
          ${own.map((row) => row.records)}::bytea[]) AS batch`
    }
    // Most services have none.
    const transactions = rows.some(({ topic }) => tableOf(topic) === "log_transactions")
      ? sql`transactions AS (${inserted("log_transactions")}),`
      : sql``
    const held = yield* sql`
      WITH fence AS (
        SELECT owner AS held FROM log_owner
        WHERE owner = ${String(fence.owner)} AND epoch = ${String(fence.epoch)}
          AND NOT EXISTS (
            SELECT 1 FROM unnest(${columnsOf(bases)}) AS known (topic, partition, base)
            LEFT JOIN log_ends USING (topic, partition) WHERE coalesce(end_offset, 0) <> base)
          AND NOT EXISTS (
            SELECT 1 FROM unnest(${columnsOf(read)}) AS known (topic, partition, next)
            LEFT JOIN log_ends USING (topic, partition) WHERE coalesce(end_offset, 0) < next)
        FOR SHARE OF log_owner
      ), work AS (${inserted("log_work")}), history AS (${inserted("log_history")}), ${transactions} compacted AS (
        INSERT INTO log_compacted (topic, partition, log_offset, key, value, headers, record_timestamp)
        SELECT row.* FROM fence, json_to_recordset(${JSON.stringify(compacted.map(compactedRow))}::json) AS row
          (topic text, partition int, log_offset bigint, key text, value text, headers text, record_timestamp bigint)
      ), committed AS (
        INSERT INTO log_commits (group_name, topic, partition, next_offset)
        SELECT row.* FROM fence, unnest(
          ${commits.map((commit) => commit.group)}::text[], ${commits.map((commit) => commit.topic)}::text[],
          ${commits.map((commit) => String(commit.partition))}::int[],
          ${commits.map((commit) => String(commit.offset))}::bigint[]) AS row
        ON CONFLICT (group_name, topic, partition) DO UPDATE SET next_offset = excluded.next_offset
      ), ended AS (
        INSERT INTO log_ends (topic, partition, end_offset, newest_timestamp, start_offset)
        SELECT row.*, 0, 0 FROM fence, unnest(
          ${ends.map((end) => end.topic)}::text[], ${ends.map((end) => String(end.partition))}::int[],
          ${ends.map((end) => String(end.offset))}::bigint[]) AS row
        ON CONFLICT (topic, partition) DO UPDATE SET end_offset = excluded.end_offset
      )
      SELECT held FROM fence`
    if (held.length === 0)
      return yield* new Fenced({ message: "A newer writer has replaced this one, or the log went back." })
  })

  /**
   * Reads the rows up to offset + `max`. If there are none, because offsets are missing, it reads the next row. The
   * inner LIMIT stops PostgreSQL from scanning to the end of the log.
   */
  const readRows = Effect.fnUntraced(function* ({ topic, partition, offset }: Position, max: number) {
    const rowsBelow = (below: number, limit: number) => sql<{
      readonly base_offset: bigint
      readonly records: Uint8Array
    }>`
      SELECT base_offset, records FROM (
        SELECT base_offset, last_offset, records FROM ${sql(tableOf(topic))}
        WHERE topic = ${topic} AND partition = ${partition} AND last_offset >= ${String(offset)}
        ORDER BY last_offset LIMIT ${limit}
      ) AS next WHERE base_offset < ${String(below)} ORDER BY last_offset`
    // Every row has at least one record, so `max` rows are enough.
    const dense = yield* rowsBelow(offset + max, Math.min(max, READ_ROWS))
    const rows = dense.length > 0 ? dense : yield* rowsBelow(Number.MAX_SAFE_INTEGER, 1)
    const records: Array<LogRecord> = []
    for (const row of rows) {
      const unpacked = recordsOf({ topic, partition }, Number(row.base_offset), row.records, offset)
      for (const record of unpacked) records.push(record)
      if (unpacked.length >= LARGE_ROW_RECORDS) yield* Effect.yieldNow
    }
    return records.slice(0, max)
  })

  /** Returns fewer than `max` if the values are large. `pg_column_size` does not decompress them. */
  const readCompacted = ({ topic, partition, offset }: Position, max: number) =>
    sql<{
      readonly log_offset: bigint
      readonly key: string
      readonly value: string | null
      readonly headers: string
      readonly record_timestamp: bigint
    }>`
      SELECT log_offset, key, value, headers, record_timestamp FROM (
        SELECT *, sum(bytes) OVER (ORDER BY log_offset) - bytes AS bytes_before FROM (
          SELECT *, coalesce(pg_column_size(value), 0) AS bytes FROM log_compacted
          WHERE topic = ${topic} AND partition = ${partition} AND log_offset >= ${String(offset)}
          ORDER BY log_offset LIMIT ${max}
        ) AS next
      ) AS sized WHERE bytes_before < ${Limits.recordsBytes}::int ORDER BY log_offset`.pipe(
      Effect.map((rows) =>
        rows.map(
          (row): LogRecord => ({
            topic,
            partition,
            offset: Number(row.log_offset),
            key: row.key,
            value: row.value,
            headers: JSON.parse(row.headers),
            timestamp: Number(row.record_timestamp)
          })
        )
      )
    )

  /** At most `max` records. Empty only if there is no record at `from` or later. */
  const read = (from: Position, max: number) =>
    kindOf(from.topic) === "compacted" ? readCompacted(from, max) : readRows(from, max)

  const loadPartitions = Effect.map(
    sql<{
      readonly topic: string
      readonly partition: number
      readonly start_offset: bigint
      readonly end_offset: bigint
    }>`SELECT topic, partition, start_offset, end_offset FROM log_ends`,
    (rows) =>
      rows.map(({ topic, partition, start_offset, end_offset }) => ({
        topic,
        partition,
        start: Number(start_offset),
        end: Number(end_offset)
      }))
  )

  const loadCommits = Effect.map(
    sql<{
      readonly group_name: string
      readonly topic: string
      readonly partition: number
      readonly next_offset: bigint
    }>`SELECT group_name, topic, partition, next_offset FROM log_commits`,
    (rows) =>
      rows.map(
        ({ group_name, topic, partition, next_offset }): GroupCommit => ({
          group: group_name,
          topic,
          partition,
          offset: Number(next_offset)
        })
      )
  )

  return {
    own,
    renew,
    write,
    read,
    loadPartitions,
    loadCommits,
    applyRetention: tablePartitions.applyRetention
  }
})

export type Tables = Effect.Success<typeof makeTables>
