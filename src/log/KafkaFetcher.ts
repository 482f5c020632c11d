/**
 * Fetches for the partitions that one member of a group holds: a request to each of their brokers asks for all of them
 * at once, each partition has a bounded buffer, and one whose reader is slow is left out until it has read. A broker
 * hands out nothing beyond the first transaction that is still open, so nothing is passed over.
 */
import { fetchV17 } from "@platformatic/kafka"
import { Effect, FiberSet, Latch } from "effect"
import { Limits } from "../config/Limits.ts"
import type { LogRecord, Partition } from "./EventLog.ts"
import type { KafkaChannel, KafkaFault, Leader } from "./KafkaChannel.ts"
import { committedRecords } from "./KafkaRecords.ts"

const READ_COMMITTED = 1
const NONE = -1

export interface FetchedPartition extends Partition {
  /** As the cluster names it. */
  readonly topicName: string
  next: number
  buffer: Array<LogRecord>
  readonly filled: Latch.Latch
}

export const makeFetched = (partition: Partition, topicName: string, offset: number): FetchedPartition => ({
  ...partition,
  topicName,
  next: offset,
  buffer: [],
  filled: Latch.makeUnsafe(false)
})

/** The next records of the partition, at least one and at most `max`; waits for them. */
export const takeFetched = (
  fetched: FetchedPartition,
  max: number
): Effect.Effect<ReadonlyArray<LogRecord>> =>
  Effect.suspend(() => {
    if (fetched.buffer.length > 0) return Effect.succeed(fetched.buffer.splice(0, max))
    fetched.filled.closeUnsafe()
    return Effect.andThen(Latch.await(fetched.filled), takeFetched(fetched, max))
  })

interface Asked {
  readonly topicId: string
  readonly fetched: FetchedPartition
}

/**
 * Fetches for whatever `partitions` gives at the moment, for as long as it runs. Never ends, and never fails: while
 * brokers are away it tries again. `startOf` is where a partition begins whose next offset retention has dropped.
 */
export const fetching = (
  channel: KafkaChannel,
  partitions: () => Iterable<FetchedPartition>,
  startOf: (partition: Partition) => Effect.Effect<number, KafkaFault>
): Effect.Effect<never> => {
  /** Brokers that have a request to answer. */
  const busy = new Set<Leader["connection"]>()
  /** Looked up once, and again after a fault. */
  let leaders = new WeakMap<FetchedPartition, Leader>()
  const answered = Latch.makeUnsafe(false)

  const fetch = Effect.fnUntraced(function* (
    connection: Leader["connection"],
    asked: ReadonlyArray<Asked>,
    maxWaitMs: number
  ) {
    const topics = new Map<string, Map<number, FetchedPartition>>()
    for (const { topicId, fetched } of asked) {
      const of = topics.get(topicId) ?? new Map<number, FetchedPartition>()
      topics.set(topicId, of.set(fetched.partition, fetched))
    }
    const answer = yield* channel.call(
      fetchV17.api,
      connection,
      maxWaitMs,
      1,
      Limits.kafkaFetchBytes,
      READ_COMMITTED,
      0,
      NONE,
      [...topics].map(([topicId, of]) => ({
        topicId,
        partitions: [...of.values()].map(({ partition, next }) => ({
          partition,
          currentLeaderEpoch: NONE,
          fetchOffset: BigInt(next),
          lastFetchedEpoch: NONE,
          partitionMaxBytes: Limits.kafkaPartitionBytes
        }))
      })),
      [],
      ""
    )
    for (const { topicId, partitions: parts } of answer.responses) {
      for (const part of parts) {
        const fetched = topics.get(topicId)?.get(part.partitionIndex)
        if (fetched === undefined) continue
        const { records, next } = committedRecords(fetched, fetched.next, part)
        fetched.next = next
        if (records.length === 0) continue
        fetched.buffer = fetched.buffer.concat(records)
        fetched.filled.openUnsafe()
      }
    }
  })

  /** Goes on at the log's start where retention was faster than the reader. */
  const rewind = Effect.fnUntraced(function* (fetched: FetchedPartition) {
    const start = yield* startOf(fetched)
    if (start <= fetched.next) return
    yield* Effect.logError(
      `${fetched.topic}/${fetched.partition}: retention dropped records ${fetched.next} to ${start - 1} before they were read`
    )
    fetched.next = start
  })

  const leaderOf = Effect.fnUntraced(function* (fetched: FetchedPartition) {
    const leader = yield* channel.leader(fetched.topicName, fetched.partition)
    leaders.set(fetched, leader)
    return leader
  })

  const forget = Effect.suspend(() => {
    leaders = new WeakMap()
    return channel.forget
  })

  const afterFault = (fault: KafkaFault, asked: ReadonlyArray<Asked>) =>
    fault.is("OFFSET_OUT_OF_RANGE")
      ? Effect.ignore(Effect.forEach(asked, ({ fetched }) => rewind(fetched), { discard: true }))
      : Effect.logWarning(`fetching from Kafka: trying again (${fault.message})`).pipe(
          Effect.andThen(forget),
          Effect.andThen(Effect.sleep(Limits.storeRetryMs.longest))
        )

  return Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntime<never, void, never>()
    while (true) {
      answered.closeUnsafe()
      const all = [...partitions()]
      const free = all.filter(({ buffer }) => buffer.length < Limits.kafkaBufferRecords)
      const byBroker = new Map<Leader["connection"], Array<Asked>>()
      for (const fetched of free) {
        const leader = leaders.get(fetched) ?? (yield* leaderOf(fetched))
        if (busy.has(leader.connection)) continue
        const asked = byBroker.get(leader.connection) ?? []
        byBroker.set(leader.connection, asked)
        asked.push({ topicId: leader.topicId, fetched })
      }
      const waitMs = free.length < all.length ? Limits.kafkaBusyFetchWaitMs : Limits.kafkaFetchWaitMs
      for (const [connection, asked] of byBroker) {
        busy.add(connection)
        run(
          fetch(connection, asked, waitMs).pipe(
            Effect.catch((fault) => afterFault(fault, asked)),
            Effect.ensuring(
              Effect.sync(() => {
                busy.delete(connection)
                answered.openUnsafe()
              })
            )
          )
        )
      }
      // New partitions, and buffers that were read, are seen without an answer as well.
      yield* Effect.raceFirst(Latch.await(answered), Effect.sleep(waitMs))
    }
    // The loop has no end: TypeScript sees it, and wants the type said.
  }).pipe(
    Effect.scoped,
    Effect.tapError((fault) =>
      Effect.andThen(Effect.logWarning(`fetching from Kafka: ${fault.message}`), forget)
    ),
    Effect.catch(() => Effect.sleep(Limits.storeRetryMs.longest)),
    Effect.forever
  )
}
