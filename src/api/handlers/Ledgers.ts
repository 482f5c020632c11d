/**
 * `/v1/ledgers/coverage`. The processed ranges are read from the log. The network's newest ledger comes from the health
 * of the stage `ingest`; if that stage runs in another process, `head` and `catching_up` are null.
 */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Settings, watchedNetworks } from "../../config/Config.ts"
import { type LedgerRange, ledgerRanges } from "../../coverage/LedgerMarkers.ts"
import { iso } from "../../domain/IsoTime.ts"
import type { LedgerMarker } from "../../domain/LedgerEvent.ts"
import { type Network, networksOf } from "../../domain/Network.ts"
import { EventLog } from "../../log/EventLog.ts"
import { Health, ledgerPart, type PartHealth } from "../../observability/Health.ts"
import { SkippedLedgers } from "../../storage/events/SkippedLedgers.ts"
import { Api } from "../Contract.ts"
import { Caller } from "../contract/Common.ts"
import type { NetworkCoverage } from "../contract/Ledgers.ts"
import { orUnavailable } from "../Failures.ts"

const refOf = ({ ledger_index, ledger_hash, close_time }: LedgerMarker) => ({
  ledger_index,
  ledger_hash,
  close_time
})

const rangeOf = ({ first, last }: LedgerRange) => ({
  first: refOf(first.marker),
  last: refOf(last.marker),
  ledgers: last.marker.ledger_index - first.marker.ledger_index + 1,
  simulated: first.marker.simulated === true
})

const numberOrNull = (fact: string | number | null | undefined): number | null =>
  typeof fact === "number" ? fact : null

const progressOf = (
  facts: PartHealth["facts"],
  nowMs: number
): Pick<NetworkCoverage, "catching_up" | "head"> => {
  const { head, head_at: headAt, last_taken: lastTaken, ...pace } = facts ?? {}
  if (typeof head !== "number" || typeof headAt !== "string") return { head: null, catching_up: null }
  const behind = typeof lastTaken === "number" ? head - lastTaken : 0
  return {
    head: {
      ledger_index: head,
      announced_at: iso(headAt),
      age_ms: Math.max(0, nowMs - Date.parse(headAt))
    },
    // One ledger behind is normal: it was just announced and is being fetched.
    catching_up:
      behind > 1
        ? {
            from: head - behind + 1,
            to: head,
            ledgers: behind,
            ledgers_per_second: numberOrNull(pace["ledgers_per_second"]),
            seconds_left: numberOrNull(pace["seconds_left"])
          }
        : null
  }
}

export const ledgersLayer = HttpApiBuilder.group(
  Api,
  "ledgers",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    const health = yield* Health
    const log = yield* EventLog
    const skippedLedgers = yield* SkippedLedgers
    const watched = watchedNetworks(settings)

    const coverageOf = Effect.fnUntraced(function* (network: Network) {
      // The head is read before the ranges. A ledger processed between the two reads then appears in the ranges; in
      // the other order it could be missing from both.
      const part = yield* health.get(ledgerPart(network))
      const ranges = yield* ledgerRanges(log, network).pipe(Effect.catchTag("NotAMarker", Effect.die))
      const skipped = yield* skippedLedgers.list(network)
      return {
        network,
        watched: watched.includes(network),
        ranges: ranges.map(rangeOf),
        ...progressOf(part?.facts, yield* Clock.currentTimeMillis),
        ...(skipped.length > 0 && {
          skipped: skipped.map((one) => ({ ...one, skipped_at: iso(one.skipped_at) }))
        })
      }
    })

    return handlers.handleAll({
      coverage: Effect.fnUntraced(function* () {
        const { environment } = yield* Caller
        return { data: yield* Effect.forEach(networksOf(environment), coverageOf) }
      }, orUnavailable)
    })
  })
)
