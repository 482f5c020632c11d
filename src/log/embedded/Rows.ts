/**
 * The form in which the embedded log keeps records: a row is a batch of one partition's records with dense offsets, of
 * bounded size, as JSON packed with zstd (here, since PostgreSQL's own compression takes several times as long and
 * shrinks less). Pure; log/embedded/Tables.ts writes and reads the rows.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { Limits } from "../../config/Limits.ts"
import type { LogRecord, Partition } from "../EventLog.ts"

/** Level 1 packs some 1 GB/s of events; higher ones gain a few per cent. */
const PACKING = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** A record inside a row; headers are left out when there are none. */
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

export interface BatchRow extends Partition {
  readonly base: number
  readonly last: number
  /** The newest timestamp of the partition up to this row's end: it never falls, so that a search by time can halve. */
  readonly newest: number
  readonly records: Uint8Array
}

/** One partition's records (dense, in order) as rows; `newest` is the newest timestamp before them. */
export const rowsOf = (records: ReadonlyArray<LogRecord>, newest: number): ReadonlyArray<BatchRow> => {
  const rows: Array<BatchRow> = []
  let batch: Array<LogRecord> = []
  let size = 0
  let soFar = newest
  const close = () => {
    const [first, last] = [batch[0], batch.at(-1)]
    if (first === undefined || last === undefined) return
    const { topic, partition, offset: base } = first
    const packed = zstdCompressSync(JSON.stringify(batch.map(stored)), PACKING)
    rows.push({ topic, partition, base, last: last.offset, newest: soFar, records: packed })
    batch = []
    size = 0
  }
  for (const record of records) {
    batch.push(record)
    size += record.value?.length ?? 0
    soFar = Math.max(soFar, record.timestamp)
    if (batch.length >= Limits.embeddedLogRowRecords || size >= Limits.embeddedLogRowBytes) close()
  }
  close()
  return rows
}

/** The row's records at `from` or beyond. */
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
