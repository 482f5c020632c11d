/**
 * One fetch request, used by Fetcher.ts and Reader.ts. A broker answers at once if it has a record, else when one
 * arrives or `maxWaitMs` is over. It returns nothing beyond the first transaction that is still open.
 */
import { fetchV17 } from "@platformatic/kafka"
import type { Effect } from "effect"
import type { KafkaChannel, KafkaFault } from "./Channel.ts"

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
  /** Limits of the whole answer and of each partition in it. The first batch is returned even if it is larger. */
  readonly maxBytes: number
  readonly partitionBytes: number
}

/** The broker leads all partitions of `from`. */
export const fetchFrom = (
  channel: KafkaChannel,
  broker: number,
  from: ReadonlyArray<FetchFrom>,
  { maxWaitMs, maxBytes, partitionBytes }: FetchBounds
): Effect.Effect<fetchV17.FetchResponse, KafkaFault> =>
  channel.call(
    fetchV17.api,
    broker,
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
