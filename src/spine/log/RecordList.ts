/**
 * Records of each partition in memory, in the order of their offsets, with a latch for readers that wait for more. The
 * memory log keeps all its records here, the embedded log only the newest.
 */
import { Effect, Latch } from "effect"
import type { LogRecord, Partition } from "./Log.ts"
import { partitionKey } from "./PlaceRecords.ts"
import { partitionsOf } from "./Topics.ts"

export interface RecordList {
  readonly topic: string
  readonly records: Array<LogRecord>
  /** Characters of the values in `records`. */
  size: number
  /** The first offset that is kept. */
  start: number
  /** Offset of the next append. */
  end: number
  /** Opened and replaced when `end` has changed. */
  grew: Latch.Latch
}

export const makeRecordList = (topic: string): RecordList => ({
  topic,
  records: [],
  size: 0,
  start: 0,
  end: 0,
  grew: Latch.makeUnsafe()
})

/** The list of each partition, which is made when it is first asked for. */
export const makeRecordLists = () => {
  const lists = new Map<string, RecordList>()
  const listOf = ({ topic, partition }: Partition): RecordList => {
    const key = partitionKey(topic, partition)
    let list = lists.get(key)
    if (list === undefined) {
      if (partition >= partitionsOf(topic)) throw new Error(`topic ${topic} has no partition ${partition}`)
      list = makeRecordList(topic)
      lists.set(key, list)
    }
    return list
  }
  return { lists, listOf }
}

/** Lets waiting readers see the new end. */
export const wake = (list: RecordList): void => {
  const waiting = list.grew
  list.grew = Latch.makeUnsafe()
  waiting.openUnsafe()
}

/** Adds records, of which there is at least one. */
export const push = (list: RecordList, records: ReadonlyArray<LogRecord>): void => {
  for (const record of records) {
    list.records.push(record)
    list.size += record.value?.length ?? 0
  }
  list.end = records.at(-1)!.offset + 1
  wake(list)
}

/** Drops the oldest records down to the limits, once a limit is exceeded by half: each drop copies the array. */
export const trim = (list: RecordList, maxRecords: number, maxSize: number): void => {
  const { records } = list
  if (records.length <= 1.5 * maxRecords && list.size <= 1.5 * maxSize) return
  let drop = 0
  while (records.length - drop > maxRecords || list.size > maxSize)
    list.size -= records[drop++]!.value?.length ?? 0
  records.splice(0, drop)
}

/** Index of the first record at `offset` or later. */
const indexAt = (list: RecordList, offset: number): number => {
  let low = 0
  let high = list.records.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (list.records[middle]!.offset < offset) low = middle + 1
    else high = middle
  }
  return low
}

export const readFrom = (list: RecordList, offset: number, max: number): ReadonlyArray<LogRecord> => {
  const from = indexAt(list, offset)
  return list.records.slice(from, from + max)
}

/** Waits until the partition's end is beyond `offset`. The record itself may be gone by then. */
export const awaitEnd = (list: RecordList, offset: number): Effect.Effect<void> =>
  Effect.suspend(() =>
    list.end > offset ? Effect.void : Effect.flatMap(Latch.await(list.grew), () => awaitEnd(list, offset))
  )
