/**
 * Webhooks as route and deliver know them. One record per webhook in the compacted topic `webhooks.config`; the record
 * with the highest version is the webhook's state, and an absent value (tombstone) means it was deleted.
 */

import type { Batch } from "../event/Batch.ts"
import type { EventType } from "../event/EventType.ts"
import type { Includable } from "../event/Include.ts"
import { isNetwork, type Network } from "../event/Network.ts"
import { isJsonObject } from "../event/NormaliseLedger.ts"
import { type RequestFormat, requestFormats } from "../event/RequestFormat.ts"
import type { PayloadFilter } from "../filter/PayloadFilter.ts"
import type { AccountId } from "../words/Ids.ts"
import { type Compression, compressions } from "./Compression.ts"
import { type Ordering, orderings } from "./Ordering.ts"
import { type SigningScheme, signingSchemes } from "./Signing.ts"

export const CONFIG_TOPIC = "webhooks.config"

const webhookStatuses = ["active", "disabled"] as const
export type WebhookStatus = (typeof webhookStatuses)[number]

export interface WebhookConfig {
  readonly id: string
  readonly account_id: AccountId
  readonly network: Network
  readonly status: WebhookStatus
  readonly url: string
  readonly event_types: ReadonlyArray<EventType>
  /** Empty: every account. */
  readonly account_filters: ReadonlyArray<string>
  /** Absent: every payload. */
  readonly payload_filter?: PayloadFilter
  readonly headers: Readonly<Record<string, string>>
  readonly max_in_flight: number
  readonly max_per_second: number | null
  /** Deliveries are queued and kept, and not sent. Absent: they are sent. */
  readonly paused?: true
  /** Absent: `first_attempt`. */
  readonly ordering?: Ordering
  /** Absent: `service` only, as for most webhooks. */
  readonly signing?: ReadonlyArray<SigningScheme>
  /** Absent: `ledgerhook`. */
  readonly format?: RequestFormat
  /** Absent: none. */
  readonly include?: ReadonlyArray<Includable>
  /** Absent: none. */
  readonly compression?: Compression
  /** Absent: each request carries one event. */
  readonly batch?: Batch
  /** The signing secret, sealed (storage/webhooks/SecretBox): the log never holds it in clear. */
  readonly sealed_secret: string
  /** The secret before the last rotation, if its grace has not ended. Until then it signs deliveries too. */
  readonly previous_secret?: {
    readonly sealed: string
    /** Unix milliseconds. */
    readonly until: number
  }
}

const isText = (value: unknown): value is string => typeof value === "string"
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isNumberFrom = (value: unknown, least: number): boolean => typeof value === "number" && value >= least
const isAbsentOr = (value: unknown, allows: (value: unknown) => boolean): boolean =>
  value === undefined || allows(value)
const isOneOf = (value: unknown, all: ReadonlyArray<unknown>): boolean => all.includes(value)

/** How each field of a record must look. An unknown format or compression would stop the deliveries of all webhooks. */
const fieldRules: Readonly<Record<keyof WebhookConfig, (value: unknown) => boolean>> = {
  id: isText,
  account_id: isText,
  network: isNetwork,
  status: (value) => isOneOf(value, webhookStatuses),
  url: isText,
  event_types: isTexts,
  account_filters: isTexts,
  // `WebhookIndex` compiles it.
  payload_filter: () => true,
  headers: (value) => isJsonObject(value) && Object.values(value).every(isText),
  max_in_flight: (value) => Number.isSafeInteger(value) && isNumberFrom(value, 1),
  max_per_second: (value) => value === null || isNumberFrom(value, 1),
  paused: (value) => isAbsentOr(value, (paused) => paused === true),
  ordering: (value) => isAbsentOr(value, (ordering) => isOneOf(ordering, orderings)),
  signing: (value) =>
    isAbsentOr(
      value,
      (schemes) =>
        isTexts(schemes) && (schemes as ReadonlyArray<string>).every((one) => isOneOf(one, signingSchemes))
    ),
  format: (value) => isAbsentOr(value, (format) => isOneOf(format, requestFormats)),
  // Those that a later version adds are left out.
  include: (value) => isAbsentOr(value, isTexts),
  compression: (value) => isAbsentOr(value, (compression) => isOneOf(compression, compressions)),
  batch: (value) =>
    isAbsentOr(
      value,
      (batch) =>
        isJsonObject(batch) && isNumberFrom(batch["max_events"], 1) && isNumberFrom(batch["max_wait_ms"], 0)
    ),
  sealed_secret: isText,
  previous_secret: (value) =>
    isAbsentOr(
      value,
      (previous) => isJsonObject(previous) && isText(previous["sealed"]) && isNumberFrom(previous["until"], 0)
    )
}

/** Throws, with the name of the field, if the value of a record is not a webhook that this version can read. */
export const parseWebhookConfig = (value: string): WebhookConfig => {
  const config: unknown = JSON.parse(value)
  if (!isJsonObject(config)) throw new Error("it is not a JSON object")
  for (const [field, allows] of Object.entries(fieldRules))
    if (!allows(config[field])) throw new Error(`its ${field} has another form`)
  // The cast is safe: every field has been checked.
  return config as unknown as WebhookConfig
}

/** What deliver needs of a webhook: all but what chooses its events, which may have 350 KB. */
export type DeliveryConfig = Omit<WebhookConfig, "event_types" | "account_filters" | "payload_filter">

export const deliveryConfig = ({
  event_types,
  account_filters,
  payload_filter,
  ...config
}: WebhookConfig): DeliveryConfig => config
