/**
 * A member of a consumer group, by Kafka's own protocol for it (KIP-848): the cluster assigns partitions, a member gives
 * one back only when it has finished with it, and only then another gets it. What the member holds and what comes next
 * is decided here; heartbeats carry it.
 *
 *   joining   epoch 0, holds nothing → stable
 *   stable    holds what it was assigned → giving back, when the assignment shrinks → stable
 *   fenced    the cluster has given its partitions away: everything stops, and it joins anew under another name
 */
import { consumerGroupHeartbeatV1 } from "@platformatic/kafka"
import { Effect } from "effect"
import { Limits } from "../../config/Limits.ts"
import { type KafkaChannel, type KafkaFault, onCoordinator } from "./Channel.ts"

export interface HeldPartition {
  /** As the cluster knows the topic. */
  readonly topicId: string
  readonly partition: number
}

export const heldName = ({ topicId, partition }: HeldPartition): string => `${topicId}/${partition}`

export interface Change {
  readonly gained: ReadonlyArray<HeldPartition>
  readonly lost: ReadonlyArray<HeldPartition>
}

/** What an assignment means for a member that holds `held`. Pure. */
export const changeOf = (
  held: ReadonlyMap<string, HeldPartition>,
  assigned: ReadonlyArray<HeldPartition>
): Change => {
  const wanted = new Set(assigned.map(heldName))
  return {
    gained: assigned.filter((one) => !held.has(heldName(one))),
    lost: [...held.values()].filter((one) => !wanted.has(heldName(one)))
  }
}

/** The member must begin anew. */
const FENCED = ["UNKNOWN_MEMBER_ID", "FENCED_MEMBER_EPOCH", "UNRELEASED_INSTANCE_ID"]
const LEAVE = -1
/** The cluster's assignor that gives one member the partitions of one number of all topics; its default spreads them. */
const SAME_NUMBERS = "range"

export interface Member {
  readonly id: string
  epoch: number
}

export const isFenced = (fault: KafkaFault): boolean => fault.is(...FENCED)

/** One heartbeat: tells what is held, and returns the assignment when it is news. */
export const heartbeat = Effect.fnUntraced(function* (
  channel: KafkaChannel,
  options: { readonly group: string; readonly topics: ReadonlyArray<string>; readonly together: boolean },
  member: Member,
  held: Iterable<HeldPartition>
) {
  const byTopic = new Map<string, Array<number>>()
  for (const { topicId, partition } of held) {
    const partitions = byTopic.get(topicId) ?? []
    byTopic.set(topicId, partitions)
    partitions.push(partition)
  }
  const answer = yield* onCoordinator(channel, "group", options.group, (connection) =>
    channel.call(
      consumerGroupHeartbeatV1.api,
      connection,
      options.group,
      member.id,
      member.epoch,
      null,
      null,
      Limits.kafkaRebalanceMs,
      [...options.topics],
      null,
      options.together ? SAME_NUMBERS : null,
      [...byTopic].map(([topicId, partitions]) => ({ topicId, partitions }))
    )
  )
  member.epoch = answer.memberEpoch
  return answer.assignment?.topicPartitions.flatMap(({ topicId, partitions }) =>
    partitions.map((partition): HeldPartition => ({ topicId, partition }))
  )
})

/** Tells the cluster that the member goes, so that its partitions are given away at once. */
export const leave = (channel: KafkaChannel, group: string, member: Member): Effect.Effect<void> =>
  Effect.flatMap(channel.coordinator("group", group), (connection) =>
    channel.call(
      consumerGroupHeartbeatV1.api,
      connection,
      group,
      member.id,
      LEAVE,
      null,
      null,
      Limits.kafkaRebalanceMs,
      [],
      null,
      null,
      []
    )
  ).pipe(Effect.timeout(Limits.kafkaConnectMs), Effect.ignore)
