/**
 * The history that a job needs: it may ask for ledgers before the service's first one. Ingest fetches them
 * (ledger/backfill/BackfillRequests.ts). Meanwhile the job has no worker.
 */
import { Effect, Option } from "effect"
import { hasHistory, Settings } from "../../spine/config/Config.ts"
import { type BackfillRange, missingLedgers } from "../../spine/domain/Backfill.ts"
import { BackfillRequests } from "../../spine/ledger/backfill/BackfillRequests.ts"
import { BackfillStore } from "../../spine/ledger/backfill/BackfillStore.ts"
import { Log } from "../../spine/log/Log.ts"
import { firstLedger } from "../../spine/log/ledgers/FirstLedger.ts"
import { parseIsoTime } from "../../spine/words/IsoTime.ts"
import type { ClaimedJob } from "./ReplayWork.ts"

/** `ranges`: the history before the service's own events, lowest ledger first. */
export type JobBackfill =
  | { readonly state: "open" }
  | { readonly state: "failed"; readonly error: string }
  | { readonly state: "ready"; readonly ranges: ReadonlyArray<BackfillRange> }

const ready = (ranges: ReadonlyArray<BackfillRange>): JobBackfill => ({ state: "ready", ranges })

/** Whether the job wants ledgers that closed before the service's first one and servers can provide them. */
const isWanted = Effect.fnUntraced(function* ({ filters, network }: ClaimedJob) {
  if (!hasHistory(yield* Settings, network) || filters?.since === undefined) return false
  const first = yield* firstLedger(yield* Log, network)
  return first === undefined || parseIsoTime(first.close_time)! > filters.since
})

export const HISTORY_GONE = "Some of the history was dropped by retention before it was replayed."

/** The state of the job's history request. Makes the request if the job needs one. */
export const historyOf = Effect.fnUntraced(function* (job: ClaimedJob) {
  const requests = yield* BackfillRequests
  const store = yield* BackfillStore
  // Event ids are searched in the history that is in the log. Nothing is fetched for them.
  if (job.eventIds !== null) return ready(yield* store.ranges(job.network))
  const settled = yield* requests.find(job.id)
  if (Option.isNone(settled)) {
    if (job.plan !== undefined || !(yield* isWanted(job))) return ready([])
    yield* requests.ask(job, job.filters!.since!)
    return { state: "open" } satisfies JobBackfill
  }
  if (settled.value.state === "failed")
    return { state: "failed", error: settled.value.error } satisfies JobBackfill
  const { beforeLedger, firstLedger: from } = settled.value
  const ranges = (yield* store.ranges(job.network)).filter(
    ({ firstLedger: first, lastLedger }) => lastLedger >= from && first < beforeLedger
  )
  if (missingLedgers(from, beforeLedger, ranges) > 0)
    return { state: "failed", error: HISTORY_GONE } satisfies JobBackfill
  // The ranges cover all ledgers without a gap, so every worker of the job gives an event the same place.
  const until = job.filters?.until ?? Number.POSITIVE_INFINITY
  return ready(ranges.filter(({ firstClosedAt }) => firstClosedAt * 1_000 < until))
})
