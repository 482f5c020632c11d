/**
 * Converts the batches of a fetch answer into records, of committed transactions only. A broker also returns aborted
 * records, with a list of the aborted transactions. Control batches are transaction markers, not records. Pure.
 */
import type { fetchV17, KafkaRecord, RecordsBatch } from "@platformatic/kafka"
import type { LogRecord, Partition } from "../Log.ts"
import { isForeign } from "./ForeignHeaders.ts"
import { decodeValue, schemaIdIn } from "./WireFormat.ts"

const IS_TRANSACTIONAL = 0b1_0000
const IS_CONTROL = 0b10_0000
/** Type of the control record that ends an aborted transaction; its key is a version and a type, 16 bits each. */
const ABORT = 0

const isAbortMarker = ({ attributes, records }: RecordsBatch): boolean =>
  (attributes & IS_CONTROL) !== 0 && records[0]?.key?.readInt16BE(2) === ABORT

const headersOf = ({ headers }: KafkaRecord): Readonly<Record<string, string>> => {
  const own: Record<string, string> = {}
  for (const [key, value] of headers) {
    const name = String(key ?? "")
    if (!isForeign(name)) own[name] = String(value ?? "")
  }
  return own
}

export interface FetchedRecords {
  /** In order, from the asked offset on. */
  readonly records: ReadonlyArray<LogRecord>
  /** The offset to continue at: after the last batch of the answer. */
  readonly next: number
  /** Size of all batches, as stored on the cluster. */
  readonly bytes: number
}

/** The committed records of an answer, from offset `from` on. */
export const committedRecords = (
  { topic, partition }: Partition,
  from: number,
  answer: fetchV17.FetchResponsePartition
): FetchedRecords => {
  const records: Array<LogRecord> = []
  const pending = [...(answer.abortedTransactions ?? [])].sort((a, b) =>
    Number(a.firstOffset - b.firstOffset)
  )
  const aborted = new Set<bigint>()
  let next = from
  let bytes = 0
  for (const batch of answer.records ?? []) {
    const last = batch.firstOffset + BigInt(batch.lastOffsetDelta)
    next = Math.max(next, Number(last) + 1)
    bytes += batch.length
    while (pending[0] !== undefined && pending[0].firstOffset <= last)
      aborted.add(pending.shift()!.producerId)
    if ((batch.attributes & IS_CONTROL) !== 0) {
      if (isAbortMarker(batch)) aborted.delete(batch.producerId)
      continue
    }
    if ((batch.attributes & IS_TRANSACTIONAL) !== 0 && aborted.has(batch.producerId)) continue
    for (const record of batch.records) {
      const offset = Number(batch.firstOffset) + record.offsetDelta
      if (offset < from) continue
      const schemaId = record.value === null ? undefined : schemaIdIn(record.value)
      records.push({
        ...(schemaId === undefined ? {} : { schemaId }),
        topic,
        partition,
        offset,
        key: String(record.key ?? ""),
        value: record.value === null ? null : decodeValue(record.value),
        headers: headersOf(record),
        timestamp: Number(batch.firstTimestamp + record.timestampDelta)
      })
    }
  }
  return { records, next, bytes }
}
