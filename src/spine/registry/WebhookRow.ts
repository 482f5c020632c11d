/** A row of `webhooks`, and the record for the log that is made of it. Pure. */

import type { Compression } from "../domain/Compression.ts"
import { defaultOrdering, type Ordering } from "../domain/Ordering.ts"
import { defaultSigning, type SigningScheme } from "../domain/Signing.ts"
import { CONFIG_TOPIC, type WebhookConfig, type WebhookStatus } from "../domain/Webhook.ts"
import type { Batch } from "../event/Batch.ts"
import { expandPatterns } from "../event/EventPatterns.ts"
import type { Includable } from "../event/Include.ts"
import type { Network } from "../event/Network.ts"
import { defaultFormat, type RequestFormat } from "../event/RequestFormat.ts"
import type { PayloadFilter } from "../filter/PayloadFilter.ts"
import type { AccountId } from "../words/Ids.ts"

/** Times are ISO 8601 texts, as the driver returns them. */
export interface WebhookRow {
  readonly id: string
  readonly account_id: AccountId
  readonly network: Network
  readonly url: string
  readonly description: string | null
  /** The event types as the customer gave them, patterns included. */
  readonly event_types: ReadonlyArray<string>
  readonly account_filters: ReadonlyArray<string>
  readonly account_filters_count: number
  readonly payload_filter: PayloadFilter | null
  readonly status: WebhookStatus
  readonly consecutive_failures: number
  readonly max_in_flight: number
  readonly max_per_second: number | null
  /** Null: it is not paused. */
  readonly paused_at: string | null
  readonly ordering: Ordering
  readonly signing: ReadonlyArray<SigningScheme>
  readonly format: RequestFormat
  readonly include: ReadonlyArray<Includable>
  readonly compression: Compression | null
  readonly batch: Batch | null
  readonly headers: Readonly<Record<string, string>>
  readonly sealed_secret: string
  /** Both null unless the last rotation left the previous secret a grace. */
  readonly previous_sealed_secret: string | null
  readonly previous_secret_until: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly disabled_at: string | null
  readonly disabled_reason: string | null
  /** The last finished period in which the webhook was disabled. Both are null if there is none. */
  readonly last_disabled_at: string | null
  readonly last_enabled_at: string | null
}

const columns: Readonly<Record<keyof WebhookRow, true>> = {
  id: true,
  account_id: true,
  network: true,
  url: true,
  description: true,
  event_types: true,
  account_filters: true,
  account_filters_count: true,
  payload_filter: true,
  status: true,
  consecutive_failures: true,
  max_in_flight: true,
  max_per_second: true,
  paused_at: true,
  ordering: true,
  signing: true,
  format: true,
  include: true,
  compression: true,
  batch: true,
  headers: true,
  sealed_secret: true,
  previous_sealed_secret: true,
  previous_secret_until: true,
  created_at: true,
  updated_at: true,
  disabled_at: true,
  disabled_reason: true,
  last_disabled_at: true,
  last_enabled_at: true
}
/**
 * Named, never `*`: a statement whose columns change while a session keeps it prepared fails once, and a newer version
 * may add columns while this one serves.
 */
export const WEBHOOK_COLUMNS = Object.keys(columns).join(", ")

const isDefaultSigning = ({ signing }: WebhookRow): boolean => signing.join() === defaultSigning.join()

const configOf = (row: WebhookRow): WebhookConfig => ({
  id: row.id,
  account_id: row.account_id,
  network: row.network,
  status: row.status,
  url: row.url,
  event_types: expandPatterns(row.event_types),
  account_filters: row.account_filters,
  ...(row.payload_filter === null ? {} : { payload_filter: row.payload_filter }),
  headers: row.headers,
  max_in_flight: row.max_in_flight,
  max_per_second: row.max_per_second,
  ...(row.paused_at === null ? {} : { paused: true as const }),
  ...(row.ordering === defaultOrdering ? {} : { ordering: row.ordering }),
  ...(isDefaultSigning(row) ? {} : { signing: row.signing }),
  ...(row.format === defaultFormat ? {} : { format: row.format }),
  ...(row.include.length === 0 ? {} : { include: row.include }),
  ...(row.compression === null ? {} : { compression: row.compression }),
  ...(row.batch === null ? {} : { batch: row.batch }),
  sealed_secret: row.sealed_secret,
  ...(row.previous_sealed_secret === null || row.previous_secret_until === null
    ? {}
    : {
        previous_secret: {
          sealed: row.previous_sealed_secret,
          until: new Date(row.previous_secret_until).getTime()
        }
      })
})

/** The record from which route and deliver learn of the row. */
export const configRecord = (row: WebhookRow) => ({
  topic: CONFIG_TOPIC,
  key: row.id,
  value: JSON.stringify(configOf(row))
})

/** The record from which they learn that the webhook is deleted. */
export const tombstone = (id: string) => ({ topic: CONFIG_TOPIC, key: id, value: null })
