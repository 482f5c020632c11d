/** What a job is doing, and how fast. Pure. */
import type { ReplayJobDetail } from "../../api/ledgerhook.ts"
import { count, duration, plural } from "../../parts/format.ts"

const ended = ["completed", "cancelled", "failed"]

export const hasEnded = ({ status }: Pick<ReplayJobDetail, "status">): boolean => ended.includes(status)

export const kindOf = ({ mode }: Pick<ReplayJobDetail, "mode">): string =>
  mode === "retry" ? "Retry" : "Replay"

/** Events that the job queued for each second of its life so far; undefined if that says nothing yet. */
export const rateOf = (
  { processed_events, created_at, completed_at }: ReplayJobDetail,
  now: number
): number | undefined => {
  const seconds = (Date.parse(completed_at ?? "") || now) / 1_000 - Date.parse(created_at) / 1_000
  return processed_events === 0 || seconds < 0.1 ? undefined : processed_events / seconds
}

const secondsAsText = (seconds: number): string => (seconds < 10 ? `${seconds} s` : duration(seconds * 1_000))

/** One sentence. */
export const stateOf = (job: ReplayJobDetail): string => {
  const things = job.mode === "retry" ? "delivery" : "event"
  const many = job.mode === "retry" ? "deliveries" : "events"
  switch (job.status) {
    case "queued":
      return "It begins within seconds."
    case "running":
      if (job.history !== undefined && job.history.fetched_ledgers !== job.history.ledgers) {
        const { fetched_ledgers, ledgers } = job.history
        return `Ledgers from before the service's first one are fetched: ${count(fetched_ledgers)}${
          ledgers === null ? "" : ` of ${count(ledgers)}`
        }.`
      }
      return job.eta_seconds === null
        ? "It is under way."
        : `About ${secondsAsText(Math.max(1, job.eta_seconds))} left.`
    case "completed":
      return `${plural(job.processed_events, things, many)} queued. The requests to your server may still be under way.`
    case "cancelled":
      return `It was cancelled. ${plural(job.processed_events, things, many)} had been queued and may still be sent.`
    case "failed":
      return `It stopped after ${plural(job.processed_events, things, many)}.`
  }
}
