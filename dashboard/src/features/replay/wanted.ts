/** The fields of the form of a replay, and the request that they make. Pure. */
import type { NewReplayJob, Webhook } from "../../api/ledgerhook.ts"
import { addressesIn } from "../../words/addresses.ts"
import { patternsIn } from "../../words/eventTypes.ts"
import { objectIn } from "../../words/json.ts"
import { fromLocalInput } from "../../words/localInput.ts"

export interface ReplayValues {
  webhook_id: string | undefined
  by: "filters" | "ids"
  event_ids: string
  /** Types and families; none: all. */
  event_types: ReadonlyArray<string>
  accounts: string
  payload_filter: string
  /** In the viewer's zone, as a `datetime-local` input has them; empty: no bound. */
  since: string
  until: string
}

export const newReplay = (webhookId: string | undefined): ReplayValues => ({
  webhook_id: webhookId,
  by: "filters",
  event_ids: "",
  event_types: ["*"],
  accounts: "",
  payload_filter: "",
  since: "",
  until: ""
})

/** The filters of the webhook, as the form has them. */
export const filtersOfWebhook = (webhook: Webhook): Partial<ReplayValues> => ({
  event_types: webhook.event_types,
  accounts: webhook.account_filters.join("\n"),
  payload_filter: webhook.payload_filter === null ? "" : JSON.stringify(webhook.payload_filter)
})

/** The ids of a pasted text, each once. Takes spaces, lines, commas, semicolons, quotes and brackets as separators. */
export const eventIdsIn = (text: string): ReadonlyArray<string> => [
  ...new Set(text.split(/[\s,;"'[\]]+/).filter((word) => word !== ""))
]

export type Problems = Partial<Record<keyof ReplayValues, string>>

/** What is missing or wrong, by field. Only what needs no look-up: the service checks the rest. */
export const problemsOf = (values: ReplayValues): Problems => ({
  ...(values.webhook_id === undefined ? { webhook_id: "Choose the webhook that gets the events." } : {}),
  ...(values.by === "ids" && eventIdsIn(values.event_ids).length === 0
    ? { event_ids: "Paste at least one event id." }
    : {}),
  ...(values.by === "filters" && values.event_types.length === 0
    ? { event_types: "Choose at least one event type." }
    : {}),
  ...(values.by === "filters" && addressesIn(values.accounts).wrong.length > 0
    ? { accounts: "Remove what is not an address." }
    : {}),
  ...(values.by === "filters" && objectIn(values.payload_filter) === undefined
    ? { payload_filter: "Correct the JSON, or empty the field." }
    : {}),
  ...(values.by === "filters" && values.since !== "" && values.until !== "" && values.since >= values.until
    ? { until: "Must be later than “After”." }
    : {})
})

const filtersOf = ({ event_types, accounts, payload_filter, since, until }: ReplayValues) => {
  const addresses = addressesIn(accounts).addresses
  const payload = objectIn(payload_filter)
  const [from, to] = [fromLocalInput(since), fromLocalInput(until)]
  return {
    ...(event_types.includes("*") ? {} : { event_types: patternsIn(event_types) }),
    ...(addresses.length === 0 ? {} : { accounts: [...addresses] }),
    ...(payload === null || payload === undefined ? {} : { payload_filter: payload }),
    ...(from === undefined ? {} : { since: from }),
    ...(to === undefined ? {} : { until: to })
  }
}

/** `webhook_id` must be set (`problemsOf`). */
export const replayOf = (values: ReplayValues): NewReplayJob => ({
  webhook_id: values.webhook_id ?? "",
  ...(values.by === "ids" ? { event_ids: [...eventIdsIn(values.event_ids)] } : { filters: filtersOf(values) })
})
