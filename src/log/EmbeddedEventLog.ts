/**
 * `EventLog` in PostgreSQL, for one process. One writer groups the waiting transactions, gives them offsets, writes them
 * in one statement, and only then shows them to readers and answers the callers. After a failed write the writer does
 * not know what landed: it reads offsets and commits back before the next one. The newest records are read from memory.
 *
 *   callers ─▶ queue ─▶ writer: stage → write (all or nothing) → tails → callers
 */
import { Cause, Clock, Deferred, Effect, Exit, Latch, Layer, Queue, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { makeConsume } from "./Consume.ts"
import { type GroupCommit, makeTables } from "./EmbeddedLogTables.ts"
import {
  EventLog,
  EventLogError,
  type LogRecord,
  type Partition,
  type Position,
  type Transaction
} from "./EventLog.ts"
import { awaitEnd, indexAt, makeRecordList, push, type RecordList, readFrom, trim } from "./RecordList.ts"
import { byPartition, partitionKey, stage } from "./Staging.ts"
import { partitionsOf } from "./Topics.ts"

/** Another process owns the log of this database. */
export class EventLogInUse extends Schema.TaggedError<EventLogInUse>()("EventLogInUse", {
  message: Schema.String
}) {}

interface Request {
  readonly transaction: Transaction
  readonly answer: Deferred.Deferred<ReadonlyArray<Position>, EventLogError>
}

/** What the writer believes of the tables; thrown away after a failed write. */
interface Known {
  readonly ends: Map<string, number>
  readonly starts: Map<string, number>
  readonly commits: Map<string, number>
}

/** "ledgerlg" in ASCII: the advisory lock that the log's owner holds. */
const OWNER_LOCK = "7810764977386711143"

const commitKey = (group: string, { topic, partition }: Partition) =>
  `${group} ${partitionKey(topic, partition)}`

export const layer: Layer.Layer<EventLog, EventLogInUse | EventLogError, Settings | SqlClient.SqlClient> =
  Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const settings = yield* Settings
      const sql = yield* SqlClient.SqlClient
      const tables = yield* makeTables
      const lists = new Map<string, RecordList>()
      const queue = yield* Queue.bounded<Request>(Limits.embeddedLogQueue)
      let known: Known | undefined

      const failed = (operation: EventLogError["operation"], topic: string) => (cause: unknown) =>
        new EventLogError({ operation, topic, cause })

      // The lock lives as long as its connection: should that break, the next process to start finds the log free, and
      // this one's writes fail with the database it lost.
      const connection = yield* sql.reserve.pipe(Effect.mapError(failed("consume", "")))
      const [lock] = yield* connection
        .executeUnprepared(`SELECT pg_try_advisory_lock(${OWNER_LOCK}) AS held`, [], undefined)
        .pipe(Effect.mapError(failed("consume", "")))
      if (lock?.["held"] !== true) {
        return yield* new EventLogInUse({
          message:
            "DATABASE_URL: another process owns the embedded log of this database; stop it or use another database."
        })
      }

      const load = Effect.gen(function* () {
        const ends = yield* tables.loadEnds
        const commits = yield* tables.loadCommits
        const fresh: Known = {
          ends: new Map(ends.map((row) => [partitionKey(row.topic, row.partition), Number(row.end_offset)])),
          starts: new Map(
            ends.map((row) => [partitionKey(row.topic, row.partition), Number(row.start_offset)])
          ),
          commits: new Map(commits.map((row) => [commitKey(row.group_name, row), Number(row.next_offset)]))
        }
        // Tails may lack what an unanswered write has left: they begin anew, and who waits looks again.
        for (const [key, list] of lists) {
          list.records.length = 0
          list.size = 0
          list.end = fresh.ends.get(key) ?? 0
          list.grew.openUnsafe()
          list.grew = Latch.makeUnsafe()
        }
        known = fresh
        return fresh
      })

      const listOf = ({ topic, partition }: Partition): RecordList => {
        const key = partitionKey(topic, partition)
        let list = lists.get(key)
        if (list === undefined) {
          if (partition >= partitionsOf(topic))
            throw new Error(`topic ${topic} has no partition ${partition}`)
          list = makeRecordList(known?.ends.get(key) ?? 0)
          lists.set(key, list)
        }
        return list
      }

      const writeBatch = Effect.fnUntraced(function* (requests: ReadonlyArray<Request>) {
        const state = known ?? (yield* load)
        const now = yield* Clock.currentTimeMillis
        const ends = new Map<string, number>()
        const endOf = (topic: string, partition: number) => {
          const key = partitionKey(topic, partition)
          return ends.get(key) ?? state.ends.get(key) ?? 0
        }
        const staged = requests.map(({ transaction }) =>
          stage(
            transaction,
            now,
            endOf,
            (topic, partition, end) => void ends.set(partitionKey(topic, partition), end)
          )
        )
        const records = staged.flatMap((one) => one.records)
        // The last commit of a position wins, as if each had been written alone.
        const commits = new Map<string, GroupCommit>()
        for (const { transaction } of requests) {
          for (const position of transaction.commit?.positions ?? []) {
            const { group } = transaction.commit!
            commits.set(commitKey(group, position), { ...position, group })
          }
        }
        yield* tables.write(records, [...commits.values()], now)

        for (const [key, end] of ends) state.ends.set(key, end)
        for (const [key, { offset }] of commits) state.commits.set(key, offset)
        for (const group of byPartition(records).values()) {
          const list = listOf(group[0]!)
          push(list, group)
          trim(list, Limits.embeddedLogTailRecords, Limits.embeddedLogTailBytes)
        }
        return staged
      })

      const writer = Effect.gen(function* () {
        const first = yield* Queue.take(queue)
        const requests = [first]
        let count = first.transaction.append.length
        while (count < Limits.embeddedLogBatchRecords) {
          const more = yield* Queue.poll(queue)
          if (more._tag === "None") break
          requests.push(more.value)
          count += more.value.transaction.append.length
        }
        const exit = yield* Effect.exit(writeBatch(requests))
        if (Exit.isFailure(exit)) known = undefined
        for (const [index, { transaction, answer }] of requests.entries()) {
          Deferred.doneUnsafe(
            answer,
            Exit.isSuccess(exit)
              ? Exit.succeed(exit.value[index]!.positions)
              : Exit.fail(failed("append", transaction.append[0]?.topic ?? "")(Cause.squash(exit.cause)))
          )
        }
      })

      yield* load.pipe(Effect.mapError(failed("read", "log_ends")))
      yield* Effect.forkScoped(Effect.forever(writer))

      const read = (from: Position, max: number): Effect.Effect<ReadonlyArray<LogRecord>, EventLogError> =>
        Effect.suspend(() => {
          const list = listOf(from)
          const oldest = list.records[0]?.offset ?? list.end
          return from.offset >= oldest
            ? Effect.succeed(readFrom(list, from.offset, max))
            : tables.read(from, max).pipe(Effect.mapError(failed("read", from.topic)))
        })

      const offsets = (partition: Partition) =>
        Effect.sync(() => ({
          start: known?.starts.get(partitionKey(partition.topic, partition.partition)) ?? 0,
          end: listOf(partition).end
        }))

      const primitives = {
        transaction: (transaction) =>
          Effect.gen(function* () {
            const answer = yield* Deferred.make<ReadonlyArray<Position>, EventLogError>()
            yield* Queue.offer(queue, { transaction, answer })
            return yield* Deferred.await(answer)
          }),
        read,
        awaitOffset: (position) => Effect.suspend(() => awaitEnd(listOf(position), position.offset)),
        offsets,
        committed: (group, partition) =>
          Effect.gen(function* () {
            const state = known ?? (yield* load.pipe(Effect.mapError(failed("read", partition.topic))))
            return state.commits.get(commitKey(group, partition)) ?? 0
          })
      } satisfies Partial<EventLog["Service"]>

      return EventLog.of({
        ...primitives,
        consume: makeConsume(primitives),
        last: (partition) =>
          Effect.gen(function* () {
            // Compaction may have dropped the newest offsets: a step back finds what is left.
            const { start, end } = yield* offsets(partition)
            for (let span = 1; ; span *= 2) {
              const from = Math.max(start, end - span)
              let found: LogRecord | undefined
              for (let offset = from; ; ) {
                const records = yield* read({ ...partition, offset }, Limits.takeBatchRecords)
                const last = records.at(-1)
                if (last === undefined) break
                found = last
                offset = last.offset + 1
              }
              if (found !== undefined || from === start) return found
            }
          }),
        offsetAtTime: (partition, unixMs) =>
          tables.offsetAtTime(partition, unixMs).pipe(
            Effect.map((found) => found ?? listOf(partition).end),
            Effect.mapError(failed("read", partition.topic))
          ),
        applyRetention: Effect.gen(function* () {
          yield* tables.applyRetention(yield* Clock.currentTimeMillis, settings)
          const state = known
          for (const row of yield* tables.loadEnds) {
            const key = partitionKey(row.topic, row.partition)
            const start = Number(row.start_offset)
            state?.starts.set(key, start)
            const list = lists.get(key)
            if (list !== undefined) list.records.splice(0, indexAt(list, start))
          }
        }).pipe(Effect.mapError(failed("consume", "")))
      })
    })
  )
