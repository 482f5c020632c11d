/**
 * The requests of a member of a consumer group to the group's coordinator (protocol: KIP-848). The cluster assigns
 * partitions in its answers to heartbeats. A partition goes to another member only after this one has sent a heartbeat
 * without it.
 *   joining   epoch 0, owns nothing → stable
 *   stable    owns what it was assigned → revoking, when the assignment shrinks → stable
 *   fenced    the cluster has given its partitions to others: it stops, and joins again under another id
 */

import { randomUUID } from "node:crypto"
import { consumerGroupDescribeV0, consumerGroupHeartbeatV1, offsetCommitV9 } from "@platformatic/kafka"
import { Clock, Effect } from "effect"
import { Limits } from "../../config/Limits.ts"
import { logLimits } from "../Limits.ts"
import { type Position, RELEASE, type Release } from "../Log.ts"
import { type KafkaChannel, type KafkaFault, onCoordinator, STEP_TRIES } from "./Channel.ts"

export interface TopicPartition {
  /** As the cluster knows the topic. */
  readonly topicId: string
  readonly partition: number
}

export const keyOf = ({ topicId, partition }: TopicPartition): string => `${topicId}/${partition}`

/** Compares a new assignment with the owned partitions. Pure. */
export const changeOf = <A extends TopicPartition>(
  owned: ReadonlyMap<string, A>,
  assigned: ReadonlyArray<TopicPartition>
): { readonly added: ReadonlyArray<TopicPartition>; readonly revoked: ReadonlyArray<A> } => {
  const wanted = new Set(assigned.map(keyOf))
  return {
    added: assigned.filter((one) => !owned.has(keyOf(one))),
    revoked: [...owned.values()].filter((one) => !wanted.has(keyOf(one)))
  }
}

const NANOS_PER_MS = 1_000_000n
const LEAVE = -1
const NO_EPOCH = -1
/** The assignor that gives partition n of all topics to the same member. Kafka's default assignor does not. */
const SAME_NUMBERS = "range"

export interface Member {
  readonly id: string
  /** The ids of its topics, by name. Each commit says the id, because a topic may be deleted and made again. */
  readonly topicIds: ReadonlyMap<string, string>
  epoch: number
  /** When the last heartbeat was sent that the cluster answered, on the monotonic clock. */
  heardAtNanos: bigint
}

/** The id of a member says its release: `member-0.4-UUID`. Ids of release 0.3 are `member-UUID`. */
const ID = /^member-0\.(\d+)-/
const OLDEST_RELEASE = 3

export const newMember = (topicIds: ReadonlyMap<string, string> = new Map()): Member => ({
  id: `member-${RELEASE}-${randomUUID()}`,
  topicIds,
  epoch: 0,
  heardAtNanos: 0n
})

const minorOf = (release: Release): number => Number(release.slice(2))

/** The minor version of the release that a member is of. Pure. */
export const releaseOf = (memberId: string): number => Number(ID.exec(memberId)?.[1] ?? OLDEST_RELEASE)

/** Whether a process of a release before `release` is a member of the group. */
export const hasMemberBefore = (
  release: Release,
  channel: KafkaChannel,
  group: string
): Effect.Effect<boolean, KafkaFault> =>
  onCoordinator(channel, "group", group, (broker) =>
    channel.call(consumerGroupDescribeV0.api, broker, [group], false)
  ).pipe(
    Effect.map(({ groups }) =>
      groups.some(({ members }) => members.some(({ memberId }) => releaseOf(memberId) < minorOf(release)))
    ),
    Effect.catchIf(
      (fault) => fault.is("GROUP_ID_NOT_FOUND"),
      () => Effect.succeed(false)
    )
  )

/** Whether the member has been fenced and must join again. */
export const isFenced = (fault: KafkaFault): boolean =>
  fault.is("UNKNOWN_MEMBER_ID", "FENCED_MEMBER_EPOCH", "UNRELEASED_INSTANCE_ID", "GROUP_ID_NOT_FOUND")

/** Whether the cluster may have given the member's partitions to others, because it has heard nothing for so long. */
export const mayBeFenced = ({ heardAtNanos }: Member): Effect.Effect<boolean> =>
  Effect.map(Clock.monotonicTimeNanos, (now) => now - heardAtNanos >= BigInt(Limits.leaseMs) * NANOS_PER_MS)

export interface GroupOptions {
  readonly group: string
  readonly topics: ReadonlyArray<string>
  readonly together: boolean
}

const sendHeartbeat = (
  channel: KafkaChannel,
  broker: number,
  { group, topics, together }: GroupOptions,
  { id, epoch }: Member,
  owned: ReadonlyArray<TopicPartition>
) =>
  channel.call(
    consumerGroupHeartbeatV1.api,
    broker,
    group,
    id,
    epoch,
    null,
    null,
    logLimits.kafkaRebalanceMs,
    [...topics],
    null,
    together ? SAME_NUMBERS : null,
    [...Map.groupBy(owned, ({ topicId }) => topicId)].map(([topicId, partitions]) => ({
      topicId,
      partitions: partitions.map(({ partition }) => partition)
    }))
  )

/** Sends the owned partitions. Returns the assignment if the answer contains one. */
export const heartbeat = Effect.fnUntraced(function* (
  channel: KafkaChannel,
  options: GroupOptions,
  member: Member,
  owned: Iterable<TopicPartition>
) {
  let sentAtNanos = 0n
  const answer = yield* onCoordinator(channel, "group", options.group, (broker) =>
    Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
      sentAtNanos = now
      return sendHeartbeat(channel, broker, options, member, [...owned])
    })
  )
  member.heardAtNanos = sentAtNanos
  member.epoch = answer.memberEpoch
  return answer.assignment?.topicPartitions.flatMap(({ topicId, partitions }) =>
    partitions.map((partition): TopicPartition => ({ topicId, partition }))
  )
})

/**
 * Leaves the group, so that its partitions are assigned to others at once. Returns false if the cluster cannot be
 * told.
 */
export const leave = (channel: KafkaChannel, options: GroupOptions, member: Member): Effect.Effect<boolean> =>
  Effect.flatMap(channel.coordinator("group", options.group), (broker) =>
    sendHeartbeat(channel, broker, options, { ...member, epoch: LEAVE }, [])
  ).pipe(
    Effect.timeout(logLimits.kafkaConnectMs),
    Effect.match({
      onSuccess: () => true,
      onFailure: (fault) => fault._tag === "KafkaFault" && isFenced(fault)
    })
  )

/** Topics as the cluster names them. */
export const commitOffset = (
  channel: KafkaChannel,
  group: string,
  member: Member,
  { topic, partition, offset }: Position
): Effect.Effect<void, KafkaFault> =>
  onCoordinator(channel, "group", group, (broker) =>
    channel.call(offsetCommitV9.api, broker, group, member.epoch, member.id, null, [
      {
        name: topic,
        partitions: [
          {
            partitionIndex: partition,
            committedOffset: BigInt(offset),
            committedLeaderEpoch: NO_EPOCH,
            committedMetadata: member.topicIds.get(topic) ?? null
          }
        ]
      }
    ])
  ).pipe(
    // The epoch increases with each change of the group, although the partition still belongs to this member.
    Effect.retry({ while: (fault) => fault.is("STALE_MEMBER_EPOCH"), times: STEP_TRIES }),
    Effect.asVoid
  )
