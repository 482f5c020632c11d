/**
 * The records, commits and writers of a log in memory. One value of it is what a cluster is to its clients: it may
 * serve one client (MemoryEventLog.ts) or several (SharedEventLog.ts). A transaction lands in one step.
 */
import { Clock, Effect } from "effect"
import { Limits } from "../../config/Limits.ts"
import type { EventLog, Partition, Transaction } from "../EventLog.ts"
import { makeExclusive } from "../Exclusive.ts"
import { byPartition, compacted, partitionKey, placeRecords } from "../PlaceRecords.ts"
import { awaitEnd, makeRecordList, push, type RecordList, readFrom } from "../RecordList.ts"
import { keepsNewest, partitionsOf, type RetentionSettings, retentionOf } from "../Topics.ts"

/** All of the log but `consume`. */
export type MemoryRecords = Omit<EventLog["Service"], "consume">

/** `markers`: a transaction takes one more offset in each partition that it writes to, as Kafka's markers do. */
export const makeMemoryRecords = (settings: RetentionSettings, markers = false): MemoryRecords => {
  const lists = new Map<string, RecordList>()
  const starts = new Map<string, number>()
  const commits = new Map<string, number>()
  const commitKey = (group: string, { topic, partition }: Partition) =>
    `${group} ${partitionKey(topic, partition)}`

  const listOf = ({ topic, partition }: Partition): RecordList => {
    const key = partitionKey(topic, partition)
    let list = lists.get(key)
    if (list === undefined) {
      if (partition >= partitionsOf(topic)) throw new Error(`topic ${topic} has no partition ${partition}`)
      list = makeRecordList(0)
      lists.set(key, list)
    }
    return list
  }

  const transaction = Effect.fnUntraced(function* (transaction: Transaction) {
    const now = yield* Clock.currentTimeMillis
    const ends = new Map<string, number>()
    const { records, positions } = placeRecords(
      transaction,
      now,
      (topic, partition) => ends.get(partitionKey(topic, partition)) ?? listOf({ topic, partition }).end,
      (topic, partition, end) => void ends.set(partitionKey(topic, partition), end)
    )
    const { commit } = transaction
    for (const position of commit?.positions ?? [])
      commits.set(commitKey(commit!.group, position), position.offset)
    for (const [key, group] of byPartition(records)) {
      const list = lists.get(key)!
      push(list, group)
      if (markers) list.end++
    }
    return positions
  })

  const applyRetention = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const [key, list] of lists) {
      const topic = key.slice(0, key.lastIndexOf("/"))
      const retentionMs = retentionOf(topic, settings)
      if (retentionMs === null) {
        list.records.splice(0, list.records.length, ...compacted(list.records, now - Limits.tombstoneKeptMs))
      } else {
        const kept = list.records.findIndex((record) => record.timestamp >= now - retentionMs)
        const all = list.records.length - (keepsNewest(topic) ? 1 : 0)
        const dropped = list.records.splice(0, Math.max(0, kept === -1 ? all : kept))
        const last = dropped.at(-1)
        if (last !== undefined) starts.set(key, last.offset + 1)
      }
    }
  })

  return {
    transaction,
    exclusive: makeExclusive({ transaction }),
    reachable: Effect.void,
    read: (from, max) => Effect.sync(() => readFrom(listOf(from), from.offset, max)),
    awaitOffset: (position) => Effect.suspend(() => awaitEnd(listOf(position), position.offset)),
    offsets: (partition) =>
      Effect.sync(() => ({
        start: starts.get(partitionKey(partition.topic, partition.partition)) ?? 0,
        end: listOf(partition).end
      })),
    committed: (group, partition) => Effect.sync(() => commits.get(commitKey(group, partition)) ?? 0),
    last: (partition) => Effect.sync(() => listOf(partition).records.at(-1)),
    hasOlderMember: () => Effect.succeed(false),
    applyRetention
  }
}
