/**
 * `Log` in PostgreSQL, for one process. All transactions go through one writer (Writer.ts). The newest records are
 * in memory; older ones are read from the tables. Readers at the end wait for the writer, so nothing polls the
 * database.
 */
import { Clock, Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { Settings } from "../../config/Config.ts"
import { makeConsume } from "../ConsumeInProcess.ts"
import { makeExclusive } from "../Exclusive.ts"
import { makeLast } from "../LastRecord.ts"
import { Log, LogError, LogReader, type LogRecord, type Partition, type Position } from "../Log.ts"
import { awaitEnd, readFrom } from "../RecordList.ts"
import { trySessionLock } from "../SessionLock.ts"
import { makeTables } from "./Tables.ts"
import { makeWriter } from "./Writer.ts"

/** Another process owns the log of this database. */
export class LogInUse extends Schema.TaggedError<LogInUse>()("LogInUse", {
  message: Schema.String
}) {}

const failed = (operation: LogError["operation"], topic: string) => (cause: unknown) =>
  new LogError({ operation, topic, cause })

/**
 * Refuses the start of a second process. The lock ends with its database connection. If that breaks and another process
 * starts, the new one takes over, and this one's writes are fenced.
 */
const claim = Effect.gen(function* () {
  if (yield* trySessionLock("log-owner")) return
  return yield* new LogInUse({
    message:
      "DATABASE_URL: another process uses the embedded log of this database. Stop it, or use another database."
  })
})

/** Without the lock: only for who starts one process at a time. */
export const unclaimedLayer: Layer.Layer<Log, LogError, Settings | SqlClient.SqlClient> = Layer.effect(
  Log,
  Effect.gen(function* () {
    const settings = yield* Settings
    const tables = yield* makeTables
    const writer = yield* makeWriter(tables).pipe(Effect.mapError(failed("read", "")))

    const loaded = (topic: string) => Effect.mapError(writer.loaded, failed("read", topic))

    const read = Effect.fnUntraced(function* (
      from: Position,
      max: number
    ): Effect.fn.Return<ReadonlyArray<LogRecord>, LogError> {
      yield* loaded(from.topic)
      const list = writer.listOf(from)
      if (from.offset >= (list.records[0]?.offset ?? list.end)) return readFrom(list, from.offset, max)
      return yield* tables.read(from, max).pipe(Effect.mapError(failed("read", from.topic)))
    })

    const primitives = {
      transaction: writer.submit,
      read,
      awaitOffset: (position) =>
        Effect.flatMap(loaded(position.topic), () => awaitEnd(writer.listOf(position), position.offset)),
      offsets: (partition) =>
        Effect.map(loaded(partition.topic), () => {
          const { end, start } = writer.listOf(partition)
          return { end, start }
        }),
      committed: (group, partition) =>
        Effect.map(loaded(partition.topic), () => writer.committed(group, partition) ?? 0)
    } satisfies Partial<Log["Service"]>

    return Log.of({
      ...primitives,
      reachable: loaded(""),
      exclusive: makeExclusive(primitives),
      consume: makeConsume(primitives),
      last: makeLast(primitives),
      topicIds: () => Effect.succeed(new Map()),
      hasMemberBefore: () => Effect.succeed(false),
      applyRetention: Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        yield* writer.applyRetention(tables.applyRetention(nowMs, settings))
      }).pipe(Effect.mapError(failed("retention", "")))
    })
  })
)

export const layer: Layer.Layer<Log, LogInUse | LogError, Settings | SqlClient.SqlClient> = Layer.unwrap(
  claim.pipe(
    Effect.catchTag("SqlError", (error) => Effect.fail(failed("consume", "")(error))),
    Effect.as(unclaimedLayer)
  )
)

/**
 * Reads the log from its tables, in a process that does not own it. It takes no lock and writes nothing. It sees every
 * transaction that has succeeded, and more may be appended while it reads.
 */
export const readerLayer: Layer.Layer<LogReader, never, SqlClient.SqlClient> = Layer.effect(
  LogReader,
  Effect.gen(function* () {
    const tables = yield* makeTables
    const primitives = {
      read: (from: Position, max: number) =>
        Effect.mapError(tables.read(from, max), failed("read", from.topic)),
      offsets: ({ topic, partition }: Partition) =>
        tables.loadPartitions.pipe(
          Effect.mapError(failed("read", topic)),
          Effect.map((all) => {
            const found = all.find((one) => one.topic === topic && one.partition === partition)
            return { start: found?.start ?? 0, end: found?.end ?? 0 }
          })
        ),
      committed: (group: string, { topic, partition }: Partition) =>
        tables.loadCommits.pipe(
          Effect.mapError(failed("read", topic)),
          Effect.map(
            (all) =>
              all.find((one) => one.group === group && one.topic === topic && one.partition === partition)
                ?.offset ?? 0
          )
        )
    }
    return { ...primitives, last: makeLast(primitives) }
  })
)
