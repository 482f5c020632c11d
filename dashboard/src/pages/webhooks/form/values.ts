/** The fields of the form of a webhook, and the request that they make. Pure. */
import type { NewWebhook, Webhook, WebhookChange } from "../../../api/ledgerhook.ts"
import { addressesIn } from "../../../parts/addresses.ts"
import { patternsIn } from "../../../parts/eventTypes.ts"

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
  account_filters: string
  /** JSON; empty: none. */
  payload_filter: string
  /** Undefined: the headers stay as they are, because their values are not known here. */
  headers: ReadonlyArray<HeaderValue> | undefined
  max_in_flight: number | string
  max_per_second: number | string
  signing: "service" | "standard" | "both"
  format: Webhook["format"]
  include: Webhook["include"]
  compression: "none" | "gzip" | "zstd"
  /** Events in a request; empty: one, not as a batch. */
  batch: number | string
  batch_wait_ms: number | string
  /** Of a new webhook; empty: the service makes one. */
  secret: string
}

export const newValues = (environment: "live" | "test"): WebhookValues => ({
  url: "",
  description: "",
  network: environment === "live" ? "mainnet" : "testnet",
  event_types: ["*"],
  account_filters: "",
  payload_filter: "",
  headers: [],
  max_in_flight: 16,
  max_per_second: "",
  signing: "service",
  format: "ledgerhook",
  include: [],
  compression: "none",
  batch: "",
  batch_wait_ms: 0,
  secret: ""
})

export const valuesOf = (webhook: Webhook): WebhookValues => ({
  url: webhook.url,
  description: webhook.description ?? "",
  network: webhook.network,
  event_types: webhook.event_types,
  account_filters: webhook.account_filters.join("\n"),
  payload_filter: webhook.payload_filter === null ? "" : JSON.stringify(webhook.payload_filter, null, 2),
  headers: undefined,
  max_in_flight: webhook.max_in_flight,
  max_per_second: webhook.max_per_second ?? "",
  signing: webhook.signing.length > 1 ? "both" : webhook.signing[0]!,
  format: webhook.format,
  include: webhook.include,
  compression: webhook.compression ?? "none",
  batch: webhook.batch?.max_events ?? "",
  batch_wait_ms: webhook.batch?.max_wait_ms ?? 0,
  secret: ""
})

/** Undefined if the text is no JSON object. */
export const filterOf = (text: string): object | null | undefined => {
  if (text.trim() === "") return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const headersOf = (headers: ReadonlyArray<HeaderValue>): Record<string, string> =>
  Object.fromEntries(headers.flatMap(({ name, value }) => (name.trim() === "" ? [] : [[name.trim(), value]])))

/** An empty or unreadable number is left to the service to name. */
const numberOf = (value: number | string): number | undefined => (value === "" ? undefined : Number(value))

export const changeOf = (values: WebhookValues): WebhookChange => ({
  url: values.url.trim(),
  description: values.description.trim() === "" ? null : values.description.trim(),
  event_types: patternsIn(values.event_types),
  account_filters: [...addressesIn(values.account_filters).addresses],
  payload_filter: filterOf(values.payload_filter) ?? null,
  ...(values.headers === undefined ? {} : { headers: headersOf(values.headers) }),
  ...(values.max_in_flight === "" ? {} : { max_in_flight: Number(values.max_in_flight) }),
  max_per_second: numberOf(values.max_per_second) ?? null,
  signing: values.signing === "both" ? ["service", "standard"] : [values.signing],
  format: values.format,
  include: [...values.include],
  compression: values.compression === "none" ? null : values.compression,
  batch:
    values.batch === ""
      ? null
      : { max_events: Number(values.batch), max_wait_ms: numberOf(values.batch_wait_ms) ?? 0 }
})

export const creationOf = (values: WebhookValues): NewWebhook => ({
  ...changeOf(values),
  url: values.url.trim(),
  event_types: patternsIn(values.event_types),
  network: values.network,
  ...(values.secret === "" ? {} : { secret: values.secret })
})

/** The form's field that a message of the API begins with, such as `event_types[1] must be …`. */
export const fieldOf = (message: string, fields: ReadonlyArray<string>): string | undefined => {
  const name = /^[a-z_]+/.exec(message)?.[0]
  return fields.find((field) => field === name)
}
