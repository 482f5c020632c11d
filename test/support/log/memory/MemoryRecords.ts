/**
 * The records, commits and writers of a log in memory. One value of it is what a cluster is to its clients: it may
 * serve one client (MemoryLog.ts) or several (SharedLog.ts). A transaction lands in one step.
 */

import { randomUUID } from "node:crypto"
import { Clock, Effect } from "effect"
import { makeExclusive } from "../../../../src/spine/log/Exclusive.ts"
import { logLimits } from "../../../../src/spine/log/Limits.ts"
import type { Log, Transaction } from "../../../../src/spine/log/Log.ts"
import { commitKey, compacted, placeRecords } from "../../../../src/spine/log/PlaceRecords.ts"
import { awaitEnd, makeRecordLists, push, readFrom } from "../../../../src/spine/log/RecordList.ts"
import { keepsNewest, type RetentionSettings, retentionOf } from "../../../../src/spine/log/Topics.ts"

/** All of the log but `consume`. */
export type MemoryRecords = Omit<Log["Service"], "consume">

/** `markers`: a transaction takes one more offset in each partition that it writes to, as Kafka's markers do. */
export const makeMemoryRecords = (settings: RetentionSettings, markers = false): MemoryRecords => {
  const { lists, listOf } = makeRecordLists()
  const commits = new Map<string, number>()
  /** Another log under the same database is as if all topics were made again. */
  const topicId = randomUUID()

  const transaction = Effect.fnUntraced(function* (transaction: Transaction) {
    const now = yield* Clock.currentTimeMillis
    const { byPartition, positions } = placeRecords(transaction, now, (partition) => listOf(partition).end)
    const { commit } = transaction
    for (const position of commit?.positions ?? [])
      commits.set(commitKey(commit!.group, position), position.offset)
    for (const [key, records] of byPartition) {
      const list = lists.get(key)!
      push(list, records)
      if (markers) list.end++
    }
    return positions
  })

  const applyRetention = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const list of lists.values()) {
      const { records, topic } = list
      const retentionMs = retentionOf(topic, settings)
      if (retentionMs === null) {
        records.splice(0, records.length, ...compacted(records, now - logLimits.tombstoneKeptMs))
      } else {
        const kept = records.findIndex((record) => record.timestamp >= now - retentionMs)
        const all = records.length - (keepsNewest(topic) ? 1 : 0)
        const last = records.splice(0, Math.max(0, kept === -1 ? all : kept)).at(-1)
        if (last !== undefined) list.start = last.offset + 1
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
      Effect.sync(() => {
        const { end, start } = listOf(partition)
        return { end, start }
      }),
    committed: (group, partition) => Effect.sync(() => commits.get(commitKey(group, partition)) ?? 0),
    last: (partition) => Effect.sync(() => listOf(partition).records.at(-1)),
    topicIds: (topics) => Effect.succeed(new Map(topics.map((topic) => [topic, topicId]))),
    hasMemberBefore: () => Effect.succeed(false),
    applyRetention
  }
}
