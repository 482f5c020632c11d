/** What a job was asked for, how far it is, how fast, and how it ended: in words. Pure. */
import type { ReplayJob, ReplayJobDetail } from "../../api/ledgerhook.ts"
import { count, duration, hourMinute, localDay, plural } from "../../words/format.ts"
import { patternsOf } from "./patterns.ts"

type Job = ReplayJob & Partial<Pick<ReplayJobDetail, "history">>

/** Whether it still queues something. */
export const canStop = ({ status }: ReplayJob): boolean => status === "queued" || status === "running"

/** Whether its counts may still change. */
export const isUnderWay = ({ finished_at }: ReplayJob): boolean => finished_at === null

/** Deliveries that were answered or given up, and all that there will be. */
export const doneOf = (job: ReplayJob): number => (job.delivered ?? 0) + (job.failed ?? 0)
export const allOf = ({ processed_events, status, total_events }: ReplayJob): number =>
  status === "completed" ? processed_events : Math.max(total_events, processed_events)

export interface Sample {
  readonly at: number
  readonly done: number
}

const PACE_MS = 60_000
/** A pace of less time says too little. */
const LEAST_MS = 4_000

/** With the job as it is at `at`. A job that has just begun had done nothing when it was made. */
export const withSample = (
  samples: ReadonlyArray<Sample>,
  job: ReplayJob,
  at: number
): ReadonlyArray<Sample> => {
  const made = Date.parse(job.created_at)
  const before = samples.length === 0 && made < at && at - made < PACE_MS ? [{ at: made, done: 0 }] : samples
  return before.at(-1)?.at === at ? before : [...before, { at, done: doneOf(job) }]
}

/** Deliveries that ended each second of the last minute; undefined while that is not known. */
export const paceOf = (samples: ReadonlyArray<Sample>): number | undefined => {
  const last = samples.at(-1)
  const first = samples.find(({ at }) => last !== undefined && last.at - at <= PACE_MS)
  if (last === undefined || first === undefined || last.at - first.at < LEAST_MS) return undefined
  return ((last.done - first.done) / (last.at - first.at)) * 1_000
}

/** Milliseconds until everything is delivered, if the pace stays; undefined while nothing says so. */
export const timeLeft = (job: Job, pace: number | undefined): number | undefined => {
  const { history } = job
  const isFetching = history !== undefined && history.fetched_ledgers !== history.ledgers
  if (!isUnderWay(job) || isFetching || job.delivered === null || job.status === "cancelled") return undefined
  const rest = allOf(job) - doneOf(job)
  return pace === undefined || pace <= 0 || rest <= 0 ? undefined : (rest / pace) * 1_000
}

const nounOf = ({ mode }: Pick<ReplayJob, "mode">, many: number) =>
  mode === "retry" ? plural(many, "delivery", "deliveries") : plural(many, "event")

/** "Replay of dex.*", "Retry of 246 deliveries" */
export const titleOf = (job: ReplayJob): string => {
  if (job.mode === "retry") return `Retry of ${nounOf(job, job.total_events)}`
  if (job.requested === null) return `Replay of ${nounOf(job, job.total_events)}`
  const types = patternsOf(job.requested.event_types)
  return types.length > 2 ? `Replay of ${types.length} event types` : `Replay of ${types.join(" and ")}`
}

const moment = (iso: string) => `${localDay(new Date(iso))}, ${hourMinute(new Date(iso))}`

/** A retry takes nothing that was made after it. */
const ENDS_WITH_JOB_MS = 1_000

const periodOf = ({ created_at, requested }: ReplayJob): string | undefined => {
  const { since, until } = requested ?? {}
  const bound = until !== undefined && Date.parse(until) - Date.parse(created_at) < -ENDS_WITH_JOB_MS
  if (since !== undefined) return bound ? `${moment(since)} – ${moment(until)}` : `since ${moment(since)}`
  return bound ? `until ${moment(until)}` : undefined
}

/** What the title leaves out: the period, the statuses. */
export const detailOf = (job: ReplayJob): string => {
  if (job.requested === null) return "by their ids"
  const period = periodOf(job)
  if (job.mode === "replay") return period ?? "all that is kept"
  const types = patternsOf(job.requested.event_types)
  return [
    (job.requested.statuses ?? []).join(" or "),
    types[0] === "everything" ? "of all types" : `of ${types.join(", ")}`,
    period
  ]
    .filter(Boolean)
    .join(", ")
}

