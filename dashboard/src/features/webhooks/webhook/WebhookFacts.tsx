/** What a webhook asks for and how it is called: in short beside its charts, and whole in tabs of their own. */
import { ActionIcon, Button } from "@mantine/core"
import { IconCopy } from "@tabler/icons-react"
import type { ReactNode } from "react"
import { useMay } from "../../../api/account.ts"
import type { Webhook } from "../../../api/ledgerhook.ts"
import { Section } from "../../../ui/page/Page.tsx"
import { Code } from "../../../ui/value/Code.tsx"
import { copyText } from "../../../ui/value/copying.ts"
import { EventTypeName } from "../../../ui/value/EventTypeName.tsx"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { Time } from "../../../ui/value/Time.tsx"
import { count, cut, plural } from "../../../words/format.ts"
import { WhyNot } from "../../progress/WhyNot.tsx"
import { RotateSecret } from "./RotateSecret.tsx"
import classes from "./Webhook.module.css"

/** Characters of an id before its middle: "wh_01K…VEJN". */
const ID_HEAD = 6
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

const typesOf = ({ event_types }: Webhook) =>
  event_types.map((type) => <EventTypeName key={type}>{type}</EventTypeName>)

const orderOf = ({ ordering }: Webhook) => (ordering === "strict" ? "strict" : "by first attempt")

const limitsOf = ({ max_in_flight, max_per_second }: Webhook) =>
  `${count(max_in_flight)} at once, ${
    max_per_second === null ? "no rate limit" : `${count(max_per_second)} a second`
  }`

const signedAs = ({ signing }: Webhook) => signing.map((one) => signatures[one]).join(" and ")

export const WebhookFacts = ({ webhook }: { readonly webhook: Webhook }) => (
  <Section title="Configuration">
    <dl className="facts">
      <dt>Network</dt>
      <dd>{webhook.network}</dd>
      <dt>Events</dt>
      <dd>{typesOf(webhook)}</dd>
      <dt>Accounts</dt>
      <dd>{webhook.account_filters_count === 0 ? "all" : count(webhook.account_filters_count)}</dd>
      <dt>Filter</dt>
      <dd>{webhook.payload_filter === null ? "none" : "on fields of the payload"}</dd>
      <dt>Order</dt>
      <dd>{orderOf(webhook)}</dd>
      <dt>Limits</dt>
      <dd>{limitsOf(webhook)}</dd>
      <dt>Signed as</dt>
      <dd>{signedAs(webhook)}</dd>
      <dt>Created</dt>
      <dd>
        <Time at={webhook.created_at} />
      </dd>
      <dt>Id</dt>
      <dd className={classes["id"]}>
        <span className="mono" title={webhook.id}>
          {cut(webhook.id, ID_HEAD)}
        </span>
        <ActionIcon
          size="xs"
          variant="subtle"
          color="gray"
          aria-label="Copy the id"
          onClick={() => copyText(webhook.id)}
        >
          <IconCopy size={16} aria-hidden />
        </ActionIcon>
      </dd>
    </dl>
  </Section>
)

/** What it asks for, and why something did not come. */
export const Wanted = ({ webhook }: { readonly webhook: Webhook }) => (
  <div className="stack">
    <Section title="Events it wants">
      <dl className="facts">
        <dt>Network</dt>
        <dd>{webhook.network}</dd>
        <dt>Event types</dt>
        <dd>{typesOf(webhook)}</dd>
        <dt>Accounts</dt>
        <dd>
          <Addresses addresses={webhook.account_filters} />
        </dd>
        <dt>Payload filter</dt>
        <dd>
          {webhook.payload_filter === null ? (
            "none"
          ) : (
            <Code what="the payload filter">{JSON.stringify(webhook.payload_filter, null, 2)}</Code>
          )}
        </dd>
      </dl>
    </Section>
    {useMay("deliveries:read") && <WhyNot webhook={webhook} />}
  </div>
)

/** How it is called, and how its receiver knows that a request is genuine. */
export const Requests = ({ webhook }: { readonly webhook: Webhook }) => (
  <div className="stack">
    <Section title="Requests">
      <dl className="facts">
        <dt>Address</dt>
        <dd className="mono">
          <PlainText>{webhook.url}</PlainText>
        </dd>
        <dt>Format</dt>
        <dd>
          {webhook.format === "cloudevents" ? "CloudEvents 1.0" : "the event in JSON"}
          {webhook.include.length > 0 && ` with ${webhook.include.map((one) => added[one]).join(" and ")}`}
          {webhook.compression !== null && `, compressed with ${webhook.compression}`}
          {webhook.batch !== null && `, up to ${count(webhook.batch.max_events)} in a request`}
        </dd>
        <dt>Order</dt>
        <dd>{orderOf(webhook)}</dd>
        <dt>Limits</dt>
        <dd>{limitsOf(webhook)}</dd>
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
        <dt>Changed</dt>
        <dd>
          <Time at={webhook.updated_at} />
        </dd>
      </dl>
    </Section>
    <Section title="Secret">
      <div className="stack-small">
        <p>
          Each request is signed with it ({signedAs(webhook)}). Your server computes the same signature and
          refuses a request that has another one.
        </p>
        <div className="row">
          {useMay("webhooks:write") && <RotateSecret webhook={webhook} />}
          <Button component="a" href="/guides/receiving#verifying-a-signature" variant="default">
            How to verify a signature
          </Button>
        </div>
      </div>
    </Section>
  </div>
)
