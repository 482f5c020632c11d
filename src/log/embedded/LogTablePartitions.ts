/**
 * The table partitions of the embedded log. Each is created before the first write of its days, and dropped as a whole
 * when the longest retention of its topics has passed; checkpoints in it are first moved to a newer one. Compacted
 * topics are not partitioned: superseded records are deleted one by one. Tombstones stay for `tombstoneKeptMs`, so that
 * a slow reader still sees the deletion.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import { networks } from "../../domain/Network.ts"
import { makeTimePartitions } from "../../sql/TimePartitions.ts"
import { keepsNewest, kindOf, longestRetention, namesOf, type RetentionSettings } from "../Topics.ts"

/** Days in one partition of the table of topics that are kept for days. */
const WORK_DAYS = 1
/** The same of the other topics. */
const EVENT_DAYS = 10

const kinds = { log_work: "work", log_history: "history" } as const

export type LogTable = keyof typeof kinds

const batchTables = ["log_work", "log_history"] as const

export const tableOf = (topic: string): LogTable => (kindOf(topic) === "history" ? "log_history" : "log_work")

const at = (unixMs: number): string => new Date(unixMs).toISOString()

export const makeLogTablePartitions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const partitionsOf = (table: LogTable, days: number) =>
    makeTimePartitions({ tables: [table], days, boundAt: at })
  const partitions = {
    log_work: yield* partitionsOf("log_work", WORK_DAYS),
    log_history: yield* partitionsOf("log_history", EVENT_DAYS)
  }
  const ensure = (table: LogTable, unixMs: number) => partitions[table].ensure(unixMs, unixMs)
  const forget = Effect.andThen(partitions.log_work.forget, partitions.log_history.forget)

  /** Moves the newest row of each checkpoint topic to the current table partition before its own is dropped. */
  const saveNewest = Effect.fnUntraced(function* (table: LogTable, nowMs: number, droppedMs: number) {
    const topics = namesOf(networks).filter((topic) => keepsNewest(topic) && tableOf(topic) === table)
    if (topics.length === 0) return
    yield* ensure(table, nowMs)
    yield* sql`
      UPDATE ${sql(table)} b SET written_at = ${at(nowMs)}::timestamptz FROM log_ends e
      WHERE e.topic = ANY(${topics}::text[]) AND b.topic = e.topic AND b.partition = e.partition
        AND b.last_offset = e.end_offset - 1
        AND b.written_at < ${at(droppedMs)}::timestamptz`
  })

  /** Must not run during a write: it changes the start offsets of the log's partitions. */
  const applyRetention = (nowMs: number, settings: RetentionSettings) =>
    Effect.gen(function* () {
      for (const table of batchTables) {
        const droppedMs = nowMs - longestRetention(kinds[table], settings)
        yield* saveNewest(table, nowMs, droppedMs)
        yield* partitions[table].drop(droppedMs)
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
