/**
 * Looks topics up in `topics/topics.json`, and computes the partition of a key. All adapters use it. A topic that is
 * not in the file is a bug, so these functions throw an error that names it.
 */
import entries from "../../../topics/topics.json" with { type: "json" }
import { parseDuration } from "../config/Values.ts"

/** Retentions that come from a setting. In the file they are written as its name, `RETENTION_EVENTS`. */
export interface RetentionSettings {
  readonly retentionEventsMs: number
  readonly retentionTransactionsMs: number
}

/** Which topics there are depends on it. */
export interface TopicSettings extends RetentionSettings {
  readonly rawTransactions: boolean
}

/**
 * `work`: a fixed retention. `history`: the retention of events. `transactions`: one of its own. `compacted`: keeps the
 * newest record of each key.
 */
export type TopicKind = "work" | "history" | "transactions" | "compacted"

/** In `xrpl.<network>.events`, the placeholder matches one segment. */
const patternOf = (name: string): RegExp =>
  new RegExp(`^${name.replaceAll(".", "\\.").replace(/<[a-z]+>/g, "[a-z0-9]+")}$`)

const settingKinds: Readonly<Record<string, TopicKind>> = {
  RETENTION_EVENTS: "history",
  RETENTION_TRANSACTIONS: "transactions"
}

const kindWith = (retention: string | null): TopicKind =>
  retention === null ? "compacted" : (settingKinds[retention] ?? "work")

const topics = entries.map((entry) => ({
  ...entry,
  pattern: patternOf(entry.name),
  kind: kindWith(entry.retention),
  /** Undefined unless it is fixed. */
  fixedRetentionMs: parseDuration(entry.retention ?? "")
}))

const known = new Map<string, (typeof topics)[number]>()

const entryOf = (topic: string) => {
  let entry = known.get(topic)
  if (entry === undefined) {
    entry = topics.find(({ pattern }) => pattern.test(topic))
    if (entry === undefined) throw new Error(`topic ${topic} is not in topics/topics.json`)
    known.set(topic, entry)
  }
  return entry
}

/** The attempts that have a delay topic: `webhooks.delay.2` … `.10`. */
const DELAYED_ATTEMPTS = Array.from({ length: 9 }, (_, i) => i + 2)

/** The names of all topics, or of those of some entries, with the placeholders filled in. */
export const namesOf = (
  networks: ReadonlyArray<string>,
  of: ReadonlyArray<{ readonly name: string }> = entries
): ReadonlyArray<string> =>
  of.flatMap(({ name }) =>
    name.includes("<network>")
      ? networks.map((network) => name.replace("<network>", network))
      : name.includes("<attempt>")
        ? DELAYED_ATTEMPTS.map((attempt) => name.replace("<attempt>", String(attempt)))
        : [name]
  )

/** The topics that a service with these settings uses: without RAW_TRANSACTIONS, none of transactions. */
export const usedTopics = (
  networks: ReadonlyArray<string>,
  { rawTransactions }: Pick<TopicSettings, "rawTransactions">
): ReadonlyArray<string> =>
  namesOf(networks).filter((topic) => rawTransactions || kindOf(topic) !== "transactions")

/** A topic that data teams may read. */
export interface PublicTopic {
  /** With the placeholder `<network>`. */
  readonly name: string
  readonly partitions: number
  readonly replication: number
  /** Path of the published schema of the values. */
  readonly schema: string
  readonly meaning: string
}

export const publicTopics = (): ReadonlyArray<PublicTopic> =>
  entries.flatMap(({ name, partitions, replication, schema, meaning }) =>
    schema === null ? [] : [{ name, partitions, replication, schema, meaning }]
  )

export const kindOf = (topic: string): TopicKind => entryOf(topic).kind

export const partitionsOf = (topic: string): number => entryOf(topic).partitions

/** Copies of each partition, if the cluster has that many brokers. */
export const replicationOf = (topic: string): number => entryOf(topic).replication

/** Path of the published schema of the topic's values; null for an internal topic. */
export const schemaOf = (topic: string): string | null => entryOf(topic).schema

/** Whether retention never drops the newest record of a partition, because it is a checkpoint. */
export const keepsNewest = (topic: string): boolean => entryOf(topic).keeps_newest

/** How long topics of this kind keep records, in milliseconds, or the longest time if they differ. */
export const longestRetention = (
  kind: Exclude<TopicKind, "compacted">,
  { retentionEventsMs, retentionTransactionsMs }: RetentionSettings
): number =>
  ({
    history: retentionEventsMs,
    transactions: retentionTransactionsMs,
    work: Math.max(...topics.map(({ fixedRetentionMs = 0 }) => fixedRetentionMs))
  })[kind]

/** How long the topic keeps records, in milliseconds; null for a compacted one. */
export const retentionOf = (topic: string, settings: RetentionSettings): number | null => {
  const { kind, fixedRetentionMs } = entryOf(topic)
  return kind === "compacted" ? null : (fixedRetentionMs ?? longestRetention(kind, settings))
}

/** MurmurHash2 as in the default partitioner of Kafka's Java client, so both choose the same partition for a key. */
export const murmur2 = (data: Uint8Array): number => {
  const M = 0x5bd1e995
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  let hash = 0x9747b28c ^ data.length
  const whole = data.length - (data.length % 4)
  for (let i = 0; i < whole; i += 4) {
    let word = Math.imul(view.getInt32(i, true), M)
    word ^= word >>> 24
    hash = Math.imul(hash, M) ^ Math.imul(word, M)
  }
  for (let i = data.length - 1; i >= whole; i--) hash ^= data[i]! << (8 * (i - whole))
  if (whole < data.length) hash = Math.imul(hash, M)
  hash ^= hash >>> 13
  hash = Math.imul(hash, M)
  return hash ^ (hash >>> 15)
}

const encoder = new TextEncoder()

export const partitionOf = (topic: string, key: string): number => {
  const partitions = partitionsOf(topic)
  return partitions === 1 ? 0 : (murmur2(encoder.encode(key)) & 0x7fffffff) % partitions
}
