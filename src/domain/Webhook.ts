/**
 * Webhooks as route and deliver know them. One record per webhook in the compacted topic `webhooks.config`; the record
 * with the highest version is the webhook's state, and an absent value (tombstone) means it was deleted.
 */
import type { Batch } from "./Batch.ts"
import type { Compression } from "./Compression.ts"
import type { EventType } from "./EventType.ts"
import type { PayloadFilter } from "./filter/PayloadFilter.ts"
import type { Network } from "./Network.ts"
import type { RequestFormat } from "./RequestFormat.ts"
import type { SigningScheme } from "./Signing.ts"

export const CONFIG_TOPIC = "webhooks.config"

export type WebhookStatus = "active" | "disabled"

export interface WebhookConfig {
  readonly id: string
  readonly account_id: string
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
  /** Absent: `service` only, as for most webhooks. */
  readonly signing?: ReadonlyArray<SigningScheme>
  /** Absent: `ledgerhook`. */
  readonly format?: RequestFormat
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

/** What deliver needs of a webhook: all but what chooses its events, which may have 350 KB. */
export type DeliveryConfig = Omit<WebhookConfig, "event_types" | "account_filters" | "payload_filter">

export const deliveryConfig = ({
  event_types,
  account_filters,
  payload_filter,
  ...config
}: WebhookConfig): DeliveryConfig => config
