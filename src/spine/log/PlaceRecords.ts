/** Gives each record of a transaction its partition and offset, including those of `appendThen`. Pure. */
import type { LogRecord, NewRecord, Partition, Position, Transaction } from "./Log.ts"
import { partitionOf } from "./Topics.ts"

export const partitionKey = (topic: string, partition: number): string => `${topic}/${partition}`

export const commitKey = (group: string, { topic, partition }: Partition): string =>
  `${group} ${partitionKey(topic, partition)}`

/** The records of each partition, in order; at least one. */
export type RecordsByPartition = Map<string, Array<LogRecord>>

export interface PlacedTransaction {
  readonly byPartition: RecordsByPartition
  /** The positions of `append`, in its order. */
  readonly positions: ReadonlyArray<Position>
}

/** `endOf` returns a partition's next offset. */
export const placeRecords = (
  transaction: Transaction,
  nowMs: number,
  endOf: (partition: Partition, key: string) => number
): PlacedTransaction => {
  const byPartition: RecordsByPartition = new Map()
  const place = ({ topic, key, value, headers = {}, timestamp = nowMs }: NewRecord): Position => {
    const partition = partitionOf(topic, key)
    const name = partitionKey(topic, partition)
    const before = byPartition.get(name)
    const last = before?.at(-1)
    const offset = last === undefined ? endOf({ topic, partition }, name) : last.offset + 1
    const record = { topic, partition, offset, key, value, headers, timestamp }
    if (before === undefined) byPartition.set(name, [record])
    else before.push(record)
    return record
  }
  const positions = transaction.append.map((record) => {
    const { topic, partition, offset } = place(record)
    return { topic, partition, offset }
  })
  for (const record of transaction.appendThen?.(positions) ?? []) place(record)
  return { byPartition, positions }
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
