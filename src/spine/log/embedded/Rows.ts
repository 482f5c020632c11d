/**
 * The row format of the embedded log. A row contains consecutive records of one partition, as JSON compressed with
 * zstd. Its size is bounded. This program compresses the rows itself, because PostgreSQL's compression is slower and
 * saves less. Pure: Tables.ts writes and reads the rows.
 */

import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { Limits } from "../../config/Limits.ts"
import { logLimits } from "../Limits.ts"
import type { LogRecord, Partition } from "../Log.ts"

/** The fastest level: higher ones make the rows only a little smaller. */
const PACKING = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** A record inside a row. Empty headers are left out. */
type StoredRecord = readonly [
  key: string,
  value: string | null,
  timestamp: number,
  headers?: Readonly<Record<string, string>>
]

const stored = ({ key, value, timestamp, headers }: LogRecord): StoredRecord => {
  for (const _ in headers) return [key, value, timestamp, headers]
  return [key, value, timestamp]
}

export interface LogRow extends Partition {
  readonly base: number
  readonly last: number
  readonly records: Uint8Array
}

/** Packs consecutive records of one partition into rows. */
export const rowsOf = (records: ReadonlyArray<LogRecord>): ReadonlyArray<LogRow> => {
  const rows: Array<LogRow> = []
  let batch: Array<LogRecord> = []
  let size = 0
  const close = () => {
    const [first, last] = [batch[0], batch.at(-1)]
    if (first === undefined || last === undefined) return
    const { topic, partition, offset: base } = first
    const packed = zstdCompressSync(JSON.stringify(batch.map(stored)), PACKING)
    rows.push({ topic, partition, base, last: last.offset, records: packed })
    batch = []
    size = 0
  }
  for (const record of records) {
    batch.push(record)
    size += record.value?.length ?? 0
    if (batch.length >= Limits.logReadRecords || size >= logLimits.logBatchBytes) close()
  }
  close()
  return rows
}

/** The row's records at offset `from` or later. */
export const recordsOf = (
  { topic, partition }: Partition,
  base: number,
  packed: Uint8Array,
  from: number
): ReadonlyArray<LogRecord> => {
  // Written by `rowsOf` in this shape.
  const all = JSON.parse(zstdDecompressSync(packed).toString()) as ReadonlyArray<StoredRecord>
  const skipped = Math.max(0, from - base)
  return all.slice(skipped).map(([key, value, timestamp, headers = {}], index) => ({
    topic,
    partition,
    offset: base + skipped + index,
    key,
    value,
    headers,
    timestamp
  }))
}
