/** Spans of time that a replay may be of: what happened to the webhook first. Pure. */
import type { Incident, WebhookProgress } from "../../api/ledgerhook.ts"
import { localDay } from "../../words/format.ts"
import { localInput } from "../../words/localInput.ts"

export interface Span {
  readonly label: string
  /** Whether it is a time in which something was not sent. */
  readonly happened: boolean
  /** As a `datetime-local` input has them; empty: no bound. */
  readonly since: string
  readonly until: string
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** What happened to the webhook, newest first. */
const SHOWN = 4
/** A ledger may close this long before its events are queued. */
const LATE_MS = MINUTE_MS / 2

const reasons = {
  disabled: "While it was disabled",
  suspended: "While the account was suspended",
  quota: "While the quota was used up",
  paused: "What a long pause discarded",
  waited_too_long: "What had waited too long",
  lost: "What the service lost"
} as const

const daysOf = (beganMs: number, endedMs: number): string => {
  const [from, to] = [localDay(beganMs), localDay(endedMs)]
  return from === to ? from : `${from} – ${to}`
}

const wide = (beganAt: string, endedAt: string | null, nowMs: number) => {
  const [began, ended] = [Date.parse(beganAt), endedAt === null ? nowMs : Date.parse(endedAt)]
  return {
    days: daysOf(began, ended),
    since: localInput(new Date(began - LATE_MS).toISOString()),
    until:
      endedAt === null
        ? ""
        : localInput(new Date(Math.ceil((ended + LATE_MS) / MINUTE_MS) * MINUTE_MS).toISOString())
  }
}

/** Gaps, and incidents in which deliveries were given up. */
export const spansOf = (
  gaps: WebhookProgress["gaps"],
  incidents: ReadonlyArray<Incident>,
  nowMs: number
): ReadonlyArray<Span> => {
  const happened = [
    ...gaps.map(({ began_at, ended_at, reason }) => {
      const { days, since, until } = wide(began_at, ended_at, nowMs)
      return { began_at, span: { label: `${reasons[reason]}, ${days}`, happened: true, since, until } }
    }),
    ...incidents
      .filter(({ outcome }) => (outcome?.failed ?? 0) > 0)
      .map(({ began_at, ended_at }) => {
        const { days, since, until } = wide(began_at, ended_at, nowMs)
        return { began_at, span: { label: `The incident of ${days}`, happened: true, since, until } }
      })
  ]
    .toSorted((a, b) => b.began_at.localeCompare(a.began_at))
    .slice(0, SHOWN)
    .map(({ span }) => span)
  const last = (label: string, ms: number): Span => ({
    label,
    happened: false,
    since: localInput(new Date(nowMs - ms).toISOString()),
    until: ""
  })
  return [
    ...happened,
    last("Last 24 h", DAY_MS),
    last("Last 7 d", 7 * DAY_MS),
    { label: "All that is kept", happened: false, since: "", until: "" }
  ]
}
