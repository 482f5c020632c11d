/** What a webhook asks for, and how it is called. */
import type { ReactNode } from "react"
import type { Webhook } from "../../api/ledgerhook.ts"
import { Code } from "../../parts/Code.tsx"
import { EventTypeName } from "../../parts/EventTypeName.tsx"
import { count, plural } from "../../parts/format.ts"
import { Section } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Time } from "../../parts/Time.tsx"

/** Addresses that are shown at once. */
const SHOWN = 5

const signatures = { service: "X-Service-Signature", standard: "Standard Webhooks" } as const
const added = { memos: "memos", balance_changes: "balance changes" } as const

const Addresses = ({ addresses }: { readonly addresses: ReadonlyArray<string> }) => {
  if (addresses.length === 0) return "any"
  const list = (shown: ReadonlyArray<string>): ReactNode =>
    shown.map((address) => (
      <div key={address} className="mono">
        {address}
      </div>
    ))
  if (addresses.length <= SHOWN) return list(addresses)
  return (
    <>
      {list(addresses.slice(0, SHOWN))}
      <details>
        <summary>and {plural(addresses.length - SHOWN, "more address", "more addresses")}</summary>
        <Code what="all addresses">{addresses.join("\n")}</Code>
      </details>
    </>
  )
}

export const WebhookFacts = ({ webhook }: { readonly webhook: Webhook }) => (
  <Section title="Configuration">
    <dl className="facts">
      <dt>Address</dt>
      <dd className="mono">
        <PlainText>{webhook.url}</PlainText>
      </dd>
      <dt>Network</dt>
      <dd>{webhook.network}</dd>
      <dt>Event types</dt>
      <dd>
        {webhook.event_types.map((type) => (
          <EventTypeName key={type}>{type}</EventTypeName>
        ))}
      </dd>
      <dt>Accounts</dt>
      <dd>
        <Addresses addresses={webhook.account_filters} />
      </dd>
      {webhook.payload_filter !== null && (
        <>
          <dt>Payload filter</dt>
          <dd>
            <Code what="the payload filter">{JSON.stringify(webhook.payload_filter, null, 2)}</Code>
          </dd>
        </>
      )}
      <dt>Signature</dt>
      <dd>{webhook.signing.map((one) => signatures[one]).join(" and ")}</dd>
      <dt>Format</dt>
      <dd>
        {webhook.format === "cloudevents" ? "CloudEvents 1.0" : "the event in JSON"}
        {webhook.include.length > 0 && ` with ${webhook.include.map((one) => added[one]).join(" and ")}`}
        {webhook.compression !== null && `, compressed with ${webhook.compression}`}
        {webhook.batch !== null && `, up to ${count(webhook.batch.max_events)} in a request`}
      </dd>
      <dt>Order</dt>
      <dd>{webhook.ordering === "strict" ? "strict" : "by first attempt"}</dd>
      <dt>Limits</dt>
      <dd>
        {plural(webhook.max_in_flight, "request")} at the same time
        {webhook.max_per_second !== null && `, ${count(webhook.max_per_second)} a second`}
      </dd>
      {Object.keys(webhook.headers).length > 0 && (
        <>
          <dt>Headers of your own</dt>
          <dd>
            {Object.keys(webhook.headers).map((name) => (
              <div key={name} className="mono">
                <PlainText>{name}</PlainText>: ***
              </div>
            ))}
          </dd>
        </>
      )}
      <dt>Created</dt>
      <dd>
        <Time at={webhook.created_at} />
      </dd>
      <dt>Changed</dt>
      <dd>
        <Time at={webhook.updated_at} />
      </dd>
      <dt>Id</dt>
      <dd className="mono">{webhook.id}</dd>
    </dl>
  </Section>
)
