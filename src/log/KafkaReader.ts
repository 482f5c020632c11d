/**
 * Reading a Kafka partition without a group: by offset, by time, at its ends, and what groups have committed. Only
 * committed records are seen, and none is passed over: where a transaction is still open below the end, a read waits for
 * it to be committed or aborted, at most its own timeout (Limits.kafkaTransactionMs for this program's).
 */
import { fetchV17, listOffsetsV9, offsetFetchV9 } from "@platformatic/kafka"
import { Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import type { LogRecord, Partition, Position } from "./EventLog.ts"
import { type KafkaChannel, KafkaFault, onCoordinator, onLeader } from "./KafkaChannel.ts"
import { committedRecords, type FetchedRecords } from "./KafkaRecords.ts"

const READ_UNCOMMITTED = 0
const READ_COMMITTED = 1
/** "Not a replica" and "whatever the leader's epoch is", in Kafka's numbers. */
const NONE = -1
const LATEST = -1n
const EARLIEST = -2n

export interface KafkaReader {
  readonly read: (from: Position, max: number) => Effect.Effect<ReadonlyArray<LogRecord>, KafkaFault>
  readonly offsets: (
    partition: Partition
  ) => Effect.Effect<{ readonly start: number; readonly end: number }, KafkaFault>
  readonly offsetAtTime: (partition: Partition, unixMs: number) => Effect.Effect<number, KafkaFault>
  readonly awaitOffset: (position: Position) => Effect.Effect<void, KafkaFault>
  readonly committed: (group: string, partition: Partition) => Effect.Effect<number, KafkaFault>
}

/** One fetch of one partition; waits at most `maxWaitMs` when there is nothing yet. */
const fetchPartition = (
  channel: KafkaChannel,
  topicName: string,
  from: Position,
  { maxWaitMs, maxBytes }: { readonly maxWaitMs: number; readonly maxBytes: number }
): Effect.Effect<FetchedRecords, KafkaFault> =>
  onLeader(channel, topicName, from.partition, ({ connection, topicId }) =>
    channel.call(
      fetchV17.api,
      connection,
      maxWaitMs,
      1,
      maxBytes,
      READ_COMMITTED,
      0,
      NONE,
      [
        {
          topicId,
          partitions: [
            {
              partition: from.partition,
              currentLeaderEpoch: NONE,
              fetchOffset: BigInt(from.offset),
              lastFetchedEpoch: NONE,
              partitionMaxBytes: maxBytes
            }
          ]
        }
      ],
      [],
      ""
    )
  ).pipe(
    Effect.flatMap((answer) => {
      const partition = answer.responses[0]?.partitions[0]
      return partition === undefined
        ? Effect.fail(new KafkaFault({ message: `${topicName}: an empty answer`, cause: undefined }))
        : Effect.succeed(committedRecords(from, from.offset, partition))
    })
  )

export const makeReader = (
  channels: { readonly now: KafkaChannel; readonly waiting: KafkaChannel },
  nameOf: (topic: string) => string
): KafkaReader => {
  const { now, waiting } = channels

  const listOffset = ({ topic, partition }: Partition, timestamp: bigint) => {
    const name = nameOf(topic)
    return onLeader(now, name, partition, ({ connection }) =>
      now.call(listOffsetsV9.api, connection, NONE, READ_UNCOMMITTED, [
        { name, partitions: [{ partitionIndex: partition, currentLeaderEpoch: NONE, timestamp }] }
      ])
    ).pipe(Effect.map((answer) => Number(answer.topics[0]!.partitions[0]!.offset)))
  }

  const offsets = Effect.fnUntraced(function* (partition: Partition) {
    const start = yield* listOffset(partition, EARLIEST)
    return { start, end: yield* listOffset(partition, LATEST) }
  })

  const read = Effect.fnUntraced(function* (from: Position, max: number) {
    const name = nameOf(from.topic)
    const { start, end } = yield* offsets(from)
    let offset = Math.max(from.offset, start)
    while (offset < end) {
      const fetched = yield* fetchPartition(
        now,
        name,
        { ...from, offset },
        { maxWaitMs: 0, maxBytes: Limits.kafkaFetchBytes }
      )
      if (fetched.records.length > 0) return fetched.records.slice(0, max)
      if (fetched.next > offset) offset = fetched.next
      // Everything that has ended was handed out: what is left waits for its transaction.
      else yield* Effect.sleep(Limits.kafkaUnsettledMs)
    }
    return []
  })

  return {
    read,
    offsets,
    offsetAtTime: Effect.fnUntraced(function* (partition, unixMs) {
      const found = yield* listOffset(partition, BigInt(Math.max(0, Math.ceil(unixMs))))
      return found >= 0 ? found : (yield* offsets(partition)).end
    }),
    awaitOffset: Effect.fnUntraced(function* (position) {
      const name = nameOf(position.topic)
      while (true) {
        const { end } = yield* offsets(position)
        if (end > position.offset) return
        yield* fetchPartition(
          waiting,
          name,
          { ...position, offset: end },
          { maxWaitMs: Limits.kafkaFetchWaitMs, maxBytes: 1 }
        )
      }
    }),
    committed: Effect.fnUntraced(function* (group, { topic, partition }) {
      const answer = yield* onCoordinator(now, "group", group, (connection) =>
        now.call(
          offsetFetchV9.api,
          connection,
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
        // A transaction that commits an offset is on its way: its outcome decides.
        Effect.tapError((fault) =>
          fault.is("UNSTABLE_OFFSET_COMMIT") ? Effect.sleep(Limits.kafkaUnsettledMs) : Effect.void
        ),
        Effect.retry({ while: (fault) => fault.is("UNSTABLE_OFFSET_COMMIT") })
      )
      return Math.max(0, Number(answer.groups[0]?.topics[0]?.partitions[0]?.committedOffset ?? 0))
    })
  }
}
