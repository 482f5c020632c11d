/**
 * What the log holds and the event log's tables may not hold yet, since the events stage comes behind: who counts or
 * looks up in the tables asks here from where on they say too little.
 */
import { Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { parseIsoTime } from "../domain/IsoTime.ts"
import { EVENT_LOG_GROUP, eventsTopic, parseLedgerEvent } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import { matching, type ReplayFilters } from "../domain/Replay.ts"
import type { EventLogReader, LogRecord } from "../log/EventLog.ts"

type Reader = EventLogReader["Service"]

/** The first event that may be missing in the tables; undefined when none is. */
export const firstUnindexed = Effect.fnUntraced(function* (log: Reader, network: Network) {
  const partition = { topic: eventsTopic(network), partition: 0 }
  const offset = yield* log.committed(EVENT_LOG_GROUP, partition)
  // Read, and not told by the partition's end: Kafka counts its transactions' markers too.
  const [record] = yield* log.read({ ...partition, offset }, 1)
  return record
})

/**
 * How many events the filters mean from the ledger on to which `first` belongs, and when that ledger closed, in Unix
 * seconds: tables know all of before. Of very many events the first are counted and the others taken to be like them.
 */
export const countUnindexed = Effect.fnUntraced(function* (
  log: Reader,
  { offset, topic, value }: LogRecord,
  filters: ReplayFilters
) {
  const wanted = matching(filters)
  const first = parseLedgerEvent(value)
  // A ledger's events stand side by side. What is no event is passed over by the events stage too.
  const start = offset - (first?.position ?? 0)
  const { end } = yield* log.offsets({ topic, partition: 0 })
  let [next, looked, found] = [start, 0, 0]
  while (next < end && looked < Limits.replayUnindexedRecords) {
    const records = yield* log.read({ topic, partition: 0, offset: next }, Limits.replayReadRecords)
    if (records.length === 0) next = end
    for (const record of records) {
      const event = parseLedgerEvent(record.value)
      if (event !== undefined && wanted(event)) found++
      next = record.offset + 1
    }
    looked += records.length
  }
  const closedAt = parseIsoTime(first?.timestamp ?? "")
  return {
    events: Math.round((found * (end - start)) / (next - start)),
    closedAt: closedAt === undefined ? Number.POSITIVE_INFINITY : closedAt / 1_000
  }
})
