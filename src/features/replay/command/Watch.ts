/**
 * Shows the progress of a replay job until it ends: on a terminal a bar with rate and remaining time, otherwise one
 * JSON object per line for each change. Stopping it does not stop the job.
 */
import { Clock, Effect } from "effect"
import { duration } from "../../../spine/words/Words.ts"
import { FailureReported } from "../../../terminal/Failure.ts"
import { Invocation } from "../../../terminal/Invocation.ts"
import { print, printError } from "../../../terminal/Output.ts"
import { bar, statusLine } from "../../../terminal/ProgressLine.ts"
import { Signals } from "../../../terminal/Signals.ts"
import { inJson, printOne } from "../../../terminal/Table.ts"
import type { ReplaySummary } from "../ReplayOverview.ts"
import { fields, findJob, historyText, percentText, remainingOf, toJson } from "./JobView.ts"

/** How often a watched job is polled, and over which time its rate is averaged. */
const POLL_MS = 500
const RATE_MS = 10_000

const SECOND_MS = 1_000

interface Sample {
  readonly at: number
  readonly count: number
}

/** Rate per second over the last `RATE_MS`; undefined at the first sample. */
const makeRate = () => {
  let samples: ReadonlyArray<Sample> = []
  return (now: Sample): number | undefined => {
    const recent = samples.filter(({ at }) => at > now.at - RATE_MS)
    samples = [...recent, now]
    const first = samples[0]!
    return now.at === first.at ? undefined : ((now.count - first.count) * SECOND_MS) / (now.at - first.at)
  }
}

/** Whether the job waits until ledgers from before the service's first one are fetched. */
const isFetching = (
  job: ReplaySummary
): job is ReplaySummary & { history: NonNullable<ReplaySummary["history"]> } =>
  job.history !== null && job.history.settled_at === null

/** The line on a terminal while the job has not ended. Pure. */
export const progressLine = (job: ReplaySummary, rate: number | undefined, nowMs: number): string => {
  if (job.status === "queued") return `${bar(0)} waiting for a process with the role replay`
  const each = rate === undefined ? [] : [`${Math.round(rate)}/s`]
  if (isFetching(job)) return [`${bar(job.part)} history: ${historyText(job.history)}`, ...each].join("  ")
  const remaining = remainingOf(job, nowMs)
  return [
    `${bar(job.part)} ${percentText(job)}`,
    `${job.processed_events} of about ${job.total_events} events`,
    ...each,
    ...(remaining === null ? [] : [`${duration(remaining * SECOND_MS)} left`])
  ].join("  ")
}

const hasEnded = ({ status }: ReplaySummary): boolean => status !== "queued" && status !== "running"

const notes: Readonly<Record<ReplaySummary["status"], string>> = {
  queued: "",
  running: "",
  completed: "All events are queued for delivery.",
  cancelled: "No more events are queued. Events that were queued already may still be delivered.",
  failed: "No more events are queued. Events that were queued already may still be delivered."
}

/** Returns when the job ends. Fails if the job failed or was cancelled. */
export const watchJob = Effect.fnUntraced(function* (id: string, wantsJson: boolean) {
  const invocation = yield* Invocation
  const { untilStopped } = yield* Signals
  const asJson = inJson(invocation, wantsJson)
  let job = yield* findJob(id)

  const showing = Effect.gen(function* () {
    const write = yield* statusLine
    const rates = { events: makeRate(), ledgers: makeRate() }
    let shown = ""
    while (true) {
      const now = yield* Clock.currentTimeMillis
      const state = JSON.stringify(job)
      if (!asJson) {
        const rate = isFetching(job)
          ? rates.ledgers({ at: now, count: job.history.fetched })
          : rates.events({ at: now, count: job.processed_events })
        if (!hasEnded(job)) yield* write(progressLine(job, rate, now))
      } else if (state !== shown) {
        yield* print(JSON.stringify(toJson(job, now)))
        shown = state
      }
      if (hasEnded(job)) return
      yield* Effect.sleep(POLL_MS)
      job = yield* findJob(id)
    }
  })
  yield* untilStopped(Effect.scoped(showing))

  if (!hasEnded(job)) {
    return yield* printError(
      `ledgerhook: replay job ${id} continues. To watch it again: \`ledgerhook replay watch ${id}\`.`
    )
  }
  if (!asJson) yield* printOne({ json: false, fields: fields(job), value: job, note: notes[job.status] })
  if (job.status !== "completed") return yield* new FailureReported()
})

/** Prints a job that was just made, and with `watch` also its progress. */
export const showMade = Effect.fnUntraced(function* (
  id: string,
  watch: boolean,
  asJson: boolean,
  note: string
) {
  // In JSON, `watchJob` prints the job's state as its first line.
  if (watch && inJson(yield* Invocation, asJson)) return yield* watchJob(id, asJson)
  const job = yield* findJob(id)
  yield* printOne({
    json: asJson,
    fields: fields(job),
    value: toJson(job, yield* Clock.currentTimeMillis),
    note
  })
  if (watch) yield* watchJob(id, asJson)
})
