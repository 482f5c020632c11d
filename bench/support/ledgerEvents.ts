/** The events of a made ledger, as ingest puts them into the log. */
import { detectLedger } from "../../src/spine/detect/Detect.ts"
import type { LedgerEvent } from "../../src/spine/event/LedgerEvent.ts"
import { normaliseLedger } from "../../src/spine/event/NormaliseLedger.ts"
import { NETWORK } from "./webhooks.ts"

/** `result`: of a server's answer to a `ledger` request. */
export const eventsOf = (result: unknown, detectedAt: number): ReadonlyArray<LedgerEvent> => {
  const normalised = normaliseLedger(result)
  if (normalised === undefined) throw new Error("the answer holds no ledger")
  return detectLedger(normalised.ledger).events.map((event, position) => ({
    ...event,
    timestamp: event.timestamp ?? "",
    network: NETWORK,
    position,
    detected_at: detectedAt
  }))
}
