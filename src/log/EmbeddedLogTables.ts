/**
 * The embedded log's tables (migration 0002) as functions: write a batch in one statement, read ranges, drop what is
 * past its retention. Offsets are int8 in PostgreSQL and numbers here: 2^53 records are not reached. In array parameters
 * numbers go as text, since the driver wants one size for all of an array's numbers.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import type { LogRecord, Partition, Position } from "./EventLog.ts"
import { byPartition } from "./Staging.ts"
import { kindOf, type RetentionSettings, retentionOf } from "./Topics.ts"

export interface GroupCommit extends Position {
  readonly group: string
}

const DAY_MS = 86_400_000
const tables = {
  log_work: Limits.embeddedLogWorkDays * DAY_MS,
  log_history: Limits.embeddedLogHistoryDays * DAY_MS
} as const
type BatchTable = keyof typeof tables

const tableOf = (topic: string): BatchTable => (kindOf(topic) === "history" ? "log_history" : "log_work")

/** A record inside a batch row; headers are left out when there are none. */
type StoredRecord = readonly [
  key: string,
  value: string | null,
  timestamp: number,
  headers?: Readonly<Record<string, string>>
]

const stored = ({ key, value, timestamp, headers }: LogRecord): StoredRecord => {
  for (const _ in headers) return [key, value, timestamp, headers]
  return [key, value, timestamp]
}

interface BatchRow {
  readonly topic: string
  readonly partition: number
  readonly base: number
  readonly last: number
  readonly lastTimestamp: number
  readonly records: string
}

