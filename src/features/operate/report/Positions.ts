/** How far groups of consumers are in the log, and since when the first record that they have not finished is there. */
import { Effect } from "effect"
import { Log, type Partition } from "../../../spine/log/Log.ts"
import { partitionsOf } from "../../../spine/log/Topics.ts"

/** Partitions whose places are read concurrently. */
const READS_AT_ONCE = 8

export interface Position {
  /** Records from the committed offset to the end. */
  readonly records: number
  /** When the first of them was appended, Unix milliseconds. Undefined: there is none, or nobody asked. */
  readonly oldestAt: number | undefined
}

/**
 * Records that retention has dropped are not behind. `withOldest`: whether to read the record. If a group has committed
 * more than there is, because the partition has lost its newest records or was made anew, it reads nothing any more: then
 * everything that is there waits.
 */
const positionIn = Effect.fnUntraced(function* (group: string, partition: Partition, withOldest: boolean) {
  const log = yield* Log
  // The end is read first: a record that is appended and finished between the two reads does not make it negative.
  const { end, start } = yield* log.offsets(partition)
  const committed = yield* log.committed(group, partition)
  const isBeyond = committed > end && committed > (yield* log.offsets(partition)).end
  const offset = isBeyond ? start : Math.max(start, committed)
  const records = Math.max(0, end - offset)
  if (records === 0 || !(withOldest || isBeyond)) return { records, oldestAt: undefined }
  const [oldest] = yield* log.read({ ...partition, offset }, 1)
  // What is left may be Kafka's own marker of a transaction.
  return oldest === undefined ? { records: 0, oldestAt: undefined } : { records, oldestAt: oldest.timestamp }
})

/** The sum of all partitions, and the oldest record of any. */
export const positionOf = Effect.fnUntraced(function* (
  group: string,
  topics: ReadonlyArray<string>,
  withOldest: boolean
) {
  const partitions = topics.flatMap((topic) =>
    Array.from({ length: partitionsOf(topic) }, (_, partition) => ({ topic, partition }))
  )
  const each = yield* Effect.forEach(partitions, (partition) => positionIn(group, partition, withOldest), {
    concurrency: READS_AT_ONCE
  })
  const times = each.flatMap(({ oldestAt }) => oldestAt ?? [])
  return {
    records: each.reduce((total, { records }) => total + records, 0),
    oldestAt: times.length === 0 ? undefined : Math.min(...times)
  } satisfies Position
})
