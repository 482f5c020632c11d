/** The fields of the form of a webhook, and the request that they make. Pure. */
import type { NewWebhook, Webhook, WebhookChange } from "../../../api/ledgerhook.ts"
import { patternsIn } from "../../../words/eventTypes.ts"
import { objectIn } from "../../../words/json.ts"
import { filterText } from "./filter/tree.ts"

/** The API's limit for the accounts of one webhook. */
export const ACCOUNTS_MAX = 10_000

export interface HeaderValue {
  /** For the form's list; it is not sent. */
  readonly id: string
  readonly name: string
  readonly value: string
}

export interface WebhookValues {
  url: string
  description: string
  network: Webhook["network"]
  event_types: ReadonlyArray<string>
  /** False: every account, whatever `account_filters` has. */
  only_accounts: boolean
  account_filters: ReadonlyArray<string>
  /** JSON; empty: none. */
  payload_filter: string
  /** Undefined: the headers stay as they are, because their values are not known here. */
  headers: ReadonlyArray<HeaderValue> | undefined
  ordering: Webhook["ordering"]
  max_in_flight: number | string
  max_per_second: number | string
  signing: "service" | "standard" | "both"
  format: Webhook["format"]
  include: Webhook["include"]
  compression: "none" | "gzip" | "zstd"
  /** False: each event has its own request. */
  batched: boolean
  /** Events in a request, at most. */
  batch: number | string
  batch_wait_ms: number | string
  /** Of a new webhook; undefined: the service makes one. */
  secret: string | undefined
}

export const newValues = (environment: "live" | "test"): WebhookValues => ({
  url: "",
  description: "",
  network: environment === "live" ? "mainnet" : "testnet",
  event_types: [],
  only_accounts: false,
  account_filters: [],
  payload_filter: "",
  headers: [],
  ordering: "first_attempt",
  max_in_flight: 16,
  max_per_second: "",
  signing: "service",
  format: "ledgerhook",
  include: [],
  compression: "none",
  batched: false,
  batch: 100,
  batch_wait_ms: 500,
  secret: undefined
})

export const valuesOf = (webhook: Webhook): WebhookValues => ({
  url: webhook.url,
  description: webhook.description ?? "",
  network: webhook.network,
  event_types: webhook.event_types,
  only_accounts: webhook.account_filters.length > 0,
  account_filters: webhook.account_filters,
  payload_filter: webhook.payload_filter === null ? "" : filterText(webhook.payload_filter),
  headers: undefined,
  ordering: webhook.ordering,
  max_in_flight: webhook.max_in_flight,
  max_per_second: webhook.max_per_second ?? "",
  signing: webhook.signing.length > 1 ? "both" : webhook.signing[0]!,
  format: webhook.format,
  include: webhook.include,
  compression: webhook.compression ?? "none",
  batched: webhook.batch !== null,
  batch: webhook.batch?.max_events ?? 100,
  batch_wait_ms: webhook.batch?.max_wait_ms ?? 500,
  secret: undefined
})

const headersOf = (headers: ReadonlyArray<HeaderValue>): Record<string, string> =>
  Object.fromEntries(headers.flatMap(({ name, value }) => (name.trim() === "" ? [] : [[name.trim(), value]])))

/** An empty or unreadable number is left to the service to name. */
const numberOf = (value: number | string): number | undefined => (value === "" ? undefined : Number(value))

/** The accounts that the API gets. */
export const accountsIn = (values: WebhookValues): Array<string> =>
  values.only_accounts ? [...values.account_filters] : []

const fieldsOf = (values: WebhookValues): WebhookChange => ({
  url: values.url.trim(),
  description: values.description.trim() === "" ? null : values.description.trim(),
  event_types: patternsIn(values.event_types),
  account_filters: accountsIn(values),
  payload_filter: objectIn(values.payload_filter) ?? null,
  ...(values.headers === undefined ? {} : { headers: headersOf(values.headers) }),
  ...(values.max_in_flight === "" ? {} : { max_in_flight: Number(values.max_in_flight) }),
  max_per_second: numberOf(values.max_per_second) ?? null,
  ordering: values.ordering,
  signing: values.signing === "both" ? ["service", "standard"] : [values.signing],
  format: values.format,
  include: [...values.include],
  compression: values.compression === "none" ? null : values.compression,
  batch: values.batched
    ? { max_events: Number(values.batch), max_wait_ms: numberOf(values.batch_wait_ms) ?? 0 }
    : null
})

/** Only what differs from `before`, so that a change made elsewhere meanwhile stays. */
export const changeOf = (before: WebhookValues, values: WebhookValues): WebhookChange => {
  const had: Readonly<Record<string, unknown>> = { ...fieldsOf(before) }
  return Object.fromEntries(
    Object.entries(fieldsOf(values)).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(had[field])
    )
  )
}

export const creationOf = (values: WebhookValues): NewWebhook => ({
  ...fieldsOf(values),
  url: values.url.trim(),
  event_types: patternsIn(values.event_types),
  network: values.network,
  ...(values.secret === undefined ? {} : { secret: values.secret })
})
