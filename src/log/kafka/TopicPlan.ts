/**
 * What has to change on a cluster so that its topics are those of `topics/topics.json`, and what each change would cost:
 * one that would lose data (shorter retention, another cleanup) or move keys is for an operator to confirm. Pure.
 */
import { networks } from "../../domain/Network.ts"
import {
  keepsNewest,
  namesOf,
  partitionsOf,
  type RetentionSettings,
  replicationOf,
  retentionOf
} from "../Topics.ts"

/** As a cluster has it, or should. Settings by Kafka's names for them. */
export interface TopicState {
  readonly name: string
  readonly partitions: number
  /** Copies of each partition; of the one with the fewest. */
  readonly replication: number
  readonly settings: Readonly<Record<string, string>>
}

/** `losing`: records would be gone, or stand out of order. `impossible`: not by this program. */
export type Risk = "none" | "losing" | "impossible"

export interface TopicChange {
  readonly kind: "create" | "partitions" | "replication" | "setting"
  readonly topic: TopicState
  /** The setting's name, where it is one. */
  readonly setting?: string
  readonly from?: string
  readonly to: string
  readonly risk: Risk
}

const RETENTION = "retention.ms"
const CLEANUP = "cleanup.policy"
const FOR_EVER = "-1"
/** Copies that must have a record before it counts as written: with Kafka's default of one it can die with its broker. */
const IN_SYNC = "min.insync.replicas"

/** Every topic the program uses, under the cluster's names. A partition has no more copies than there are brokers. */
export const wantedTopics = (
  prefix: string,
  settings: RetentionSettings,
  brokers: number
): ReadonlyArray<TopicState> =>
  namesOf(networks).map((topic) => {
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
              // Kafka cannot keep the newest record alone; a checkpoint's records are small.
              [RETENTION]: keepsNewest(topic) ? FOR_EVER : String(retentionMs)
            }),
        // One broker may be away and writing goes on.
        [IN_SYNC]: String(Math.max(1, replication - 1))
      }
    }
  })

const isShorter = (from: string | undefined, to: string): boolean =>
  to !== FOR_EVER && (from === FOR_EVER || Number(from) > Number(to))

/** More is the operator's choice; where there are too few copies, as many in sync would stop all writing. */
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

/** More copies than wanted are the operator's choice. */
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

/** In the order of `wanted`. */
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
            to: topic.partitions === 1 ? "1 partition" : `${topic.partitions} partitions`,
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
  if (kind === "replication") return "kafka-reassign-partitions makes the copies, this program does not"
  if (risk === "impossible") return "Kafka cannot take partitions away"
  if (kind === "partitions") return "keys would move, and their records stand out of order"
  return setting === CLEANUP && to === "compact"
    ? "all but the newest record of each key would be deleted"
    : "older records would be deleted"
}

/** What a change does to its topic, and its cost where it has one: a sentence without its full stop. */
export const sentenceOf = (change: TopicChange): string => {
  const { from = "unset", kind, risk, setting, to, topic } = change
  if (kind === "create") return `topic ${topic.name} is created with ${to}`
  const what = { partitions: "partitions", replication: "copies of each partition", setting }[kind]
  const stated = `topic ${topic.name}: ${what} ${from} → ${to}`
  return risk === "none" ? stated : `${stated}: ${costOf(change)}`
}
