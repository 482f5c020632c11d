/** Limits of one webhook. The plan (domain/Plans.ts) limits how many an account has. */
import { deliverLimits } from "../../spine/deliver/Limits.ts"
import { BATCH_EVENTS_MAX } from "../../spine/event/Envelope.ts"

export const webhookBounds = {
  /** Addresses in the account filters of one webhook. */
  accountFilters: 10_000,
  /** Addresses that one request may add and remove: 40 KB, and a few milliseconds of the database. */
  changedAccountFilters: 1_000,
  /** Account filters of each webhook that a list of webhooks shows. */
  listedAccountFilters: 100,
  /** Characters of a webhook's description. */
  descriptionLength: 500,
  /** Characters of a text by which webhooks are searched. Ids and most names are shorter. */
  searchLength: 200,
  /** Headers that a webhook may add, and the length of each name and value: a value may be a JWT. */
  webhookHeaders: 20,
  webhookHeaderNameLength: 128,
  webhookHeaderLength: 4_096,
  /**
   * Characters of their names and values together. Many servers take 8 KB of headers in all. Those that the service and
   * HTTP add can have 1.6 KB.
   */
  webhookHeadersLength: 6_144,
  /** Characters of a secret that the customer chooses. */
  secretLength: { minimum: 16, maximum: 128 },
  /** Longest time in seconds for which the old secret signs too: a day, to install the new one in all receivers. */
  graceSeconds: 86_400,
  /** `max_in_flight` of a webhook: the largest value, and the default. */
  maxInFlight: deliverLimits.connectionsPerOrigin / 4,
  defaultInFlight: 16,
  /** `batch` of a webhook: how many events, and how long the first of them waits for others. */
  batchEvents: { minimum: 2, maximum: BATCH_EVENTS_MAX },
  batchWaitMs: 5_000,
  /** Newest events that a preview examines: the largest number, and the default; and how many matches it names. */
  previewEvents: 10_000,
  defaultPreviewEvents: 1_000,
  previewSamples: 5,
  /** Largest `max_per_second` of a webhook. */
  maxPerSecond: 10_000
} as const
