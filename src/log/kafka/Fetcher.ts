/**
 * Fetches for the partitions that one member of a group holds. One request to each of their brokers asks for all of them
 * and is held back there while nothing is new; a partition that comes meanwhile, or whose buffer had been full, is
 * asked for by itself until it can join the others. Each partition has a bounded buffer, and one whose reader is slow is
 * left out until it has read.
 *
 *   free ─▶ asked for with the others, a broker waits ─▶ answered: buffered, free
 *        ─▶ asked for at once, when that broker waits already ─▶ answered: the same, after a pause when nothing came
 */
import { Effect, FiberSet, Latch } from "effect"
import { Limits } from "../../config/Limits.ts"
import type { LogRecord, Partition } from "../EventLog.ts"
import type { KafkaChannel, KafkaFault, Leader } from "./Channel.ts"
import { fetchFrom } from "./Fetch.ts"
import { committedRecords } from "./Records.ts"

export interface FetchedPartition extends Partition {
  /** As the cluster names it. */
  readonly topicName: string
  next: number
  buffer: Array<LogRecord>
  readonly filled: Latch.Latch
  /** Of the fetcher: opened when there is room again. */
  readonly wake: Latch.Latch
}

export const makeFetched = (
  partition: Partition,
  topicName: string,
  offset: number,
  wake: Latch.Latch
): FetchedPartition => ({
  ...partition,
  topicName,
  next: offset,
  buffer: [],
  filled: Latch.makeUnsafe(false),
  wake
})

const RETRYING = "fetching from Kafka: trying again"

const hasRoom = ({ buffer }: FetchedPartition): boolean => buffer.length < Limits.kafkaBufferRecords

/** The next records of the partition, at least one and at most `max`; waits for them. */
export const takeFetched = (
  fetched: FetchedPartition,
  max: number
): Effect.Effect<ReadonlyArray<LogRecord>> =>
  Effect.suspend(() => {
    if (fetched.buffer.length > 0) {
      const wasFull = !hasRoom(fetched)
      const taken = fetched.buffer.splice(0, max)
      if (wasFull && hasRoom(fetched)) fetched.wake.openUnsafe()
      return Effect.succeed(taken)
    }
    fetched.filled.closeUnsafe()
    return Effect.andThen(Latch.await(fetched.filled), takeFetched(fetched, max))
  })

export interface FetchingParts {
  /** For fetches that a broker holds back: nothing else may come after them. */
  readonly waiting: KafkaChannel
  /** For those that it answers at once. */
  readonly now: KafkaChannel
  /** What is held at the moment. */
  readonly partitions: () => Iterable<FetchedPartition>
  /** Opened when that has changed. */
  readonly wake: Latch.Latch
  /** Where a partition begins whose next offset retention has dropped. */
  readonly startOf: (partition: Partition) => Effect.Effect<number, KafkaFault>
}

