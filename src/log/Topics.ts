/**
 * The topics as data: what `topics/topics.json` says of a name, and which partition a key belongs to. Both adapters
 * read it. A name that no entry covers is a mistake in the program and dies naming itself.
 */
import entries from "../../topics/topics.json" with { type: "json" }
import { parseDuration } from "../config/Values.ts"

/** Retentions that a setting decides are written as its name. */
export interface RetentionSettings {
  readonly retentionEventsMs: number
}

interface TopicEntry {
  readonly pattern: RegExp
  readonly partitions: number
  readonly replication: number
  readonly retention: string | null
  readonly keepsNewest: boolean
  readonly schema: string | null
}

/** `xrpl.<network>.events`: a placeholder stands for one segment. */
const patternOf = (name: string): RegExp =>
  new RegExp(`^${name.replaceAll(".", "\\.").replace(/<[a-z]+>/g, "[a-z0-9]+")}$`)

const topics: ReadonlyArray<TopicEntry> = entries.map(
  ({ keeps_newest, name, partitions, replication, retention, schema }) => ({
    pattern: patternOf(name),
    partitions,
    replication,
    retention,
    keepsNewest: keeps_newest,
    schema
  })
)

const known = new Map<string, TopicEntry>()

const entryOf = (topic: string): TopicEntry => {
  let entry = known.get(topic)
  if (entry === undefined) {
    entry = topics.find(({ pattern }) => pattern.test(topic))
    if (entry === undefined) throw new Error(`topic ${topic} is not in topics/topics.json`)
    known.set(topic, entry)
  }
  return entry
}

/** How a topic forgets: within days, by the retention of events, or record by record as keys are superseded. */
export type TopicKind = "work" | "history" | "compacted"

const kindOfEntry = ({ retention }: TopicEntry): TopicKind =>
  retention === null ? "compacted" : retention === "RETENTION_EVENTS" ? "history" : "work"

const retentionOfEntry = ({ retention, pattern }: TopicEntry, settings: RetentionSettings): number | null => {
  if (retention === null) return null
  if (retention === "RETENTION_EVENTS") return settings.retentionEventsMs
  const ms = parseDuration(retention)
  if (ms === undefined)
    throw new Error(`retention ${retention} of the topics ${pattern.source} is no duration`)
  return ms
}

/** Attempts that may wait: `webhooks.delay.2` … `.10`. */
const DELAYED_ATTEMPTS = Array.from({ length: 9 }, (_, i) => i + 2)

/** The names of all topics, with the placeholders filled in. */
export const namesOf = (networks: ReadonlyArray<string>): ReadonlyArray<string> =>
  entries.flatMap(({ name }) =>
    name.includes("<network>")
      ? networks.map((network) => name.replace("<network>", network))
      : name.includes("<attempt>")
        ? DELAYED_ATTEMPTS.map((attempt) => name.replace("<attempt>", String(attempt)))
        : [name]
  )

export const kindOf = (topic: string): TopicKind => kindOfEntry(entryOf(topic))

export const partitionsOf = (topic: string): number => entryOf(topic).partitions

/** Copies of each partition, where a cluster has as many brokers. */
export const replicationOf = (topic: string): number => entryOf(topic).replication

/** The published schema of the topic's values, as its path; null for a topic that is the program's own. */
export const schemaOf = (topic: string): string | null => entryOf(topic).schema

/** Whether the newest record of each partition outlives the topic's retention: a checkpoint that must not be lost. */
export const keepsNewest = (topic: string): boolean => entryOf(topic).keepsNewest

/** How long the topic keeps records, in milliseconds; null for a compacted one. */
export const retentionOf = (topic: string, settings: RetentionSettings): number | null =>
  retentionOfEntry(entryOf(topic), settings)

/** The longest that a topic of this kind keeps records, in milliseconds. */
export const longestRetention = (kind: TopicKind, settings: RetentionSettings): number =>
  Math.max(
    ...topics
      .filter((entry) => kindOfEntry(entry) === kind)
      .map((entry) => retentionOfEntry(entry, settings) ?? 0)
  )

/** MurmurHash2, as the default partitioner of Kafka's clients has it: the same key lands in the same partition there. */
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
