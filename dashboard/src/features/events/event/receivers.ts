/** The webhooks of an account, as seen from one event: those that want it, and the others by their reason. Pure. */
import type { Delivery, ExplainedWebhook, Webhook } from "../../../api/ledgerhook.ts"
import { clockTime, plural } from "../../../words/format.ts"

type Reason = ExplainedWebhook["reason"]

/** What needs attention comes first. */
const order = ["failed", "retrying", "none", "pending", "delivered"]
const rank = ({ delivery }: ExplainedWebhook): number => order.indexOf(delivery?.status ?? "none")

/** Why webhooks do not want an event, over a list of them. */
const titles: Record<Reason, string> = {
  type: "Other types only",
  account: "Account filter does not match",
  payload: "Payload filter does not match",
  network: "Other network",
  not_yet_created: "Created later",
  disabled: "Disabled at that time",
  quota: "Quota used up",
  deleted: "Deleted",
  matched: "Settings changed since",
  queued: "About to be sent"
}

interface Others {
  readonly title: string
  readonly webhooks: ReadonlyArray<ExplainedWebhook>
}

interface Sorted {
  readonly wanting: ReadonlyArray<ExplainedWebhook>
  readonly others: ReadonlyArray<Others>
}

export const sorted = (webhooks: ReadonlyArray<ExplainedWebhook>): Sorted => {
  const groups = Map.groupBy(
    webhooks.filter(({ wanted }) => !wanted),
    ({ reason }) => reason
  )
  return {
    wanting: webhooks.filter(({ wanted }) => wanted).toSorted((a, b) => rank(a) - rank(b)),
    others: (Object.keys(titles) as ReadonlyArray<Reason>).flatMap((reason) => {
      const group = groups.get(reason)
      return group === undefined ? [] : [{ title: titles[reason], webhooks: group }]
    })
  }
}

/** "3 webhooks want it", "1 webhook wants it", "No webhook wants it" */
export const wantingTitle = (count: number): string =>
  count === 0 ? "No webhook wants it" : `${plural(count, "webhook")} ${count === 1 ? "wants" : "want"} it`

/** "6 do not", "1 does not" */
export const othersTitle = (count: number): string => `${count} ${count === 1 ? "does" : "do"} not`

/** "first attempt, HTTP 200", "8 attempts, HTTP 503; next at 18:23:48" */
export const attemptsText = ({
  attempts,
  last_error,
  next_attempt_at,
  response_status,
  status
}: Delivery): string => {
  if (attempts === 0) return "about to be sent"
  const answer = last_error ?? (response_status === null ? undefined : `HTTP ${response_status}`)
  const tried =
    status === "delivered"
      ? attempts === 1
        ? "first attempt"
        : `attempt ${attempts}`
      : plural(attempts, "attempt")
  return [
    answer === undefined ? tried : `${tried}, ${answer}`,
    ...(status === "retrying" && next_attempt_at !== null
      ? [`next at ${clockTime(Date.parse(next_attempt_at))}`]
      : [])
  ].join("; ")
}

/** Types that are named before "and 2 more". */
const TYPES_NAMED = 3

const typesText = (types: ReadonlyArray<string>): string => {
  const more = types.length - TYPES_NAMED
  return more > 0
    ? `${types.slice(0, TYPES_NAMED).join(", ")} and ${more} more`
    : types.join(", ").replace(/, ([^,]*)$/, " and $1")
}

/** What the webhook wants instead; undefined if its settings do not say more than the reason. */
export const wantsInstead = (reason: Reason, webhook: Webhook | undefined): string | undefined => {
  if (webhook === undefined) return undefined
  if (reason === "type") return `Wants ${typesText(webhook.event_types)}.`
  if (reason === "account")
    return `Wants ${plural(webhook.account_filters_count, "account")}; none takes part in this event.`
  return reason === "network" ? `Watches ${webhook.network}.` : undefined
}
