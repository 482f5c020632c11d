/**
 * `EventLog` in PostgreSQL, for one process: one writer (log/EmbeddedLogWriter.ts), the newest records in memory, older
 * ones by range reads. Readers at the head wait for the writer: nothing polls.
 */
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { makeConsume } from "./Consume.ts"
import { commitKey } from "./EmbeddedLogBatch.ts"
import { makeTables } from "./EmbeddedLogTables.ts"
import { makeWriter } from "./EmbeddedLogWriter.ts"
import { EventLog, EventLogError, type LogRecord, type Partition, type Position } from "./EventLog.ts"
import { awaitEnd, readFrom } from "./RecordList.ts"
import { partitionKey } from "./Staging.ts"

/** Another process owns the log of this database. */
export class EventLogInUse extends Schema.TaggedError<EventLogInUse>()("EventLogInUse", {
  message: Schema.String
}) {}

/** "ledgerlg" in ASCII: the advisory lock that the log's owner holds. */
const OWNER_LOCK = "7810764977386711143"

const failed = (operation: EventLogError["operation"], topic: string) => (cause: unknown) =>
  new EventLogError({ operation, topic, cause })

/**
 * Tells a second process at its start. The lock lives as long as its connection: should that break, the next process to
 * start takes the log over, and this one's writes are fenced.
 */
const claim = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const connection = yield* sql.reserve
  const [lock] = yield* connection.executeUnprepared(
    `SELECT pg_try_advisory_lock(${OWNER_LOCK}) AS held`,
    [],
    undefined
  )
  if (lock?.["held"] !== true) {
    return yield* new EventLogInUse({
      message:
        "DATABASE_URL: another process owns the embedded log of this database; stop it or use another database."
    })
  }
})

export const layer: Layer.Layer<EventLog, EventLogInUse | EventLogError, Settings | SqlClient.SqlClient> =
  Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const settings = yield* Settings
      yield* claim.pipe(Effect.catchTag("SqlError", (error) => Effect.fail(failed("consume", "")(error))))
      const tables = yield* makeTables
      const writer = yield* makeWriter(tables).pipe(Effect.mapError(failed("read", "")))

      const state = (topic: string) => Effect.mapError(writer.state, failed("read", topic))

      const offsets = (partition: Partition) =>
        Effect.map(state(partition.topic), ({ partitions }) => {
          const { end } = writer.listOf(partition)
          return {
            start: partitions.get(partitionKey(partition.topic, partition.partition))?.start ?? 0,
            end
          }
        })

      const read = Effect.fnUntraced(function* (
        from: Position,
        max: number
      ): Effect.fn.Return<ReadonlyArray<LogRecord>, EventLogError> {
        yield* state(from.topic)
        const list = writer.listOf(from)
        if (from.offset >= (list.records[0]?.offset ?? list.end)) return readFrom(list, from.offset, max)
        return yield* tables.read(from, max).pipe(Effect.mapError(failed("read", from.topic)))
      })

      const primitives = {
        transaction: writer.submit,
        read,
        awaitOffset: (position) =>
          Effect.flatMap(state(position.topic), () => awaitEnd(writer.listOf(position), position.offset)),
        offsets,
        committed: (group, partition) =>
          Effect.map(state(partition.topic), ({ commits }) => commits.get(commitKey(group, partition)) ?? 0)
      } satisfies Partial<EventLog["Service"]>

      /** The last of the records from `offset` on. */
      const lastFrom = Effect.fnUntraced(function* (partition: Partition, offset: number) {
        let last: LogRecord | undefined
        for (let next = offset; ; next = last.offset + 1) {
          const found: LogRecord | undefined = (yield* read(
            { ...partition, offset: next },
            Limits.takeBatchRecords
          )).at(-1)
          if (found === undefined) return last
          last = found
        }
      })

      const last = Effect.fnUntraced(function* (partition: Partition) {
        const { start, end } = yield* offsets(partition)
        // Compaction may have dropped the newest offsets: longer and longer steps back find what is left.
        for (let span = 1; ; span *= 2) {
          const from = Math.max(start, end - span)
          const found = yield* lastFrom(partition, from)
          if (found !== undefined || from === start) return found
        }
      })

      const offsetAtTime = Effect.fnUntraced(function* (partition: Partition, unixMs: number) {
        const { end } = yield* offsets(partition)
        const found = yield* tables
          .searchTime(partition, unixMs)
          .pipe(Effect.mapError(failed("read", partition.topic)))
        for (let offset = found ?? end; ; ) {
          const records = yield* read({ ...partition, offset }, Limits.takeBatchRecords)
          const newer = records.find(({ timestamp }) => timestamp >= unixMs)
          const next = records.at(-1)
          if (newer !== undefined) return newer.offset
          if (next === undefined) return Math.max(end, offset)
          offset = next.offset + 1
        }
      })

      return EventLog.of({
        ...primitives,
        consume: makeConsume(primitives),
        last,
        offsetAtTime,
        applyRetention: Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          yield* writer.applyRetention(tables.applyRetention(nowMs, settings))
        }).pipe(Effect.mapError(failed("retention", "")))
      })
    })
  )
