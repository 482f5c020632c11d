/**
 * The table partitions of the embedded log. Each is created before the first write of its days, and dropped as a whole
 * when the longest retention of its topics has passed; checkpoints in it are first moved to a newer one. Compacted
 * topics are not partitioned: superseded records are deleted one by one. Tombstones stay for `tombstoneKeptMs`, so that
 * a slow reader still sees the deletion.
 */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { networks } from "../../event/Network.ts"
import { logLimits } from "../Limits.ts"
import { makeTimePartitions } from "../TimePartitions.ts"
import { keepsNewest, kindOf, longestRetention, namesOf, type RetentionSettings } from "../Topics.ts"

/** Days in one partition of each table: topics that are kept for days have short ones. */
const DAYS = { log_work: 1, log_history: 10, log_transactions: 1 }

const kinds = { log_work: "work", log_history: "history", log_transactions: "transactions" } as const

export type LogTable = keyof typeof kinds

export const logTables = ["log_work", "log_history", "log_transactions"] as const

export const tableOf = (topic: string): LogTable => {
  const kind = kindOf(topic)
  return logTables.find((table) => kinds[table] === kind) ?? "log_work"
}

const at = (unixMs: number): string => new Date(unixMs).toISOString()

export const makeLogTablePartitions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const partitionsOf = (table: LogTable) =>
    makeTimePartitions({ tables: [table], days: DAYS[table], boundAt: at })
  const partitions = {
    log_work: yield* partitionsOf("log_work"),
    log_history: yield* partitionsOf("log_history"),
    log_transactions: yield* partitionsOf("log_transactions")
  }
  const ensure = (table: LogTable, unixMs: number) => partitions[table].ensure(unixMs, unixMs)
  const forget = Effect.forEach(logTables, (table) => partitions[table].forget, { discard: true })

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
      for (const table of logTables) {
        const droppedMs = nowMs - longestRetention(kinds[table], settings)
        yield* saveNewest(table, nowMs, droppedMs)
        yield* partitions[table].drop(droppedMs)
      }
      const oldestIn = (table: LogTable) => sql`
        (SELECT base_offset FROM ${sql(table)} b WHERE b.topic = e.topic AND b.partition = e.partition
         ORDER BY last_offset LIMIT 1)`
      yield* sql`
        UPDATE log_ends e SET start_offset = coalesce(
          ${oldestIn("log_work")}, ${oldestIn("log_history")}, ${oldestIn("log_transactions")},
          (SELECT e.start_offset FROM log_compacted c WHERE c.topic = e.topic AND c.partition = e.partition LIMIT 1),
          e.end_offset)`
      yield* sql`
        DELETE FROM log_compacted c USING (
          SELECT topic, partition, key, max(log_offset) AS newest FROM log_compacted GROUP BY topic, partition, key
        ) n
        WHERE c.topic = n.topic AND c.partition = n.partition AND c.key = n.key AND (c.log_offset < n.newest
          OR c.value IS NULL AND c.record_timestamp < ${String(nowMs - logLimits.tombstoneKeptMs)})`
    }).pipe(sql.withTransaction, Effect.ensuring(forget))

  return { ensure, forget, applyRetention }
})