const deliveredAndFailed = (job: ReplayJob) =>
  [`${count(job.delivered ?? 0)} delivered`, (job.failed ?? 0) > 0 && `${count(job.failed ?? 0)} failed`]
    .filter(Boolean)
    .join(", ")

/** The page's headline. */
export const headlineOf = (job: Job, leftMs: number | undefined): string => {
  if (leftMs !== undefined) return `${duration(Math.max(leftMs, 1_000), true)} left`
  switch (job.status) {
    case "queued":
      return `The ${job.mode} begins within seconds`
    case "running":
      return job.history !== undefined && job.history.fetched_ledgers !== job.history.ledgers
        ? "Older ledgers are being fetched"
        : `${count(job.processed_events)} of ${count(allOf(job))} sent`
    case "cancelled":
      return `Stopped after ${count(job.processed_events)} of ${count(allOf(job))}`
    case "failed":
      return `The ${job.mode} failed`
    case "completed": {
      const { delivered, failed, waiting } = job
      if (delivered === null) return `${nounOf(job, job.processed_events)} queued`
      if (job.processed_events === 0)
        return job.failed_events > 0
          ? `${nounOf(job, job.failed_events)} could not be sent`
          : "There was nothing to send"
      if ((waiting ?? 0) > 0)
        return `${count(waiting ?? 0)} of ${plural(job.processed_events, "delivery waits", "deliveries wait")}`
      return (failed ?? 0) > 0 ? deliveredAndFailed(job) : `All ${count(delivered)} delivered`
    }
  }
}

export interface Outcome {
  readonly text: string
  readonly look?: "bad" | "wait"
}

/** How it ended, for a list. */
export const outcomeOf = (job: ReplayJob): Outcome => {
  const { delivered, error, failed, processed_events, status, waiting } = job
  if (status === "queued") return { text: "begins within seconds" }
  if (status === "failed") return { text: error ?? "failed", look: "bad" }
  if (delivered === null) return { text: `${count(processed_events)} queued` }
  if (status === "cancelled") return { text: `${deliveredAndFailed(job)}, then stopped` }
  if ((waiting ?? 0) > 0)
    return waiting === processed_events
      ? { text: `all ${count(processed_events)} wait`, look: "wait" }
      : { text: `${deliveredAndFailed(job)}, ${count(waiting ?? 0)} wait`, look: "wait" }
  if (job.failed_events > 0)
    return { text: `${deliveredAndFailed(job)}, ${count(job.failed_events)} not found`, look: "bad" }
  if (processed_events === 0) return { text: "nothing to send" }
  return (failed ?? 0) > 0 ? { text: deliveredAndFailed(job), look: "bad" } : { text: "all delivered" }
}

/** "Completed" has three looks. */
export const statusOf = ({ failed, failed_events, status, waiting }: ReplayJob) =>
  status === "cancelled"
    ? "stopped"
    : status === "completed" && (failed ?? 0) + (waiting ?? 0) + failed_events > 0
      ? "incomplete"
      : status

/** "1 replay is running, 1 is queued" */
export const headlineOfAll = (running: ReadonlyArray<ReplayJob>, queued: number): string => {
  if (running.length + queued === 0) return "Replays"
  const modes = new Set(running.map(({ mode }) => mode))
  const noun = modes.size === 1 && modes.has("retry") ? ["retry", "retries"] : ["replay", "replays"]
  const verb = (many: number) => (many === 1 ? "is" : "are")
  if (running.length === 0) return `${plural(queued, "replay")} ${verb(queued)} queued`
  const first = `${plural(running.length, noun[0]!, noun[1])} ${verb(running.length)} running`
  return queued === 0 ? first : `${first}, ${count(queued)} ${verb(queued)} queued`
}

/** How long it took until nothing waited any more; undefined until then. */
export const tookOf = ({
  completed_at,
  created_at,
  finished_at,
  delivered
}: ReplayJob): number | undefined => {
  // Jobs from before release 0.3 have no end of their own.
  const end = delivered === null ? completed_at : finished_at
  return end === null ? undefined : Math.max(0, Date.parse(end) - Date.parse(created_at))
}
