/**
 * One fetch: the request that the group's fetcher and the reader share. A broker answers it at once when it has anything,
 * else when something comes or `maxWaitMs` is over; it hands out nothing beyond the first transaction that is still open.
 */
import { fetchV17 } from "@platformatic/kafka"
import type { Effect } from "effect"
import type { KafkaChannel, KafkaFault, Leader } from "./Channel.ts"

const READ_COMMITTED = 1
/** "No session", "not a replica" and "whatever the leader's epoch is", in Kafka's numbers. */
const [NO_SESSION, NONE] = [0, -1]
const MIN_BYTES = 1

export interface FetchFrom {
  readonly topicId: string
  readonly partition: number
  readonly offset: number
}

export interface FetchBounds {
  readonly maxWaitMs: number
  /** Of the whole answer, and of each partition in it; a batch that is larger comes all the same. */
  readonly maxBytes: number
  readonly partitionBytes: number
}

/** All of `from` are partitions of the broker at the other end. */
export const fetchFrom = (
  channel: KafkaChannel,
  connection: Leader["connection"],
  from: ReadonlyArray<FetchFrom>,
  { maxWaitMs, maxBytes, partitionBytes }: FetchBounds
): Effect.Effect<fetchV17.FetchResponse, KafkaFault> =>
  channel.call(
    fetchV17.api,
    connection,
    maxWaitMs,
    MIN_BYTES,
    maxBytes,
    READ_COMMITTED,
    NO_SESSION,
    NONE,
    [...Map.groupBy(from, ({ topicId }) => topicId)].map(([topicId, partitions]) => ({
      topicId,
      partitions: partitions.map(({ partition, offset }) => ({
        partition,
        currentLeaderEpoch: NONE,
        fetchOffset: BigInt(offset),
        lastFetchedEpoch: NONE,
        partitionMaxBytes: partitionBytes
      }))
    })),
    [],
    ""
  )
