/**
 * The states of a webhook's health (health/WebhookHealthQueries.ts), worst first: the order of a list that is sorted by
 * health.
 */
export const healthStates = ["failing", "waiting", "disabled", "paused", "new", "healthy"] as const
export type HealthState = (typeof healthStates)[number]

/** What ends an incident: an answered attempt, by schedule or by hand, or the webhook's own end. */
export const incidentEnds = ["attempt", "retry", "disabled", "deleted"] as const
export type IncidentEnd = (typeof incidentEnds)[number]

/** Why events were not sent to a webhook, and will not be unless somebody replays them. */
export const gapReasons = ["disabled", "suspended", "quota", "paused", "waited_too_long", "lost"] as const
export type GapReason = (typeof gapReasons)[number]