/** Never ends, and never fails: while brokers are away it tries again. */
export const fetching = ({
  waiting,
  now,
  partitions,
  wake,
  startOf
}: FetchingParts): Effect.Effect<never> => {
  /** In a request that is not answered. */
  const asked = new Set<FetchedPartition>()
  /** Brokers that hold a fetch back; and those that were asked for the others, until they may be again. */
  const holding = new Set<number>()
  const pausing = new Set<number>()
  let pauseMs: number = Limits.kafkaLateFetchMs.first
  /** Looked up once, and again after a fault. */
  let leaders = new WeakMap<FetchedPartition, Leader>()

  const leaderOf = Effect.fnUntraced(function* (fetched: FetchedPartition) {
    const known = leaders.get(fetched)
    if (known !== undefined) return known
    const leader = yield* waiting.leader(fetched.topicName, fetched.partition)
    leaders.set(fetched, leader)
    return leader
  })

  /** Whether anything came. */
  const fetch = Effect.fnUntraced(function* (
    channel: KafkaChannel,
    connection: Leader["connection"],
    wanted: ReadonlyArray<FetchedPartition>,
    maxWaitMs: number
  ) {
    const from = yield* Effect.forEach(wanted, (fetched) =>
      Effect.map(leaderOf(fetched), ({ topicId }) => ({ fetched, topicId }))
    )
    const byName = new Map(
      from.map(({ fetched, topicId }) => [`${topicId}/${fetched.partition}`, fetched] as const)
    )
    const answer = yield* fetchFrom(
      channel,
      connection,
      from.map(({ fetched, topicId }) => ({
        topicId,
        partition: fetched.partition,
        offset: fetched.next
      })),
      { maxWaitMs, maxBytes: Limits.kafkaFetchBytes, partitionBytes: Limits.kafkaPartitionBytes }
    )
    let some = false
    for (const { topicId, partitions: parts } of answer.responses) {
      for (const part of parts) {
        const fetched = byName.get(`${topicId}/${part.partitionIndex}`)
        if (fetched === undefined) continue
        const { records, next } = committedRecords(fetched, fetched.next, part)
        fetched.next = next
        if (records.length === 0) continue
        some = true
        fetched.buffer = fetched.buffer.concat(records)
        fetched.filled.openUnsafe()
      }
    }
    return some
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

  const forget = Effect.suspend(() => {
    leaders = new WeakMap()
    return Effect.andThen(waiting.forget, now.forget)
  })

  const afterFault = (fault: KafkaFault, wanted: ReadonlyArray<FetchedPartition>) =>
    fault.is("OFFSET_OUT_OF_RANGE")
      ? Effect.ignore(Effect.forEach(wanted, rewind, { discard: true }))
      : Effect.logWarning(RETRYING, fault).pipe(
          Effect.andThen(forget),
          Effect.andThen(Effect.sleep(Limits.storeRetryMs.longest))
        )

  /** `answered` comes before anybody looks again. */
  const asking = (
    wanted: ReadonlyArray<FetchedPartition>,
    request: Effect.Effect<void, KafkaFault>,
    answered: () => void
  ) => {
    for (const fetched of wanted) asked.add(fetched)
    return request.pipe(
      Effect.catch((fault) => afterFault(fault, wanted)),
      Effect.ensuring(
        Effect.sync(() => {
          for (const fetched of wanted) asked.delete(fetched)
          answered()
          wake.openUnsafe()
        })
      )
    )
  }

  const held = ({ node, connection }: Leader, wanted: ReadonlyArray<FetchedPartition>) => {
    holding.add(node)
    const request = fetch(waiting, connection, wanted, Limits.kafkaFetchWaitMs)
    pauseMs = Limits.kafkaLateFetchMs.first
    return asking(wanted, Effect.asVoid(request), () => holding.delete(node))
  }

  const late = ({ node }: Leader, wanted: ReadonlyArray<FetchedPartition>) => {
    pausing.add(node)
    const request = Effect.gen(function* () {
      const { connection } = yield* now.leader(wanted[0]!.topicName, wanted[0]!.partition)
      const some = yield* fetch(now, connection, wanted, 0)
      pauseMs = some ? Limits.kafkaLateFetchMs.first : Math.min(2 * pauseMs, Limits.kafkaLateFetchMs.longest)
    })
    return asking(wanted, request, () => undefined).pipe(
      // Meanwhile they may join the others.
      Effect.andThen(Effect.suspend(() => Effect.sleep(pauseMs))),
      Effect.ensuring(
        Effect.sync(() => {
          pausing.delete(node)
          wake.openUnsafe()
        })
      )
    )
  }

  return Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntime<never, void, never>()
    while (true) {
      wake.closeUnsafe()
      const byNode = new Map<number, { readonly leader: Leader; readonly wanted: Array<FetchedPartition> }>()
      for (const fetched of partitions()) {
        if (asked.has(fetched) || !hasRoom(fetched)) continue
        const leader = yield* leaderOf(fetched)
        const of = byNode.get(leader.node) ?? { leader, wanted: [] }
        byNode.set(leader.node, of)
        of.wanted.push(fetched)
      }
      for (const [node, { leader, wanted }] of byNode) {
        if (!holding.has(node)) run(held(leader, wanted))
        else if (!pausing.has(node)) run(late(leader, wanted))
      }
      yield* Latch.await(wake)
    }
    // The loop has no end: TypeScript sees it, and wants the type said.
  }).pipe(
    Effect.scoped,
    Effect.tapError((fault) => Effect.andThen(Effect.logWarning(RETRYING, fault), forget)),
    Effect.catch(() => Effect.sleep(Limits.storeRetryMs.longest)),
    Effect.forever
  )
}
