/**
 * Fetches records for the partitions that one member of a group owns. It sends one fetch at a time to each broker, for
 * all of its partitions whose buffers are not full. While nothing is new, the broker delays its answer; if a full
 * partition was left out, the delay is shorter, so that it is soon included again. A partition that cannot be fetched
 * keeps no other one waiting: it is left out, and after a pause all leaders are looked up again.
 */

import { Deferred, Effect, Latch, Queue, type Scope } from "effect"
import { Limits } from "../../config/Limits.ts"
import { logLimits } from "../Limits.ts"
import type { LogRecord, Partition } from "../Log.ts"
import { isAnswer, isDenied, type KafkaChannel, type KafkaFault, type Leader, named } from "./Channel.ts"
import { fetchFrom } from "./Fetch.ts"
import { committedRecords } from "./Records.ts"

/** How long a broker may delay the response to a fetch if there is nothing new. Less than `kafkaRequestMs`. */
const FETCH_WAIT_MS = 10_000
/** The same while a fetch omits a partition whose buffer is full. */
const PARTIAL_FETCH_WAIT_MS = { first: 10, longest: 250 }

export interface FetchedPartition extends Partition {
  /** The topic's name in the cluster. */
  readonly topicName: string
  readonly topicId: string
  readonly buffer: Queue.Queue<LogRecord>
  /** The next offset to fetch. */
  next: number
}

interface Located {
  readonly fetched: FetchedPartition
}

export interface FetcherParts {
  readonly openChannel: Effect.Effect<KafkaChannel, never, Scope.Scope>
  /** The first offset of the partition that retention has not dropped, and the offset of the next append. */
  readonly offsetsOf: (
    partition: Partition
  ) => Effect.Effect<{ readonly start: number; readonly end: number }, KafkaFault>
  /** Told if the partition lacks records that were read. */
  readonly onWentBack: (found: string) => Effect.Effect<void>
}

const hasRoom = ({ buffer }: FetchedPartition): boolean =>
  Queue.sizeUnsafe(buffer) < logLimits.partitionRecords

