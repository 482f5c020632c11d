/**
 * Gives each record of a transaction its partition and offset, including those of `appendThen`. It calls `moveEnd`
 * for each record. If the write can still fail, the caller must apply the new ends only after it has succeeded.
 */
import type { LogRecord, NewRecord, Position, Transaction } from "./EventLog.ts"
import { partitionOf } from "./Topics.ts"

export const partitionKey = (topic: string, partition: number): string => `${topic}/${partition}`

export interface PlacedTransaction {
  readonly records: ReadonlyArray<LogRecord>
  /** The positions of `append`, in its order. */
  readonly positions: ReadonlyArray<Position>
}

/** `endOf` returns a partition's next offset, and `moveEnd` sets it. */
export const placeRecords = (
  transaction: Transaction,
  nowMs: number,
  endOf: (topic: string, partition: number) => number,
  moveEnd: (topic: string, partition: number, end: number) => void
): PlacedTransaction => {
  const place = (record: NewRecord): LogRecord => {
    const partition = partitionOf(record.topic, record.key)
    const offset = endOf(record.topic, partition)
    moveEnd(record.topic, partition, offset + 1)
    return {
      topic: record.topic,
      partition,
      offset,
      key: record.key,
      value: record.value,
      headers: record.headers ?? {},
      timestamp: record.timestamp ?? nowMs
    }
  }
  const first = transaction.append.map(place)
  const positions = first.map(({ topic, partition, offset }): Position => ({ topic, partition, offset }))
  const then = transaction.appendThen?.(positions) ?? []
  return { records: then.length === 0 ? first : first.concat(then.map(place)), positions }
}

/** Records by partition, each group in order. */
export const byPartition = (
  records: ReadonlyArray<LogRecord>
): ReadonlyMap<string, ReadonlyArray<LogRecord>> => {
  const groups = new Map<string, Array<LogRecord>>()
  for (const record of records) {
    const key = partitionKey(record.topic, record.partition)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [record])
    else group.push(record)
  }
  return groups
}

/** Compacts one partition: keeps the newest record of each key, and tombstones from `tombstonesFromMs` on. */
export const compacted = (
  records: ReadonlyArray<LogRecord>,
  tombstonesFromMs: number
): ReadonlyArray<LogRecord> => {
  const newest = new Map(records.map((record) => [record.key, record.offset]))
  return records.filter(
    ({ key, offset, value, timestamp }) =>
      newest.get(key) === offset && (value !== null || timestamp >= tombstonesFromMs)
  )
}
