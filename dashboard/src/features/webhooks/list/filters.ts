/** The filters of the list of webhooks, as they stand in the address. Pure. */
import { oneOf, text } from "../../../words/search.ts"
import { orderIn, orderText } from "./order.ts"

export const states = ["failing", "waiting", "disabled", "paused", "new", "healthy"] as const
export type HealthState = (typeof states)[number]

export const networks = ["testnet", "devnet"] as const

export interface WebhookFilters {
  readonly search?: string | undefined
  readonly health?: HealthState | undefined
  /** Of a test key, which sees two. */
  readonly network?: (typeof networks)[number] | undefined
  /** A type or a family. */
  readonly event_type?: string | undefined
  /** As order.ts writes it. */
  readonly sort?: string | undefined
}

export const webhookFilters = (search: Record<string, unknown>): WebhookFilters => {
  const order = orderIn(search["sort"])
  return {
    search: text(search["search"]),
    health: oneOf(states)(search["health"]),
    network: oneOf(networks)(search["network"]),
    event_type: text(search["event_type"]),
    sort: order && orderText(order)
  }
}

/** The tabs of a webhook's page, after the first one. */
export const tabIn = oneOf(["events", "requests"])
