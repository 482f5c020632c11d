/**
 * The embedded log's table partitions: made before the first write of their days, whatever the clock does, and dropped
 * whole when the longest retention of their topics has passed; a checkpoint in them moves on before. Compacted topics
 * lose superseded records one by one; their tombstones stay for a while, so that who reads behind the head still learns
 * what is gone.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import { keepsNewest, kindOf, longestRetention, type RetentionSettings } from "../Topics.ts"

const DAY_MS = 86_400_000
const segments = {
  log_work: { kind: "work", widthMs: Limits.embeddedLogWorkDays * DAY_MS },
  log_history: { kind: "history", widthMs: Limits.embeddedLogHistoryDays * DAY_MS }
} as const

export type BatchTable = keyof typeof segments

const batchTables = ["log_work", "log_history"] as const

export const tableOf = (topic: string): BatchTable =>
  kindOf(topic) === "history" ? "log_history" : "log_work"

const at = (unixMs: number): string => new Date(unixMs).toISOString()

/** Names sort as their days do. */
const nameOf = (table: BatchTable, from: number): string =>
  `${table}_${at(from).slice(0, 10).replaceAll("-", "")}`

export const makeSegments = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const made = new Set<string>()

  /** Makes the partition that holds the moment; free when it is known. */
  const ensure = Effect.fnUntraced(function* (table: BatchTable, unixMs: number) {
    const { widthMs } = segments[table]
    const from = Math.floor(unixMs / widthMs) * widthMs
    const name = nameOf(table, from)
    if (made.has(name)) return
    yield* sql`
      CREATE TABLE IF NOT EXISTS ${sql(name)} PARTITION OF ${sql(table)}
      FOR VALUES FROM (${sql.literal(`'${at(from)}'`)}) TO (${sql.literal(`'${at(from + widthMs)}'`)})`
    made.add(name)
  })

  /** After a failure nobody knows which are there. */
  const forget = Effect.sync(() => made.clear())

  /** The rows with the newest records of checkpoints go where the present's rows are, before theirs are dropped. */
  const saveNewest = Effect.fnUntraced(function* (
    table: BatchTable,
    nowMs: number,
    settings: RetentionSettings
  ) {
    const ends = yield* sql<{ readonly topic: string }>`SELECT DISTINCT topic FROM log_ends`
    const topics = ends
      .map(({ topic }) => topic)
      .filter((topic) => keepsNewest(topic) && tableOf(topic) === table)
    if (topics.length === 0) return
    yield* ensure(table, nowMs)
    yield* sql`
      UPDATE ${sql(table)} b SET written_at = ${at(nowMs)}::timestamptz FROM log_ends e
      WHERE e.topic = ANY(${topics}::text[]) AND b.topic = e.topic AND b.partition = e.partition
        AND b.last_offset = e.end_offset - 1
        AND b.written_at < ${at(nowMs - longestRetention(segments[table].kind, settings))}::timestamptz`
  })

  const drop = Effect.fnUntraced(function* (table: BatchTable, nowMs: number, settings: RetentionSettings) {
    const { kind, widthMs } = segments[table]
    const newestDropped = nameOf(table, nowMs - longestRetention(kind, settings) - widthMs)
    const children = yield* sql<{ readonly name: string }>`
      SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = ${table}::regclass`
    for (const { name } of children) {
      if (name <= newestDropped) yield* sql`DROP TABLE ${sql(name)}`
    }
  })

  /** Not while a write is under way: it moves where partitions start. */
  const applyRetention = (nowMs: number, settings: RetentionSettings) =>
    Effect.gen(function* () {
      for (const table of batchTables) {
        yield* saveNewest(table, nowMs, settings)
        yield* drop(table, nowMs, settings)
      }
      yield* sql`
        UPDATE log_ends e SET start_offset = coalesce(
          (SELECT base_offset FROM log_work b WHERE b.topic = e.topic AND b.partition = e.partition
           ORDER BY last_offset LIMIT 1),
          (SELECT base_offset FROM log_history b WHERE b.topic = e.topic AND b.partition = e.partition
           ORDER BY last_offset LIMIT 1),
          (SELECT e.start_offset FROM log_compacted c WHERE c.topic = e.topic AND c.partition = e.partition LIMIT 1),
          e.end_offset)`
      yield* sql`
        DELETE FROM log_compacted c USING (
          SELECT topic, partition, key, max(log_offset) AS newest FROM log_compacted GROUP BY topic, partition, key
        ) n
        WHERE c.topic = n.topic AND c.partition = n.partition AND c.key = n.key AND (c.log_offset < n.newest
          OR c.value IS NULL AND c.record_timestamp < ${String(nowMs - Limits.tombstoneKeptMs)})`
    }).pipe(sql.withTransaction, Effect.ensuring(forget))

  return { ensure, forget, applyRetention }
})
