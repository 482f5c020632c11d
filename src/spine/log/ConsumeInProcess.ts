/**
 * `Log.consume` for the logs of one process. Each call owns all partitions of its topics. A second call with the
 * same group and topic waits until the first has ended. When a handler ends, later commits for its partition are
 * refused.
 */
import { Effect, type Scope, Semaphore } from "effect"
import {
  type AssignedPartition,
  type ConsumeOptions,
  type Log,
  LogError,
  type LogRecord,
  type Partition
} from "./Log.ts"
import { partitionsOf } from "./Topics.ts"

type Primitives = Pick<Log["Service"], "transaction" | "read" | "awaitOffset" | "offsets" | "committed">

export const fencedError = (topic: string): LogError =>
  new LogError({ operation: "fence", topic, cause: new Error("the partition has another owner") })

/** The partition as its handler sees it. Commits are fenced when `isOwner` is false. */
export const makeAssigned = Effect.fnUntraced(function* (
  log: Primitives,
  group: string,
  partition: Partition,
  isOwner: () => boolean
) {
  const { topic, partition: number } = partition
  const { start, end } = yield* log.offsets(partition)
  const committed = yield* log.committed(group, partition)
  if (committed > end)
    yield* Effect.logError(
      `${topic}/${number} went back: group ${group} had read ${committed} records, and there are ${end}; all its records are read again`
    )
  const startOffset = committed > end ? start : Math.max(start, committed)
  let next = startOffset

  const take = (max: number): Effect.Effect<ReadonlyArray<LogRecord>, LogError> =>
    Effect.gen(function* () {
      while (true) {
        // The end is read before the records: if nothing is read below it, compaction or retention has dropped it.
        const { end } = yield* log.offsets(partition)
        const records = yield* log.read({ topic, partition: number, offset: next }, max)
        const last = records.at(-1)
        if (last !== undefined) {
          next = last.offset + 1
          return records
        }
        next = Math.max(next, end)
        yield* log.awaitOffset({ topic, partition: number, offset: next })
      }
    })

  const assigned: AssignedPartition = {
    topic,
    partition: number,
    startOffset,
    endOffsetAtStart: end,
    take,
    commit: (offset) =>
      Effect.suspend(() =>
        isOwner()
          ? Effect.asVoid(
              log.transaction({
                append: [],
                commit: { group, positions: [{ topic, partition: number, offset }] }
              })
            )
          : Effect.fail(fencedError(topic))
      )
  }
  return assigned
})

export const makeConsume = (log: Primitives): Log["Service"]["consume"] => {
  const owners = new Map<string, Semaphore.Semaphore>()
  const ownerOf = (group: string, topic: string): Semaphore.Semaphore => {
    const name = `${group} ${topic}`
    let owner = owners.get(name)
    if (owner === undefined) {
      owner = Semaphore.makeUnsafe(1)
      owners.set(name, owner)
    }
    return owner
  }

  return <E, R>(
    options: ConsumeOptions,
    handle: (partition: AssignedPartition) => Effect.Effect<void, E, R>
  ) => {
    const handleOne = (partition: Partition) =>
      Effect.gen(function* () {
        let owned = true
        const assigned = yield* makeAssigned(log, options.group, partition, () => owned)
        yield* Effect.ensuring(
          handle(assigned),
          Effect.sync(() => {
            owned = false
          })
        )
        return yield* Effect.die(new Error(`the handler of ${partition.topic} ended`))
      })
    // Locked in the order of their names, so that two consumers cannot deadlock.
    const topics = [...options.topics].sort()
    const partitions = topics.flatMap((topic) =>
      Array.from({ length: partitionsOf(topic) }, (_, partition): Partition => ({ topic, partition }))
    )
    return Effect.gen(function* () {
      for (const topic of topics) yield* Semaphore.takeScoped(ownerOf(options.group, topic), 1)
      yield* Effect.forEach(partitions, handleOne, { concurrency: "unbounded", discard: true })
      return yield* Effect.never
    }).pipe(Effect.scoped) as Effect.Effect<never, E | LogError, Exclude<R, Scope.Scope>>
  }
}
