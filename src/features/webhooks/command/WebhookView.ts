/** How webhooks are shown: those of the local database and those of a service. Pure. */

import type { HealthState } from "../../../spine/domain/HealthState.ts"
import { counted } from "../../../spine/words/Words.ts"
import { GREEN, RED, YELLOW } from "../../../terminal/Colour.ts"
import type { Column, Field } from "../../../terminal/Table.ts"
import type { Webhook } from "../WebhooksContract.ts"

type Listed = Pick<Webhook, "id" | "url" | "description" | "network" | "event_types" | "health">
type Owned = Listed & { readonly account_id: string }

const colours: Readonly<Record<HealthState, number | undefined>> = {
  failing: RED,
  waiting: YELLOW,
  disabled: RED,
  paused: YELLOW,
  new: undefined,
  healthy: GREEN
}

/** Of a service: all webhooks are of the key's account. */
export const columns: ReadonlyArray<Column<Listed>> = [
  { head: "ID", cell: (webhook) => webhook.id },
  { head: "NETWORK", cell: ({ network }) => network },
  { head: "HEALTH", cell: ({ health }) => health.state, colour: ({ health }) => colours[health.state] },
  { head: "SINCE", cell: ({ health }) => health.since },
  { head: "URL", cell: ({ url }) => url },
  { head: "DESCRIPTION", cell: ({ description }) => description ?? "" },
  { head: "EVENT TYPES", cell: ({ event_types }) => event_types.join(",") },
  { head: "WHY", cell: ({ health }) => (health.state === "healthy" ? "" : health.sentence) }
]

const owner: Column<Owned> = { head: "ACCOUNT", cell: ({ account_id }) => account_id }
export const columnsOfAll: ReadonlyArray<Column<Owned>> = [columns[0]!, owner, ...columns.slice(1)]

export const fields = (webhook: Webhook): ReadonlyArray<Field> => {
  const { account_filters, account_filters_count: count, health, payload_filter } = webhook
  const [account] = account_filters
  return [
    ["id", webhook.id],
    ["url", webhook.url],
    ["description", webhook.description ?? "-"],
    ["network", webhook.network],
    ["event types", webhook.event_types.join(",")],
    [
      "accounts",
      account === undefined
        ? "all"
        : count === 1
          ? account
          : `${account} and ${counted(count - 1, "other", "others")}`
    ],
    ["payload filter", payload_filter === null ? "-" : JSON.stringify(payload_filter)],
    ["status", webhook.paused ? `${webhook.status}, paused` : webhook.status],
    ["health", `${health.state} since ${health.since}: ${health.sentence}`],
    ["ordering", webhook.ordering],
    ["signing", webhook.signing.join(",")],
    ["created", webhook.created_at]
  ]
}
