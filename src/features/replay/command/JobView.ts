/**
 * The output of commands about replay jobs, and the stores that these commands need.
 */
import { Effect, Layer, Option } from "effect"
import { etaSeconds, percentOf, type ReplayProgress } from "../../../spine/domain/Replay.ts"
import { logReaderLayer } from "../../../spine/LogAdapter.ts"
import { BackfillStore } from "../../../spine/ledger/backfill/BackfillStore.ts"
import { iso } from "../../../spine/words/IsoTime.ts"
import { GREEN, RED } from "../../../terminal/Colour.ts"
import { failed } from "../../../terminal/Failure.ts"
import { settings } from "../../../terminal/Invocation.ts"
import type { Column, Field } from "../../../terminal/Table.ts"
import { stores } from "../../accounts/command/AccountStores.ts"
import { EventCounts } from "../../events/EventCounts.ts"
import { findReplaySummary, type ReplaySummary } from "../ReplayOverview.ts"
import { ReplayStore } from "../ReplayStore.ts"

/** `jobStores` is for commands on jobs; `replayStores` also reads the log. */
export const jobStores = (command: string) => Layer.provideMerge(ReplayStore.layer, stores(command))
export const replayStores = (command: string) => {
  const jobs = jobStores(command)
  return Layer.mergeAll(logReaderLayer(jobs), EventCounts.layer, BackfillStore.layer).pipe(
    Layer.provideMerge(jobs),
    Layer.provideMerge(settings)
  )
}

const moment = (at: string | null): string | null => (at === null ? null : iso(at))

const progressOf = ({ history, part, started_at, status }: ReplaySummary): ReplayProgress => {
  const startedAt = history?.settled_at ?? started_at
  return { status, part, startedAt: startedAt === null ? null : Date.parse(iso(startedAt)) }
}

/** Seconds; null if it cannot be estimated. */
export const remainingOf = (job: ReplaySummary, nowMs: number) => etaSeconds(progressOf(job), nowMs)

export const toJson = (job: ReplaySummary, nowMs: number) => ({
  job_id: job.id,
  account_id: job.account_id,
  webhook_id: job.webhook_id,
  network: job.network,
  mode: job.mode,
  status: job.status,
  total_events: job.total_events,
  processed_events: job.processed_events,
  failed_events: job.failed_events,
  delivered: job.deliveries?.delivered ?? null,
  waiting: job.deliveries?.waiting ?? null,
  failed: job.deliveries?.failed ?? null,
  progress_percent: percentOf(progressOf(job)),
  eta_seconds: remainingOf(job, nowMs),
  history:
    job.history === null ? null : { ledgers: job.history.ledgers, fetched_ledgers: job.history.fetched },
  skipped_ledgers: job.skipped_ledgers,
  error: job.error,
  created_at: iso(job.created_at),
  completed_at: moment(job.completed_at),
  cancelled_at: moment(job.cancelled_at)
})

export const percentText = (job: ReplaySummary): string => `${Math.floor(percentOf(progressOf(job)))} %`

/** Progress of fetching ledgers. */
export const historyText = ({ fetched, ledgers }: NonNullable<ReplaySummary["history"]>): string =>
  ledgers === null ? "counting the ledgers to fetch" : `${fetched} of ${ledgers} ledgers`

export const columns: ReadonlyArray<Column<ReplaySummary>> = [
  { head: "ID", cell: ({ id }) => id },
  { head: "MODE", cell: ({ mode }) => mode },
  {
    head: "STATUS",
    cell: ({ status }) => status,
    colour: ({ status }) => (status === "completed" ? GREEN : status === "failed" ? RED : undefined)
  },
  { head: "DONE", cell: percentText },
  { head: "QUEUED", cell: ({ processed_events }) => String(processed_events) },
  { head: "FAILED", cell: ({ failed_events }) => String(failed_events) },
  { head: "DELIVERED", cell: ({ deliveries }) => String(deliveries?.delivered ?? "-") },
  { head: "WAITING", cell: ({ deliveries }) => String(deliveries?.waiting ?? "-") },
  { head: "CREATED", cell: ({ created_at }) => iso(created_at) },
  { head: "ACCOUNT", cell: ({ account_id }) => account_id },
  { head: "WEBHOOK", cell: ({ webhook_id }) => webhook_id },
  { head: "ERROR", cell: ({ error }) => error ?? "-" }
]

export const fields = (job: ReplaySummary): ReadonlyArray<Field> => [
  ["id", job.id],
  ["account", job.account_id],
  ["webhook", `${job.webhook_id} (${job.network})`],
  ["mode", job.mode],
  ["status", job.status],
  // The total is exact once the job has completed.
  ["events", `${job.status === "completed" ? "" : "about "}${job.total_events}`],
  ["queued", String(job.processed_events)],
  ["failed", String(job.failed_events)],
  ...(job.deliveries === null
    ? []
    : [
        [
          "deliveries",
          `${job.deliveries.delivered} delivered, ${job.deliveries.waiting} waiting, ${job.deliveries.failed} failed`
        ] as const
      ]),
  ...(job.history === null ? [] : [["history", historyText(job.history)] as const]),
  ...(job.skipped_ledgers.length === 0
    ? []
    : [["skipped", `ledgers ${job.skipped_ledgers.join(", ")}, whose events are missing`] as const]),
  ...(job.error === null ? [] : [["error", job.error] as const]),
  ["created", iso(job.created_at)],
  ...(job.completed_at === null ? [] : [["completed", iso(job.completed_at)] as const]),
  ...(job.cancelled_at === null ? [] : [["cancelled", iso(job.cancelled_at)] as const])
]

/** Fails with a hint if the job does not exist. */
export const findJob = Effect.fnUntraced(function* (id: string) {
  const found = yield* findReplaySummary(id)
  if (Option.isSome(found)) return found.value
  return yield* failed(`there is no replay job ${id}; \`ledgerhook replay list\` shows them.`)
})
