/** The filters of the list of webhooks, as they stand in the address. Pure. */
import { oneOf, text } from "../../app/search.ts"

export const states = ["failing", "waiting", "disabled", "paused", "new", "healthy"] as const
export type HealthState = (typeof states)[number]

export interface WebhookFilters {
  readonly search?: string | undefined
  readonly health?: HealthState | undefined
}

export const webhookFilters = (search: Record<string, unknown>): WebhookFilters => ({
  search: text(search["search"]),
  health: oneOf(states)(search["health"])
})
