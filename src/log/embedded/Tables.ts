/**
 * The embedded log's tables (migrations/0007_log.ts) as functions: own the log, write a batch in one statement, read
 * ranges. A write carries the writer's fence and lands only while that is the newest, so that one that was cut off and
 * arrives late leaves nothing behind. Offsets are int8 in PostgreSQL and numbers here: 2^53 records are not reached. In
 * array parameters numbers go as text, since the driver wants one size for all of an array's numbers.
 */
import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import type { LogRecord, Partition, Position } from "../EventLog.ts"
import { kindOf } from "../Topics.ts"
import { type BatchTable, makeLogTablePartitions, tableOf } from "./LogTablePartitions.ts"
import { type BatchRow, recordsOf } from "./Rows.ts"

export interface GroupCommit extends Position {
  readonly group: string
}

/** Who may write: `owner` changes with each process that opens the log, `epoch` with each time it reads its state back. */
export interface Fence {
  readonly owner: number
  readonly epoch: number
}

/** Another process has opened the log since, or this writer has read its state back. */
export class Fenced extends Data.TaggedError("Fenced")<{ readonly message: string }> {}

export interface Batch {
  readonly rows: ReadonlyArray<BatchRow>
  readonly compacted: ReadonlyArray<LogRecord>
  readonly ends: ReadonlyArray<Position & { readonly newest: number }>
  readonly commits: ReadonlyArray<GroupCommit>
}

/** After unpacking a row of this many records, everything else has its turn. */
const LARGE_ROW_RECORDS = 100

/** As JSON: the driver cannot tell the type of an array that holds nothing but tombstones. */
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

  /** Makes this process the owner: whoever was it before can write no more. */
  const own = Effect.map(
    sql<{ readonly owner: bigint }>`
      UPDATE log_owner SET owner = owner + 1, epoch = 0 RETURNING owner`,
    ([row]): Fence => ({ owner: Number(row!.owner), epoch: 0 })
  )

  /** Waits for the end of this owner's write that may still be running, and fences what may still arrive. */
  const renew = Effect.fnUntraced(function* ({ owner }: Fence) {
    yield* tablePartitions.forget
    const [row] = yield* sql<{ readonly epoch: bigint }>`
      UPDATE log_owner SET epoch = epoch + 1 WHERE owner = ${String(owner)} RETURNING epoch`
    if (row === undefined) {
      return yield* new Fenced({ message: "Another process has taken over the log of this database." })
    }
    return { owner, epoch: Number(row.epoch) }
  })

  /** One statement: all of it lands, or nothing. */
  const write = Effect.fnUntraced(function* (fence: Fence, batch: Batch, nowMs: number) {
    const { rows, compacted, ends, commits } = batch
    for (const table of new Set(rows.map(({ topic }) => tableOf(topic))))
      yield* tablePartitions.ensure(table, nowMs)
    const writtenAt = new Date(nowMs).toISOString()
    const inserted = (table: BatchTable) => {
      const own = rows.filter(({ topic }) => tableOf(topic) === table)
      return sql`
        INSERT INTO ${sql(table)}
          (topic, partition, base_offset, last_offset, newest_timestamp, records, written_at)
        SELECT batch.*, ${writtenAt}::timestamptz FROM fence, unnest(
          ${own.map((row) => row.topic)}::text[], ${own.map((row) => String(row.partition))}::int[],
          ${own.map((row) => String(row.base))}::bigint[], ${own.map((row) => String(row.last))}::bigint[],
          ${own.map((row) => String(row.newest))}::bigint[], ${own.map((row) => row.records)}::bytea[]) AS batch`
    }
    const held = yield* sql`
      WITH fence AS (
        SELECT owner AS held FROM log_owner
        WHERE owner = ${String(fence.owner)} AND epoch = ${String(fence.epoch)} FOR SHARE
      ), work AS (${inserted("log_work")}), history AS (${inserted("log_history")}), compacted AS (
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
        SELECT row.*, 0 FROM fence, unnest(
          ${ends.map((end) => end.topic)}::text[], ${ends.map((end) => String(end.partition))}::int[],
          ${ends.map((end) => String(end.offset))}::bigint[],
          ${ends.map((end) => String(end.newest))}::bigint[]) AS row
        ON CONFLICT (topic, partition) DO UPDATE
          SET end_offset = excluded.end_offset, newest_timestamp = excluded.newest_timestamp
      )
      SELECT held FROM fence`
    if (held.length === 0) return yield* new Fenced({ message: "This writer is no longer the log's newest." })
  })

  /**
   * Only the next row is sure to be wanted: where offsets are missing, the rows that would hold `max` are not there. The
   * rows are counted before they are chosen, or PostgreSQL would look for more of them to the log's end.
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
    // A row holds a record or more.
    const dense = yield* rowsBelow(offset + max, Math.min(max, Limits.embeddedLogReadRows))
    const rows = dense.length > 0 ? dense : yield* rowsBelow(Number.MAX_SAFE_INTEGER, 1)
    const records: Array<LogRecord> = []
    for (const row of rows) {
      const unpacked = recordsOf({ topic, partition }, Number(row.base_offset), row.records, offset)
      for (const record of unpacked) records.push(record)
      // Unpacking a large one takes some milliseconds.
      if (unpacked.length >= LARGE_ROW_RECORDS) yield* Effect.yieldNow
    }
    return records.slice(0, max)
  })

  /** Fewer where they are large; sizes are told without unpacking a value. */
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
      ) AS sized WHERE bytes_before < ${Limits.embeddedLogReadBytes}::int ORDER BY log_offset`.pipe(
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

  /** At most `max` records; none only where there is none at `from` or beyond. */
  const read = (from: Position, max: number) =>
    kindOf(from.topic) === "compacted" ? readCompacted(from, max) : readRows(from, max)

  /** An offset before which no record is as new as the time; undefined when none is. */
  const searchTime = ({ topic, partition }: Partition, unixMs: number) =>
    (kindOf(topic) === "compacted"
      ? sql<{ readonly found: bigint }>`
          SELECT log_offset AS found FROM log_compacted
          WHERE topic = ${topic} AND partition = ${partition} AND record_timestamp >= ${String(unixMs)}
          ORDER BY log_offset LIMIT 1`
      : sql<{ readonly found: bigint }>`
          SELECT base_offset AS found FROM ${sql(tableOf(topic))}
          WHERE topic = ${topic} AND partition = ${partition} AND newest_timestamp >= ${String(unixMs)}
          ORDER BY newest_timestamp, last_offset LIMIT 1`
    ).pipe(Effect.map(([row]) => (row === undefined ? undefined : Number(row.found))))

  const loadPartitions = Effect.map(
    sql<{
      readonly topic: string
      readonly partition: number
      readonly start_offset: bigint
      readonly end_offset: bigint
      readonly newest_timestamp: bigint
    }>`SELECT topic, partition, start_offset, end_offset, newest_timestamp FROM log_ends`,
    (rows) =>
      rows.map(({ topic, partition, start_offset, end_offset, newest_timestamp }) => ({
        topic,
        partition,
        start: Number(start_offset),
        end: Number(end_offset),
        newest: Number(newest_timestamp)
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
    searchTime,
    loadPartitions,
    loadCommits,
    applyRetention: tablePartitions.applyRetention
  }
})

export type Tables = Effect.Success<typeof makeTables>
