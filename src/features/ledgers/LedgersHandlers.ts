/**
 * `/v1/ledgers/coverage`, as ranges or by hour. The processed ranges are read from the log. The newest ledger of the network is in the table
 * `networks`, where the process that ingests the network writes it, so each process answers the same.
 */

import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { Caller } from "../../http/ContractParts.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings, watchedNetworks } from "../../spine/config/Config.ts"
import type { LedgerMarker } from "../../spine/event/LedgerEvent.ts"
import { defaultNetwork, type Network, networksOf } from "../../spine/event/Network.ts"
import { BackfillStore } from "../../spine/ledger/backfill/BackfillStore.ts"
import { isSilent, type SeenFacts } from "../../spine/ledger/ingest/NetworkFacts.ts"
import { Log } from "../../spine/log/Log.ts"
import { firstInRange, type LedgerRange, ledgerRanges } from "../../spine/log/ledgers/LedgerMarkers.ts"
import { iso } from "../../spine/words/IsoTime.ts"
import { EventCounts } from "../events/EventCounts.ts"
import { SkippedLedgers } from "../events/SkipOrders.ts"
import { secondsLate } from "../operate/model/CommandReport.ts"
import type { StoredReport } from "../operate/model/Report.ts"
import { readNetworks } from "../operate/NetworkRows.ts"
import { readReport } from "../operate/report/ReportStore.ts"
import { HOUR_MS, hourOf } from "./HourCounts.ts"
import { makeLedgerHours } from "./LedgerHours.ts"
import { coverageRules } from "./LedgerRules.ts"
import { coverageDays, Ledgers, type NetworkCoverage } from "./LedgersContract.ts"

const refOf = ({ ledger_index, ledger_hash, close_time }: LedgerMarker) => ({
  ledger_index,
  ledger_hash,
  close_time
})

/** Records of releases before 0.3 have no version. */
const versionOf = ({ rules_version = 1 }: LedgerMarker): number => rules_version

/**
 * The first ledger of the version that took the last one, unless it took all: versions only increase, except if an
 * operator goes back to an earlier release for a while.
 */
const rulesOf = Effect.fnUntraced(function* (log: Log["Service"], network: Network, range: LedgerRange) {
  const rules_version = versionOf(range.last.marker)
  if (versionOf(range.first.marker) === rules_version) return { rules_version }
  const found = yield* firstInRange(log, network, range, (marker) => versionOf(marker) === rules_version)
  return { rules_version, ...(found !== undefined && { rules_from: found.marker.ledger_index }) }
})

const rangeOf = Effect.fnUntraced(function* (log: Log["Service"], network: Network, range: LedgerRange) {
  const [first, last] = [range.first.marker, range.last.marker]
  return {
    first: refOf(first),
    last: refOf(last),
    ledgers: last.ledger_index - first.ledger_index + 1,
    simulated: first.simulated === true,
    ...(yield* rulesOf(log, network, range))
  }
})

/** `logged`: the newest ledger in the log. The facts are up to some seconds older. */
const progressOf = (
  seen: SeenFacts | undefined,
  logged: number | undefined
): Pick<NetworkCoverage, "catching_up" | "head"> => {
  const { head = null, head_ago_ms = null, head_at = null, last_taken = null } = seen?.facts ?? {}
  if (seen === undefined || head === null || head_ago_ms === null || head_at === null)
    return { head: null, catching_up: null }
  const known = last_taken ?? logged ?? head
  // The log may end with a chain that has ended: of a simulated network, or of one that was reset.
  const taken = logged !== undefined && known <= logged && logged <= head ? logged : known
  const pace = isSilent(seen) ? undefined : seen.facts
  return {
    head: {
      ledger_index: head,
      announced_at: iso(head_at),
      age_ms: Math.round(head_ago_ms + seen.seenAgoMs)
    },
    // One ledger behind is normal: it was just announced and is being fetched.
    catching_up:
      head - taken > 1
        ? {
            from: taken + 1,
            to: head,
            ledgers: head - taken,
            ledgers_per_second: pace?.ledgers_per_second ?? null,
            seconds_left: pace?.seconds_left ?? null
          }
        : null
  }
}

export const ledgersLayer = HttpApiBuilder.group(
  contractOf(Ledgers),
  "ledgers",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    const sql = yield* SqlClient.SqlClient
    const log = yield* Log
    const skippedLedgers = yield* SkippedLedgers
    const history = yield* BackfillStore
    const counts = yield* EventCounts
    const hours = makeLedgerHours(log)
    const watched = watchedNetworks(settings)

    const byHour = Effect.fnUntraced(
      function* (network: Network, days: number) {
        const now = hourOf(yield* Clock.currentTimeMillis)
        const sinceMs = now + HOUR_MS - days * 24 * HOUR_MS
        const found = yield* hours.of(network, yield* history.ranges(network), sinceMs)
        const events = yield* counts.byHour(network, sinceMs)
        const skipped = yield* skippedLedgers.byHour(network, sinceMs)
        return Array.from({ length: days * 24 }, (_, at) => {
          const hour = sinceMs + at * HOUR_MS
          const { ledgers, missing } = found.get(hour) ?? { ledgers: 0, missing: 0 }
          // A skipped ledger is in a range, but its events are missing.
          const without = skipped.get(hour) ?? 0
          return {
            hour: iso(hour),
            ledgers: Math.max(ledgers - without, 0),
            missing: missing + without,
            events: events.get(hour) ?? 0
          }
        })
      },
      Effect.catchTag("NotAMarker", Effect.die)
    )

    const coverageOf = Effect.fnUntraced(
      function* (network: Network, seen: SeenFacts | undefined, report: StoredReport | undefined) {
        const ranges = yield* ledgerRanges(log, network)
        const shown = yield* Effect.forEach(ranges, (range) => rangeOf(log, network, range))
        const skipped = yield* skippedLedgers.list(network)
        return {
          network,
          watched: watched.includes(network),
          ranges: shown,
          ...progressOf(seen, ranges.at(-1)?.last.marker.ledger_index),
          seconds_late: secondsLate(report, network) ?? null,
          ...(skipped.length > 0 && {
            skipped: skipped.map((one) => ({ ...one, skipped_at: iso(one.skipped_at) }))
          })
        }
      },
      Effect.catchTag("NotAMarker", Effect.die)
    )

    return handlers.handleAll({
      coverage: Effect.fnUntraced(function* ({ query }) {
        const { by, days, network } = query
        yield* checkRules(coverageRules, query, settings)
        const { environment } = yield* Caller
        if (by === "hour") {
          return {
            data: yield* byHour(network ?? defaultNetwork[environment], Number(days ?? coverageDays.default))
          }
        }
        // The heads are read before the ranges. A ledger processed between the two reads then appears in the ranges; in
        // the other order it could be missing from both.
        const read = Effect.all([readNetworks, readReport])
        const [seen, report] = yield* Effect.provideService(read, SqlClient.SqlClient, sql)
        const data = yield* Effect.forEach(networksOf(environment), (network) =>
          coverageOf(
            network,
            seen.find((one) => one.network === network),
            report
          )
        )
        return { data }
      }, orUnavailable)
    })
  })
)