export const makeFetcher = ({ openChannel, offsetsOf, onWentBack }: FetcherParts) => {
  /** Opened when records have been taken from a buffer. */
  const room = Latch.makeUnsafe(false)

  /** If retention has dropped records before they were read, continues at the partition's start. */
  const skipDropped = Effect.fnUntraced(function* (fetched: FetchedPartition) {
    const { end, start } = yield* offsetsOf(fetched)
    if (end < fetched.next)
      yield* onWentBack(
        `${fetched.topicName}/${fetched.partition} ends at ${end}, and ${fetched.next} records were read`
      )
    if (start <= fetched.next) return
    yield* Effect.logError(
      `${fetched.topic}/${fetched.partition}: retention dropped records ${fetched.next} to ${start - 1} before they were read`
    )
    fetched.next = start
  })

  const afterFault = (fault: KafkaFault) =>
    isDenied(fault)
      ? Effect.void
      : Effect.andThen(
          Effect.logWarning("fetching from Kafka failed; retrying", fault),
          Effect.sleep(Limits.storeRetryMs.longest)
        )

  /** Returns whether any record came. */
  const fetchOnce = Effect.fnUntraced(function* (
    channel: KafkaChannel,
    broker: number,
    wanted: ReadonlyArray<Located>,
    maxWaitMs: number
  ) {
    const answer = yield* fetchFrom(
      channel,
      broker,
      wanted.map(({ fetched: { next, partition, topicId } }) => ({ topicId, partition, offset: next })),
      { maxWaitMs, maxBytes: Limits.recordsBytes, partitionBytes: logLimits.logBatchBytes }
    ).pipe(named((id) => wanted.find(({ fetched }) => fetched.topicId === id)?.fetched.topicName ?? id))
    let some = false
    for (const { topicId, partitions } of answer.responses) {
      for (const part of partitions) {
        const found = wanted.find(
          (one) => one.fetched.topicId === topicId && one.fetched.partition === part.partitionIndex
        )
        if (found === undefined) continue
        const { fetched } = found
        const { records, next } = committedRecords(fetched, fetched.next, part)
        fetched.next = next
        Queue.offerAllUnsafe(fetched.buffer, records)
        some ||= records.length > 0
      }
    }
    return some
  })

  /** Partitions that were left out since all leaders were looked up. */
  type LeaveOut = (fetched: FetchedPartition, fault: KafkaFault) => Effect.Effect<void>

  /** One after the other, after a fetch of all of them has failed. Leaves those out that fail. */
  const fetchEach = Effect.fnUntraced(function* (
    channel: KafkaChannel,
    broker: number,
    wanted: ReadonlyArray<Located>,
    leaveOut: LeaveOut
  ) {
    let some = false
    for (const one of wanted) {
      const fetching = fetchOnce(channel, broker, [one], 0).pipe(
        Effect.catchIf(isAnswer, (fault) => Effect.as(leaveOut(one.fetched, fault), false))
      )
      if (yield* fetching) some = true
    }
    return some
  })

  const fetchFromBroker = (
    channel: KafkaChannel,
    broker: number,
    partitions: ReadonlyArray<Located>,
    isLeftOut: (fetched: FetchedPartition) => boolean,
    leaveOut: LeaveOut
  ) =>
    Effect.gen(function* () {
      const { first, longest } = PARTIAL_FETCH_WAIT_MS
      let partialWaitMs: number = first
      while (true) {
        room.closeUnsafe()
        const working = partitions.filter(({ fetched }) => !isLeftOut(fetched))
        const wanted = working.filter(({ fetched }) => hasRoom(fetched))
        if (wanted.length === 0) {
          yield* Latch.await(room)
          continue
        }
        const waitMs = wanted.length === working.length ? FETCH_WAIT_MS : partialWaitMs
        const some = yield* fetchOnce(channel, broker, wanted, waitMs).pipe(
          Effect.catchIf(isAnswer, () => fetchEach(channel, broker, wanted, leaveOut))
        )
        partialWaitMs = some ? first : Math.min(2 * partialWaitMs, longest)
      }
    })

  /** Fetches until a broker does not answer, or until the pause after the first partition that was left out. */
  const round = (partitions: ReadonlyArray<FetchedPartition>) =>
    Effect.gen(function* () {
      const channel = yield* openChannel
      const scope = yield* Effect.scope
      const leftOut = new Set<FetchedPartition>()
      const ended = yield* Deferred.make<void>()
      const leaveOut: LeaveOut = Effect.fnUntraced(function* (fetched, fault) {
        if (leftOut.size === 0)
          yield* Effect.forkIn(
            Effect.andThen(Effect.sleep(Limits.storeRetryMs.longest), Deferred.succeed(ended, undefined)),
            scope
          )
        leftOut.add(fetched)
        yield* fault.is("OFFSET_OUT_OF_RANGE")
          ? Effect.ignore(skipDropped(fetched))
          : Effect.logWarning(`fetching ${fetched.topic}/${fetched.partition} failed; retrying`, fault)
      })
      const located = yield* Effect.forEach(
        partitions,
        (fetched) =>
          channel.leader(fetched.topicName, fetched.partition).pipe(
            Effect.tap(({ topicId }) =>
              topicId === fetched.topicId
                ? Effect.void
                : onWentBack(`${fetched.topicName} was deleted and made again`)
            ),
            Effect.map(
              ({ broker }): ReadonlyArray<Located & Pick<Leader, "broker">> => [{ broker, fetched }]
            ),
            Effect.catchIf(isAnswer, (fault) => Effect.as(leaveOut(fetched, fault), []))
          ),
        { concurrency: "unbounded" }
      ).pipe(Effect.tapError(afterFault))
      const fetches = Effect.forEach(
        Map.groupBy(located.flat(), ({ broker }) => broker),
        ([broker, led]) =>
          // A fault of one broker does not stop the fetches from the others.
          Effect.tapError(
            fetchFromBroker(channel, broker, led, (fetched) => leftOut.has(fetched), leaveOut),
            afterFault
          ),
        { concurrency: "unbounded", discard: true }
      )
      yield* Effect.raceFirst(Effect.andThen(fetches, Effect.never), Deferred.await(ended))
    }).pipe(Effect.scoped)

  return {
    /** Waits for the next records of the partition: at least one, at most `max`. */
    take: ({ buffer }: FetchedPartition, max: number): Effect.Effect<ReadonlyArray<LogRecord>> =>
      Effect.tap(Queue.takeBetween(buffer, 1, max), () => Effect.sync(() => room.openUnsafe())),
    /** Never ends. It fails if this user may not read. While brokers are unavailable, it retries. */
    run: (partitions: ReadonlyArray<FetchedPartition>): Effect.Effect<never, KafkaFault> =>
      round(partitions).pipe(
        Effect.catchIf(
          (fault) => !isDenied(fault),
          () => Effect.void
        ),
        Effect.forever
      )
  }
}
