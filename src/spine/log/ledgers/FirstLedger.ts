/**
 * Finds the service's first ledger: the oldest one that ingest has taken and whose marker and events are all still in
 * the log. Older ledgers belong to history. Simulated ledgers do not count, because they belong to another chain.
 */
import { Effect } from "effect"
import { eventsTopic, type LedgerMarker, parseLedgerEvent } from "../../event/LedgerEvent.ts"
import type { Network } from "../../event/Network.ts"
import type { LogError, LogReader } from "../Log.ts"
import { findInRange, ledgerRanges, type NotAMarker } from "./LedgerMarkers.ts"

export const firstLedger = Effect.fnUntraced(function* (
  log: LogReader["Service"],
  network: Network
): Effect.fn.Return<LedgerMarker | undefined, LogError | NotAMarker> {
  const ranges = (yield* ledgerRanges(log, network)).filter(({ first }) => first.marker.simulated !== true)
  const first = ranges[0]?.first.marker
  const events = { topic: eventsTopic(network), partition: 0 }
  const { start } = yield* log.offsets(events)
  if (first === undefined || start === 0) return first
  // Retention may have dropped the events of a ledger whose marker is still there.
  const [record] = yield* log.read({ ...events, offset: start }, 1)
  const oldest = parseLedgerEvent(record?.value ?? null)
  if (oldest === undefined || oldest.ledger_index <= first.ledger_index) return first
  // If the oldest event is not the first of its ledger, the earlier ones were dropped.
  const whole = oldest.position === 0 ? oldest.ledger_index : oldest.ledger_index + 1
  for (const range of ranges) {
    const found = yield* findInRange(log, network, range, whole)
    if (found !== undefined) return found.marker
  }
  return first
})
