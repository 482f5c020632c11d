/** What the dashboard says of an incident. Pure. */
import type { Incident, IncidentDetail } from "../../../api/ledgerhook.ts"
import { count, duration, plural } from "../../../words/format.ts"
import { lengthOf } from "./calendar.ts"

/** "18 min" */
export const lastedOf = (incident: Incident, now: number): string =>
  duration(Math.max(lengthOf(incident, now), 1_000), true)

/** "Down for 18 min, all 63 delivered" */
export const headlineOf = (incident: Incident, now: number): string => {
  const { ended_at, outcome, waited } = incident
  const down = `Down for ${lastedOf(incident, now)}`
  if (outcome === null || waited === 0) return down
  if (ended_at === null || outcome.waiting > 0)
    return `${down}, ${plural(outcome.waiting, "delivery waits", "deliveries wait")}`
  return outcome.failed > 0
    ? `${down}, ${count(outcome.failed)} of ${count(waited)} failed`
    : `${down}, all ${count(waited)} delivered`
}

const endings = {
  attempt: "recovered on the next attempt",
  retry: "recovered by a retry",
  disabled: "the webhook was disabled",
  deleted: "the webhook was deleted"
} as const

/** "recovered on the next attempt; all 63 delivered", for a list. */
export const endOf = ({ ended_by, outcome, waited }: Incident): string => {
  const end = endings[ended_by ?? "attempt"]
  if (outcome === null) return end
  if (outcome.delivered === waited) return `${end}; all ${count(waited)} delivered`
  return `${end}; ${[
    `${count(outcome.delivered)} delivered`,
    outcome.failed > 0 && `${count(outcome.failed)} failed`,
    outcome.waiting > 0 && `${count(outcome.waiting)} wait`
  ]
    .filter(Boolean)
    .join(", ")}`
}

export interface Happening {
  /** Undefined: it is not known, or it has not happened yet. */
  readonly at: number | undefined
  readonly look: "bad" | "good" | "idle"
  readonly what: string
  readonly detail?: string | undefined
  /** Known to the minute, or to a longer point of the course. */
  readonly isAbout?: boolean
}

const ends = {
  attempt: { look: "good", what: "An attempt was answered", detail: "it was made by schedule" },
  retry: { look: "good", what: "A retry was answered", detail: "it was asked for by hand" },
  disabled: { look: "idle", what: "The webhook was disabled", detail: "nothing is sent to it" },
  deleted: { look: "idle", what: "The webhook was deleted", detail: "what waited was given up" }
} as const

const waitingAt = ({ course }: IncidentDetail, at: number): number | undefined => {
  const ms = (course?.point_seconds ?? 0) * 1_000
  return course?.points.find((point) => Date.parse(point.at) <= at && at < Date.parse(point.at) + ms)?.waiting
}

const lastDelivered = ({ course, ended_at, outcome }: IncidentDetail): number | undefined => {
  if (ended_at === null || outcome === null || outcome.waiting + outcome.failed > 0) return undefined
  const point = course?.points.find(({ at, waiting }) => at > ended_at && waiting === 0)
  return point === undefined ? undefined : Date.parse(point.at)
}

/** Oldest first. */
export const happeningsOf = (incident: IncidentDetail, cause: string): ReadonlyArray<Happening> => {
  const { began_at, ended_at, ended_by } = incident
  const began = {
    at: Date.parse(began_at),
    look: "bad",
    what: "The first attempt failed",
    detail: cause
  } as const
  if (ended_at === null)
    return [began, { at: undefined, look: "bad", what: "Nothing has been answered since" }]
  const { detail, look, what } = ends[ended_by ?? "attempt"]
  const stillWaited = waitingAt(incident, Date.parse(ended_at)) ?? 0
  const last = lastDelivered(incident)
  return [
    began,
    {
      at: Date.parse(ended_at),
      look,
      what,
      detail:
        look === "good" && stillWaited > 0
          ? `${detail}; ${plural(stillWaited, "delivery", "deliveries")} still waited for the next attempt`
          : detail
    },
    ...(last === undefined
      ? []
      : [{ at: last, look: "good", what: "The last delivery arrived", isAbout: true } as const])
  ]
}
