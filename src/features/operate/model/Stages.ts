/** The stages that may be late, and because of whom (operate/model/LateStages.ts). */
export const stages = [
  "ingest",
  "events",
  "route",
  "deliver",
  "delay",
  "replay",
  "outbox",
  "notices",
  "upkeep"
] as const
export type Stage = (typeof stages)[number]

/** The service itself; a webhook's own speed, rate, pause or failures; a ledger server. */
export const becauseOf = ["service", "webhook", "outside"] as const
export type Because = (typeof becauseOf)[number]
