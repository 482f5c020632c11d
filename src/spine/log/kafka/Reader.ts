/**
 * Reads a Kafka partition without a group: records by offset, start and end, and committed offsets of groups. It returns committed records only, and skips none: if a transaction is still open below the end, a read waits
 * until it is committed or aborted. Kafka aborts ours after `leaseMs`.
 */
import { listOffsetsV9, offsetFetchV9 } from "@platformatic/kafka"
import { Effect, Schedule } from "effect"
import { Limits } from "../../config/Limits.ts"
import type { LogRecord, Partition, Position } from "../Log.ts"
import { type KafkaChannel, KafkaFault, onCoordinator, onLeader, throttleOf } from "./Channel.ts"
import { fetchFrom } from "./Fetch.ts"
import { committedRecords, type FetchedRecords } from "./Records.ts"

/** The assumed size of a record before one was read. */
const RECORD_BYTES = 1_024
/** Spare bytes of each read, because a broker sends whole batches. */
const SPARE_BYTES = 64 * 1_024
/** How often a view of `webhooks.config` asks for the end of the topic. A process with all roles has two views. */
const POLL_MS = 100
/** How often to check whether a transaction has ended. Most take a few milliseconds. */
const UNSETTLED_MS = 3

const READ_UNCOMMITTED = 0
/** "Not a replica" and "whatever the leader's epoch is", in Kafka's numbers. */
const NONE = -1
const LATEST = -1n
const EARLIEST = -2n

export interface Committed {
  /** 0 if there is none. */
  readonly offset: number
  /** Of the topic that was read. Undefined: a process of release 0.3 has committed, or none has. */
  readonly topicId: string | undefined
}

export interface KafkaReader {
  readonly read: (from: Position, max: number) => Effect.Effect<ReadonlyArray<LogRecord>, KafkaFault>
  readonly offsets: (
    partition: Partition
  ) => Effect.Effect<{ readonly start: number; readonly end: number }, KafkaFault>
  readonly awaitOffset: (position: Position) => Effect.Effect<void, KafkaFault>
  readonly committed: (group: string, partition: Partition) => Effect.Effect<Committed, KafkaFault>
}

/** One fetch of at most `bytes` from one partition, and the partition's end at that moment. */
const fetchPartition = (
  channel: KafkaChannel,
  topicName: string,
  from: Position,
  bytes: number
): Effect.Effect<FetchedRecords & { readonly end: number }, KafkaFault> => {
  const fetching = onLeader(channel, topicName, from.partition, ({ broker, topicId }) =>
    fetchFrom(channel, broker, [{ topicId, partition: from.partition, offset: from.offset }], {
      maxWaitMs: 0,
      maxBytes: bytes,
      partitionBytes: bytes
    })
  )
  return fetching.pipe(
    // The answer to a fetch that a quota delays has no partition. The broker answers the next one when the delay is over.
    Effect.repeat({ while: (answer) => answer.responses.length === 0 && throttleOf(answer) > 0 }),
    Effect.flatMap((answer) => {
      const partition = answer.responses[0]?.partitions[0]
      return partition === undefined
        ? Effect.fail(new KafkaFault({ message: `${topicName}: an empty answer`, cause: undefined }))
        : Effect.succeed({
            ...committedRecords(from, from.offset, partition),
            end: Number(partition.highWatermark)
          })
    })
  )
}

export const makeReader = (channel: KafkaChannel, nameOf: (topic: string) => string): KafkaReader => {
  const listOffset = ({ topic, partition }: Partition, timestamp: bigint) => {
    const name = nameOf(topic)
    return onLeader(channel, name, partition, ({ broker }) =>
      channel.call(listOffsetsV9.api, broker, NONE, READ_UNCOMMITTED, [
        { name, partitions: [{ partitionIndex: partition, currentLeaderEpoch: NONE, timestamp }] }
      ])
    ).pipe(Effect.map((answer) => Number(answer.topics[0]!.partitions[0]!.offset)))
  }

  const end = (partition: Partition) => listOffset(partition, LATEST)
  const offsets = (partition: Partition) =>
    Effect.all({ start: listOffset(partition, EARLIEST), end: end(partition) }, { concurrency: "unbounded" })

  /** Average bytes of a record on the cluster, by topic, from the last read. */
  const recordBytes = new Map<string, number>()
  /** How many bytes to fetch for this many records. Records that were not asked for are thrown away. */
  const bytesFor = (topic: string, records: number): number =>
    Math.min(Limits.recordsBytes, Math.ceil(records * (recordBytes.get(topic) ?? RECORD_BYTES)) + SPARE_BYTES)

  const read = Effect.fnUntraced(function* (from: Position, max: number) {
    const name = nameOf(from.topic)
    let offset = from.offset
    /** The end when the read began. Later records are not waited for. */
    let head: number | undefined
    while (head === undefined || offset < head) {
      const fetched = yield* fetchPartition(
        channel,
        name,
        { ...from, offset },
        bytesFor(from.topic, max)
      ).pipe(
        // The offset is before the first kept record or beyond the end.
        Effect.catchIf(
          (fault) => fault.is("OFFSET_OUT_OF_RANGE"),
          () => Effect.map(offsets(from), ({ start, end }) => ({ records: [], next: start, bytes: 0, end }))
        )
      )
      if (fetched.records.length > 0) {
        recordBytes.set(from.topic, fetched.bytes / fetched.records.length)
        return fetched.records.slice(0, max)
      }
      head ??= fetched.end
      if (fetched.next > offset) offset = fetched.next
      // Only records of an open transaction follow. Wait until it is committed or aborted.
      else if (offset < head) yield* Effect.sleep(UNSETTLED_MS)
    }
    return []
  })

  return {
    read,
    offsets,
    awaitOffset: (position) =>
      end(position).pipe(
        Effect.repeat({
          until: (head) => head > position.offset,
          schedule: Schedule.spaced(POLL_MS)
        }),
        Effect.asVoid
      ),
    committed: Effect.fnUntraced(function* (group, { topic, partition }) {
      const answer = yield* onCoordinator(channel, "group", group, (broker) =>
        channel.call(
          offsetFetchV9.api,
          broker,
          [
            {
              groupId: group,
              memberId: null,
              memberEpoch: NONE,
              topics: [{ name: nameOf(topic), partitionIndexes: [partition] }]
            }
          ],
          true
        )
      ).pipe(
        // A transaction that commits an offset is still open: wait for its outcome.
        Effect.tapError((fault) =>
          fault.is("UNSTABLE_OFFSET_COMMIT") ? Effect.sleep(UNSETTLED_MS) : Effect.void
        ),
        Effect.retry({ while: (fault) => fault.is("UNSTABLE_OFFSET_COMMIT") })
      )
      const found = answer.groups[0]?.topics[0]?.partitions[0]
      const topicId = found?.metadata
      return {
        offset: Math.max(0, Number(found?.committedOffset ?? 0)),
        topicId: topicId == null || topicId === "" ? undefined : topicId
      }
    })
  }
}
