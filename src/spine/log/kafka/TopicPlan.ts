/**
 * Plans the changes that make a cluster's topics equal to `topics/topics.json`, with the risk of each. An operator must
 * confirm a change that would delete records (shorter retention, another cleanup policy) or move keys to other
 * partitions. Pure.
 */
import { networks } from "../../event/Network.ts"
import { counted } from "../../words/Words.ts"
import {
  keepsNewest,
  partitionsOf,
  replicationOf,
  retentionOf,
  type TopicSettings,
  usedTopics
} from "../Topics.ts"

/** A topic as it is on the cluster, or as it should be. Settings have Kafka's names. */
export interface TopicState {
  readonly name: string
  readonly partitions: number
  /** Copies of each partition. If partitions differ, the smallest number. */
  readonly replication: number
  readonly settings: Readonly<Record<string, string>>
}

/** `losing`: records would be deleted, or lose their order. `impossible`: this program cannot make the change. */
export type Risk = "none" | "losing" | "impossible"

export interface TopicChange {
  readonly kind: "create" | "partitions" | "replication" | "setting"
  readonly topic: TopicState
  /** The setting's name, if `kind` is `setting`. */
  readonly setting?: string
  readonly from?: string
  readonly to: string
  readonly risk: Risk
}

const RETENTION = "retention.ms"
const CLEANUP = "cleanup.policy"
const FOR_EVER = "-1"
/**
 * Copies that must have a record before it counts as written. With Kafka's default of 1, losing a broker loses records.
 */
const IN_SYNC = "min.insync.replicas"

/** Every topic that a service with these settings uses, with its name on the cluster. Copies are limited to the number of brokers. */
export const wantedTopics = (
  prefix: string,
  settings: TopicSettings,
  brokers: number
): ReadonlyArray<TopicState> =>
  usedTopics(networks, settings).map((topic) => {
    const retentionMs = retentionOf(topic, settings)
    const replication = Math.min(replicationOf(topic), brokers)
    return {
      name: prefix + topic,
      partitions: partitionsOf(topic),
      replication,
      settings: {
        ...(retentionMs === null
          ? { [CLEANUP]: "compact" }
          : {
              [CLEANUP]: "delete",
              // Kafka cannot keep only the newest record, so all are kept. Checkpoint records are small.
              [RETENTION]: keepsNewest(topic) ? FOR_EVER : String(retentionMs)
            }),
        // Writing continues while one broker is down.
        [IN_SYNC]: String(Math.max(1, replication - 1))
      }
    }
  })

const isShorter = (from: string | undefined, to: string): boolean =>
  to !== FOR_EVER && (from === FOR_EVER || Number(from) > Number(to))

/** An operator may set a higher number. With too few copies, requiring our number would stop all writes. */
const isEnoughInSync = (topic: TopicState, found: TopicState): boolean =>
  found.replication < topic.replication || Number(found.settings[IN_SYNC]) >= Number(topic.settings[IN_SYNC])

const settingChanges = (topic: TopicState, found: TopicState): ReadonlyArray<TopicChange> =>
  Object.entries(topic.settings).flatMap(([setting, to]): ReadonlyArray<TopicChange> => {
    const from = found.settings[setting]
    if (from === to || (setting === IN_SYNC && isEnoughInSync(topic, found))) return []
    const risk = setting === CLEANUP || (setting === RETENTION && isShorter(from, to)) ? "losing" : "none"
    return [{ kind: "setting", topic, setting, ...(from === undefined ? {} : { from }), to, risk }]
  })

const partitionChange = (topic: TopicState, found: TopicState): ReadonlyArray<TopicChange> =>
  topic.partitions === found.partitions
    ? []
    : [
        {
          kind: "partitions",
          topic,
          from: String(found.partitions),
          to: String(topic.partitions),
          risk: topic.partitions < found.partitions ? "impossible" : "losing"
        }
      ]

/** An operator may choose more copies than wanted. */
const replicationChange = (topic: TopicState, found: TopicState): ReadonlyArray<TopicChange> =>
  topic.replication <= found.replication
    ? []
    : [
        {
          kind: "replication",
          topic,
          from: String(found.replication),
          to: String(topic.replication),
          risk: "impossible"
        }
      ]

/** The changes, in the order of `wanted`. */
export const planTopics = (
  wanted: ReadonlyArray<TopicState>,
  found: ReadonlyArray<TopicState>
): ReadonlyArray<TopicChange> => {
  const byName = new Map(found.map((topic) => [topic.name, topic]))
  return wanted.flatMap((topic): ReadonlyArray<TopicChange> => {
    const existing = byName.get(topic.name)
    return existing === undefined
      ? [
          {
            kind: "create",
            topic,
            to: counted(topic.partitions, "partition", "partitions"),
            risk: "none"
          }
        ]
      : [
          ...partitionChange(topic, existing),
          ...replicationChange(topic, existing),
          ...settingChanges(topic, existing)
        ]
  })
}

const costOf = ({ kind, risk, setting, to }: TopicChange): string => {
  if (kind === "replication") return "kafka-reassign-partitions must add the copies; this program cannot"
  if (risk === "impossible") return "Kafka cannot remove partitions"
  if (kind === "partitions")
    return "keys would move to other partitions, and their records would lose their order"
  return setting === CLEANUP && to === "compact"
    ? "all but the newest record of each key would be deleted"
    : "older records would be deleted"
}

/** The change, and its cost if it has one, as a sentence without the full stop. */
export const sentenceOf = (change: TopicChange): string => {
  const { from = "unset", kind, risk, setting, to, topic } = change
  if (kind === "create") return `topic ${topic.name} is created with ${to}`
  const what = { partitions: "partitions", replication: "copies of each partition", setting }[kind]
  const stated = `topic ${topic.name}: ${what} ${from} → ${to}`
  return risk === "none" ? stated : `${stated}: ${costOf(change)}`
}
