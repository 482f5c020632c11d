/** The webhooks beside the picture: which, in which order, and what each answered. Pure. */
import type { WebhookHealth } from "../../../api/ledgerhook.ts"
import { causeInShort } from "../../../words/causes.ts"
import { duration } from "../../../words/format.ts"
import type { Ledger, WebhookActivity } from "./ledgers.ts"

/** What is known of a webhook beside its activity. */
export interface Row {
  readonly id: string
  readonly name: string
  readonly state: WebhookHealth["state"]
}

/** Without the right to see webhooks, a webhook is named by its id and judged by its answers. */
const unknown = (id: string, shown: ReadonlyArray<WebhookActivity>): Row => ({
  id,
  name: id,
  state:
    shown.some(({ failed }) => failed > 0) && shown.every(({ answered }) => answered === 0)
      ? "failing"
      : "healthy"
})

/**
 * At most `most` webhooks: those that fail, then those with the most events in the shown ledgers. They keep the order in
 * which they were made, so that a row does not move while the picture does; those that fail stand first. `isWhole`: every
 * webhook is known, so that others have been deleted.
 */
export const rowsOf = (
  ledgers: ReadonlyArray<Ledger>,
  known: ReadonlyArray<Row>,
  most: number,
  isWhole = false
): ReadonlyArray<Row> => {
  const shown = Map.groupBy(
    ledgers.flatMap(({ webhooks }) => webhooks),
    ({ webhook_id }) => webhook_id
  )
  const all = new Map(known.map((one) => [one.id, one]))
  if (!isWhole) for (const [id, activity] of shown) if (!all.has(id)) all.set(id, unknown(id, activity))
  const events = (id: string) => (shown.get(id) ?? []).reduce((sum, one) => sum + one.events, 0)
  const fails = ({ state }: Row) => Number(state === "failing")
  return [...all.values()]
    .sort((one, other) => fails(other) - fails(one) || events(other.id) - events(one.id))
    .slice(0, most)
    .sort((one, other) => fails(other) - fails(one) || (one.id < other.id ? -1 : 1))
}

export interface Answer {
  /** "503", "200", "TLS"; empty if there was no attempt. */
  readonly status: string
  /** "41 ms", "held". */
  readonly detail: string
  readonly tone: "bad" | "wait" | "ok" | "none"
}

/** What stands in the columns of a row for one ledger. */
export const answerOf = (activity: WebhookActivity | undefined, state: WebhookHealth["state"]): Answer => {
  if (activity === undefined || activity.events === 0) return { status: "", detail: "", tone: "none" }
  const { answered, failed, last_error, last_status, response_time_ms } = activity
  const time = response_time_ms === null ? "" : duration(response_time_ms)
  if (failed > 0 || last_error !== null) {
    const tone = state === "failing" || last_status !== 429 ? "bad" : "wait"
    const [status, rest] =
      last_status === null ? causeOf(last_error ?? "failed") : [String(last_status), time]
    return { status, detail: rest || time, tone }
  }
  if (state === "paused") return { status: "", detail: "held", tone: "none" }
  if (answered === 0) return { status: "", detail: "no answer yet", tone: "none" }
  return { status: last_status === null ? "" : String(last_status), detail: time, tone: "ok" }
}

/** "TLS: certificate has expired" as "TLS", "expired"; "timeout after 10 000 ms" as "timeout". */
const causeOf = (error: string): readonly [status: string, detail: string] => {
  const short = causeInShort(error)
  const [word = short, ...more] = short.split(" ")
  const rest = error.slice(short.length).replace(/^[:\s]+/, "")
  return [
    word,
    more.length > 0
      ? more.join(" ").slice(0, DETAIL_LETTERS)
      : (rest.split(" ").at(-1) ?? "").slice(0, DETAIL_LETTERS)
  ]
}

/** What the column of a detail has room for. */
const DETAIL_LETTERS = 11

/** The events of the webhook with the most of them in a ledger. */
export const mostOfRow = (ledgers: ReadonlyArray<Ledger>): number =>
  Math.max(...ledgers.flatMap(({ webhooks }) => webhooks.map(({ events }) => events)), 0)

/** The answers of a webhook in a ledger, for a picture of webhooks: answered, failed, neither yet. */
export const outcomesOf = (activity: WebhookActivity | undefined): ReadonlyArray<number> =>
  activity === undefined
    ? [0, 0, 0]
    : [activity.answered, activity.failed, Math.max(activity.events - activity.answered - activity.failed, 0)]
