/** Markers of made-up ledgers, written to a log without ingest. */
import { Effect } from "effect"
import { isoTime } from "../../../src/spine/event/Ledger.ts"
import { type LedgerMarker, ledgersTopic } from "../../../src/spine/event/LedgerEvent.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import { Log, type LogReader, type LogRecord, type NewRecord } from "../../../src/spine/log/Log.ts"
import { chain } from "./chain.ts"

export const markers = (from: number, to: number, name?: string): ReadonlyArray<LedgerMarker> =>
  chain(from, to, name === undefined ? {} : { name }).map((ledger) => ({
    ledger_index: ledger.ledger_index,
    ledger_hash: ledger.ledger_hash,
    parent_hash: ledger.parent_hash,
    close_time: isoTime(ledger.close_time),
    transaction_count: ledger.transactions.length,
    event_count: 0,
    first_event_offset: null,
    detected_at: 1_700_000_000_000 + ledger.ledger_index
  }))

export const markerRecords = (
  network: Network,
  all: ReadonlyArray<LedgerMarker>,
  timestamp?: number
): ReadonlyArray<NewRecord> =>
  all.map((marker) => ({
    topic: ledgersTopic(network),
    key: network,
    value: JSON.stringify(marker),
    ...(timestamp === undefined ? {} : { timestamp })
  }))

export const appendMarkers = Effect.fnUntraced(function* (
  network: Network,
  all: ReadonlyArray<LedgerMarker>,
  timestamp?: number
) {
  const log = yield* Log
  yield* log.transaction({ append: markerRecords(network, all, timestamp) })
})

/** A log with these markers. The nth marker is at `offsetOf(n)`. */
export const logOf = (all: ReadonlyArray<LedgerMarker>, offsetOf: (n: number) => number = (n) => n) => {
  const records = all.map(
    (marker, n): LogRecord => ({
      topic: "xrpl.mainnet.ledgers",
      partition: 0,
      offset: offsetOf(n),
      key: "mainnet",
      value: JSON.stringify(marker),
      headers: {},
      timestamp: 0
    })
  )
  let reads = 0
  const reader: LogReader["Service"] = {
    read: ({ offset }, max) =>
      Effect.sync(() => {
        reads++
        const from = records.findIndex((record) => record.offset >= offset)
        return from === -1 ? [] : records.slice(from, from + max)
      }),
    last: () => Effect.sync(() => records.at(-1)),
    offsets: () =>
      Effect.sync(() => ({ start: records[0]?.offset ?? 0, end: (records.at(-1)?.offset ?? -1) + 1 })),
    committed: () => Effect.succeed(0)
  }
  return { reader, reads: () => reads }
}

/** Markers as ingest writes them: each range is a chain without a gap, taken after the range before it. */
export const taken = (...ranges: ReadonlyArray<ReadonlyArray<LedgerMarker>>): ReadonlyArray<LedgerMarker> => {
  let detected_at = 1_800_000_000_000
  return ranges.flatMap((range) => {
    const range_since = detected_at + 4
    return range.map((marker) => {
      detected_at += 4
      return { ...marker, detected_at, range_since }
    })
  })
}
