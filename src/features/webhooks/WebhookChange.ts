/** What a list reads of the row of a webhook, and the row after a change. Pure. */

import type { WebhookRow } from "../../spine/registry/WebhookRow.ts"
import { webhookBounds } from "./Limits.ts"

/** A row of a list, without filters: long ones would make a page of 37 MB. */
export type ListedWebhook = Omit<
  WebhookRow,
  | "headers"
  | "sealed_secret"
  | "previous_sealed_secret"
  | "previous_secret_until"
  | "last_disabled_at"
  | "last_enabled_at"
>

export const LISTED_COLUMNS = `
  id, account_id, network, url, description, event_types,
  account_filters[1:${webhookBounds.listedAccountFilters}] AS account_filters, account_filters_count,
  payload_filter, status, consecutive_failures, max_in_flight, max_per_second, paused_at, ordering,
  signing, format, include, compression, batch,
  created_at, updated_at, disabled_at, disabled_reason`

export type NewWebhook = Pick<
  WebhookRow,
  | "id"
  | "account_id"
  | "network"
  | "url"
  | "description"
  | "event_types"
  | "account_filters"
  | "payload_filter"
  | "max_in_flight"
  | "max_per_second"
  | "ordering"
  | "signing"
  | "format"
  | "include"
  | "compression"
  | "batch"
  | "headers"
  | "sealed_secret"
> & { readonly paused: boolean }

export type WebhookChange = Partial<
  Omit<NewWebhook, "id" | "account_id" | "network" | "sealed_secret"> & Pick<WebhookRow, "status">
>

/** The reason of a webhook that a customer disabled. */
export const DISABLED_BY_REQUEST = "disabled by request"

/** The row after `change`. Counter and times change only if the status changes between active and disabled. */
export const changed = (row: WebhookRow, { paused, ...change }: WebhookChange, now: string): WebhookRow => {
  const paused_at = (paused ?? row.paused_at !== null) ? (row.paused_at ?? now) : null
  const next = { ...row, ...change, paused_at, updated_at: now }
  if (next.status === row.status) return next
  return next.status === "active"
    ? {
        ...next,
        consecutive_failures: 0,
        disabled_at: null,
        disabled_reason: null,
        last_disabled_at: row.disabled_at,
        last_enabled_at: now
      }
    : { ...next, disabled_at: now, disabled_reason: DISABLED_BY_REQUEST }
}