/** One partition's records (dense, in order) as rows of bounded size. */
const rowsOf = (records: ReadonlyArray<LogRecord>): ReadonlyArray<BatchRow> => {
  const rows: Array<BatchRow> = []
  let batch: Array<LogRecord> = []
  let bytes = 0
  const close = () => {
    const [first, last] = [batch[0], batch.at(-1)]
    if (first === undefined || last === undefined) return
    rows.push({
      topic: first.topic,
      partition: first.partition,
      base: first.offset,
      last: last.offset,
      lastTimestamp: Math.max(...batch.map(({ timestamp }) => timestamp)),
      records: JSON.stringify(batch.map(stored))
    })
    batch = []
    bytes = 0
  }
  for (const record of records) {
    batch.push(record)
    bytes += record.value?.length ?? 0
    if (batch.length >= Limits.embeddedLogRowRecords || bytes >= Limits.embeddedLogRowBytes) close()
  }
  close()
  return rows
}

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
  const at = (unixMs: number) => new Date(unixMs).toISOString()
  /** Table partitions known to exist. */
  const made = new Set<string>()

  const nameOf = (table: BatchTable, from: number) => `${table}_${at(from).slice(0, 10).replaceAll("-", "")}`

  const ensure = Effect.fnUntraced(function* (table: BatchTable, unixMs: number) {
    const from = Math.floor(unixMs / tables[table]) * tables[table]
    const name = nameOf(table, from)
    if (made.has(name)) return
    yield* sql`
      CREATE TABLE IF NOT EXISTS ${sql(name)} PARTITION OF ${sql(table)}
      FOR VALUES FROM (${sql.literal(`'${at(from)}'`)}) TO (${sql.literal(`'${at(from + tables[table])}'`)})`
    made.add(name)
  })

  /** One statement: all of it lands, or nothing. */
  const write = Effect.fnUntraced(function* (
    records: ReadonlyArray<LogRecord>,
    commits: ReadonlyArray<GroupCommit>,
    nowMs: number
  ) {
    const groups = [...byPartition(records).values()]
    const plain = groups.filter((group) => kindOf(group[0]!.topic) !== "compacted").flatMap(rowsOf)
    const compacted = records.filter(({ topic }) => kindOf(topic) === "compacted")
    const ends = groups.map((group) => group.at(-1)!)
    for (const table of new Set(plain.map(({ topic }) => tableOf(topic)))) yield* ensure(table, nowMs)

    const inserted = (table: BatchTable) => {
      const rows = plain.filter(({ topic }) => tableOf(topic) === table)
      return sql`
        INSERT INTO ${sql(table)} (topic, partition, base_offset, last_offset, last_timestamp, records, written_at)
        SELECT *, ${at(nowMs)}::timestamptz FROM unnest(
          ${rows.map((row) => row.topic)}::text[], ${rows.map((row) => String(row.partition))}::int[],
          ${rows.map((row) => String(row.base))}::bigint[], ${rows.map((row) => String(row.last))}::bigint[],
          ${rows.map((row) => String(row.lastTimestamp))}::bigint[], ${rows.map((row) => row.records)}::text[])`
    }
    yield* sql`
      WITH work AS (${inserted("log_work")}), history AS (${inserted("log_history")}),
      compacted AS (
        INSERT INTO log_compacted (topic, partition, log_offset, key, value, headers, record_timestamp)
        SELECT * FROM json_to_recordset(${JSON.stringify(compacted.map(compactedRow))}::json) AS row
          (topic text, partition int, log_offset bigint, key text, value text, headers text, record_timestamp bigint)
      ), committed AS (
        INSERT INTO log_commits (group_name, topic, partition, next_offset)
        SELECT * FROM unnest(
          ${commits.map((commit) => commit.group)}::text[], ${commits.map((commit) => commit.topic)}::text[],
          ${commits.map((commit) => String(commit.partition))}::int[], ${commits.map((commit) => String(commit.offset))}::bigint[])
        ON CONFLICT (group_name, topic, partition) DO UPDATE SET next_offset = excluded.next_offset
      )
      INSERT INTO log_ends (topic, partition, start_offset, end_offset)
      SELECT topic, partition, 0, end_offset FROM unnest(
        ${ends.map((record) => record.topic)}::text[], ${ends.map((record) => String(record.partition))}::int[],
        ${ends.map((record) => String(record.offset + 1))}::bigint[]) AS ends (topic, partition, end_offset)
      ON CONFLICT (topic, partition) DO UPDATE SET end_offset = excluded.end_offset`
  })

  const read = Effect.fnUntraced(function* ({ topic, partition, offset }: Position, max: number) {
    if (kindOf(topic) === "compacted") return yield* readCompacted({ topic, partition, offset }, max)
    const rows = yield* sql<{ readonly base_offset: bigint; readonly records: string }>`
      SELECT base_offset, records FROM ${sql(tableOf(topic))}
      WHERE topic = ${topic} AND partition = ${partition} AND last_offset >= ${String(offset)}
      ORDER BY last_offset LIMIT ${Limits.embeddedLogReadRows}`
    const found: Array<LogRecord> = []
    for (const row of rows) {
      // Written by `rowsOf` in this shape.
      const records = JSON.parse(row.records) as ReadonlyArray<StoredRecord>
      const base = Number(row.base_offset)
      for (let i = Math.max(0, offset - base); i < records.length && found.length < max; i++) {
        const [key, value, timestamp, headers] = records[i]!
        found.push({ topic, partition, offset: base + i, key, value, timestamp, headers: headers ?? {} })
      }
      if (found.length >= max) break
    }
    return found
  })

  const readCompacted = ({ topic, partition, offset }: Position, max: number) =>
    sql<{
      readonly log_offset: bigint
      readonly key: string
      readonly value: string | null
      readonly headers: string
      readonly record_timestamp: bigint
    }>`
      SELECT log_offset, key, value, headers, record_timestamp FROM log_compacted
      WHERE topic = ${topic} AND partition = ${partition} AND log_offset >= ${String(offset)}
      ORDER BY log_offset LIMIT ${max}`.pipe(
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

  /** Offset of the first record at or after the time, or undefined. Compacted topics are read through. */
  const offsetAtTime = Effect.fnUntraced(function* ({ topic, partition }: Partition, unixMs: number) {
    const rows =
      kindOf(topic) === "compacted"
        ? yield* sql<{ readonly found: bigint | null }>`
            SELECT min(log_offset) AS found FROM log_compacted
            WHERE topic = ${topic} AND partition = ${partition} AND record_timestamp >= ${String(unixMs)}`
        : yield* sql<{ readonly found: bigint | null }>`
            SELECT min(base_offset) AS found FROM ${sql(tableOf(topic))}
            WHERE topic = ${topic} AND partition = ${partition} AND last_timestamp >= ${String(unixMs)}`
    const first = rows[0]?.found
    if (first === null || first === undefined) return undefined
    const batch = yield* read({ topic, partition, offset: Number(first) }, Limits.embeddedLogRowRecords)
    return batch.find(({ timestamp }) => timestamp >= unixMs)?.offset ?? Number(first)
  })

  /** Drops whole table partitions, and superseded records of compacted topics. */
  const applyRetention = Effect.fnUntraced(function* (nowMs: number, settings: RetentionSettings) {
    const keptMs = {
      log_work: Math.max(
        ...["webhooks.deliveries", "webhooks.delay.2"].map((topic) => retentionOf(topic, settings) ?? 0)
      ),
      log_history: settings.retentionEventsMs
    }
    for (const table of ["log_work", "log_history"] as const) {
      const children = yield* sql<{ readonly name: string }>`
        SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = ${table}::regclass`
      const oldest = nameOf(table, nowMs - keptMs[table] - tables[table])
      for (const { name } of children) {
        if (name > oldest) continue
        yield* sql`DROP TABLE ${sql(name)}`
        made.delete(name)
      }
    }
    yield* sql`
      UPDATE log_ends e SET start_offset = coalesce(
        (SELECT min(base_offset) FROM (SELECT topic, partition, base_offset FROM log_work
          UNION ALL SELECT topic, partition, base_offset FROM log_history) b
         WHERE b.topic = e.topic AND b.partition = e.partition), e.end_offset)
      WHERE NOT EXISTS (SELECT 1 FROM log_compacted c WHERE c.topic = e.topic AND c.partition = e.partition)`
    yield* sql`
      DELETE FROM log_compacted c USING (
        SELECT topic, partition, key, max(log_offset) AS newest FROM log_compacted GROUP BY topic, partition, key
      ) n
      WHERE c.topic = n.topic AND c.partition = n.partition AND c.key = n.key
        AND (c.log_offset < n.newest OR c.value IS NULL)`
  })

  const loadEnds = sql<{
    readonly topic: string
    readonly partition: number
    readonly start_offset: bigint
    readonly end_offset: bigint
  }>`SELECT topic, partition, start_offset, end_offset FROM log_ends`

  const loadCommits = sql<{
    readonly group_name: string
    readonly topic: string
    readonly partition: number
    readonly next_offset: bigint
  }>`SELECT group_name, topic, partition, next_offset FROM log_commits`

  return { write, read, offsetAtTime, applyRetention, loadEnds, loadCommits }
})

export type Tables = Effect.Success<typeof makeTables>
export type TableError = SqlError.SqlError
