/**
 * Records of one partition in memory, in the order of their offsets, with a latch for readers that wait for more. The
 * memory log keeps all its records here, the embedded log only the newest.
 */
import { Effect, Latch } from "effect"
import type { LogRecord } from "./EventLog.ts"

export interface RecordList {
  readonly records: Array<LogRecord>
  /** Characters of the values in `records`. */
  size: number
  /** Offset of the next append. */
  end: number
  /** Opened and replaced at each append. */
  grew: Latch.Latch
}

export const makeRecordList = (end: number): RecordList => ({
  records: [],
  size: 0,
  end,
  grew: Latch.makeUnsafe()
})

export const push = (list: RecordList, records: ReadonlyArray<LogRecord>): void => {
  for (const record of records) {
    list.records.push(record)
    list.size += record.value?.length ?? 0
  }
  const last = records.at(-1)
  if (last === undefined) return
  list.end = last.offset + 1
  const waiting = list.grew
  list.grew = Latch.makeUnsafe()
  waiting.openUnsafe()
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
export const indexAt = (list: RecordList, offset: number): number => {
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
