/** How webhooks are shown: those of the local database and those of a service. Pure. */

import type { Webhook } from "../../../api/contract/Webhooks.ts"
import type { HealthState } from "../../../domain/HealthState.ts"
import type { shownHealth } from "../../../health/Webhook.ts"
import { GREEN, RED, YELLOW } from "../../terminal/Colour.ts"
import type { Column, Field } from "../../terminal/Table.ts"

interface Listed {
  readonly id: string
  readonly url: string
  readonly description: string | null
  readonly network: string
  readonly event_types: ReadonlyArray<string>
  readonly health: ReturnType<typeof shownHealth>
}

const colours: Readonly<Record<HealthState, number | undefined>> = {
  failing: RED,
  waiting: YELLOW,
  disabled: RED,
  new: undefined,
  healthy: GREEN
}

const id: Column<Listed> = { head: "ID", cell: (webhook) => webhook.id }

const rest: ReadonlyArray<Column<Listed>> = [
  { head: "NETWORK", cell: ({ network }) => network },
  { head: "HEALTH", cell: ({ health }) => health.state, colour: ({ health }) => colours[health.state] },
  { head: "SINCE", cell: ({ health }) => health.since },
  { head: "URL", cell: ({ url }) => url },
  { head: "DESCRIPTION", cell: ({ description }) => description ?? "" },
  { head: "EVENT TYPES", cell: ({ event_types }) => event_types.join(",") },
  { head: "WHY", cell: ({ health }) => (health.state === "healthy" ? "" : health.sentence) }
]

/** Of a service: all webhooks are of the key's account. */
export const columns: ReadonlyArray<Column<Listed>> = [id, ...rest]

export const columnsOfAll: ReadonlyArray<Column<Listed & { readonly account_id: string }>> = [
  id,
  { head: "ACCOUNT", cell: ({ account_id }) => account_id },
  ...rest
]

export const fields = (webhook: Webhook): ReadonlyArray<Field> => {
  const { account_filters, account_filters_count: count, batch, health, payload_filter } = webhook
  const [account] = account_filters
  return [
    ["id", webhook.id],
    ["url", webhook.url],
    ["description", webhook.description ?? "-"],
    ["network", webhook.network],
    ["event types", webhook.event_types.join(",")],
    [
      "accounts",
      account === undefined ? "all" : count === 1 ? account : `${account} and ${count - 1} others`
    ],
    ["payload filter", payload_filter === null ? "-" : JSON.stringify(payload_filter)],
    ["status", webhook.paused ? `${webhook.status}, paused` : webhook.status],
    ["health", `${health.state} since ${health.since}: ${health.sentence}`],
    ["ordering", webhook.ordering],
    ["signing", webhook.signing.join(",")],
    ["format", webhook.format],
    ["batch", batch === null ? "-" : `up to ${batch.max_events} events, after ${batch.max_wait_ms} ms`],
    ["created", webhook.created_at]
  ]
}
