/** The states of a webhook's health (health/Webhook.ts), worst first: the order of a list that is sorted by health. */
export const healthStates = ["failing", "waiting", "disabled", "new", "healthy"] as const
export type HealthState = (typeof healthStates)[number]
