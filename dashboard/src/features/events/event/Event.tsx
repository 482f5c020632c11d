/** One event: what happened in words, from whom to whom, its JSON, and beside it the webhooks that want it. */
import { Button, CopyButton, SegmentedControl } from "@mantine/core"
import { IconCopy } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { useCoverage } from "../../../api/coverage.ts"
import { type Event as EventData, getEvent } from "../../../api/ledgerhook.ts"
import { Loading } from "../../../ui/page/Loading.tsx"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { Page, Section } from "../../../ui/page/Page.tsx"
import { Copy } from "../../../ui/value/Copy.tsx"
import { EventTypeName } from "../../../ui/value/EventTypeName.tsx"
import { JsonPanel } from "../../../ui/value/JsonPanel.tsx"
import { Time } from "../../../ui/value/Time.tsx"
import { clockTime, count, cut, localTime } from "../../../words/format.ts"
import { visible } from "../../../words/visible.ts"
import { labelOf } from "../fields.ts"
import { networkIn } from "../list/filters.ts"
import { partiesIn } from "../summary.ts"
import classes from "./Event.module.css"
import { explorerOf, simulatedIn } from "./explorer.ts"
import { headlineOf } from "./headline.ts"
import { Payload } from "./Payload.tsx"
import { Receivers } from "./Receivers.tsx"
import { ReplayTo } from "./ReplayTo.tsx"

const route = getRouteApi("/shell/events/$id")
const events = { to: "/events", label: "Events" } as const

const DAY_MS = 86_400_000

/** Characters of an address, and of a hash, before its middle. */
const [ADDRESS_HEAD, HASH_HEAD] = [10, 8]

interface PartProps {
  readonly event: EventData
  readonly transaction: string
}

const payloadOf = (event: EventData) => event.payload as Readonly<Record<string, unknown>>

/** A link only if the transaction is on a public ledger. */
const Explorer = ({ event, transaction }: PartProps) => {
  const coverage = useCoverage()
  const simulated = simulatedIn(coverage.data?.data ?? [], event.network, event.ledger_index)
  if (simulated === true) return <span className="note">simulated: no public explorer has it</span>
  if (simulated === undefined) return null
  return (
    <a href={explorerOf(event.network, transaction)} target="_blank" rel="noreferrer noopener">
      Show in the public explorer
    </a>
  )
}

const Lane = ({ event }: { readonly event: EventData }) => {
  const parties = partiesIn(payloadOf(event))
  if (parties === undefined) return null
  const [from, to] = parties.map(({ address, field }) => (
    <div key={field}>
      <div className="note">{labelOf(field)}</div>
      <Link
        to="/events"
        search={{ account: address, network: event.network }}
        title={`${visible(address)}: events of this account`}
      >
        {visible(address.length > 20 ? cut(address, ADDRESS_HEAD) : address)}
      </Link>
    </div>
  ))
  return (
    <div className={classes["lane"]}>
      {from}
      <svg className={classes["arrow"]} aria-hidden viewBox="0 0 16 16" preserveAspectRatio="xMaxYMid">
        <path d="M6 3l5 5-5 5" />
      </svg>
      {to}
    </div>
  )
}

const Shown = ({ event }: { readonly event: EventData }) => {
  const [as, setAs] = useState("json")
  return (
    <JsonPanel
      what="the event"
      title="Event"
      text={JSON.stringify(event, null, 2)}
      isPlain={as === "fields"}
      actions={
        <SegmentedControl
          aria-label="Show the event as"
          withItemsBorders={false}
          data={[
            { value: "json", label: "JSON" },
            { value: "fields", label: "Fields" }
          ]}
          value={as}
          onChange={setAs}
        />
      }
    >
      {as === "fields" ? <Payload payload={payloadOf(event)} network={event.network} /> : undefined}
    </JsonPanel>
  )
}

const Facts = ({ event, transaction }: PartProps) => (
  <dl className="facts">
    <dt>Event id</dt>
    <dd className={classes["id"]}>
      <span className="mono" title={event.event_id}>
        {event.event_id.replace(transaction, cut(transaction, HASH_HEAD))}
      </span>
      <Copy value={event.event_id} what="the event id" look="icon" />
    </dd>
    <dt>Transaction</dt>
    <dd className={classes["id"]}>
      <span className="mono" title={transaction}>
        {cut(transaction, HASH_HEAD)}
      </span>
      <Copy value={transaction} what="the transaction's hash" look="icon" />
      <Explorer event={event} transaction={transaction} />
    </dd>
    <dt>Position</dt>
    <dd>{count(event.position)} in the ledger</dd>
  </dl>
)

const Note = ({ event: { event_type, ledger_index, network, timestamp } }: { readonly event: EventData }) => {
  const closed = Date.parse(timestamp)
  const isToday = Date.now() - closed < DAY_MS
  return (
    <>
      <Link to="/catalogue/$type" params={{ type: event_type }} className={classes["type"]}>
        <EventTypeName>{event_type}</EventTypeName>
      </Link>
      in ledger {count(ledger_index)}
      {network !== "mainnet" && ` of ${network}`}, closed{" "}
      {isToday ? `at ${clockTime(closed)}, ` : `on ${localTime(new Date(closed))}`}
      {isToday && <Time at={timestamp} />}
    </>
  )
}

const Actions = ({ event }: { readonly event: EventData }) => {
  const mayReplay = useMay("deliveries:write")
  return (
    <>
      {mayReplay && <ReplayTo eventId={event.event_id} />}
      <CopyButton value={event.event_id} timeout={2_000}>
        {({ copied, copy }) => (
          <Button variant="default" leftSection={<IconCopy size={16} aria-hidden />} onClick={copy}>
            {copied ? "Copied" : "Copy id"}
          </Button>
        )}
      </CopyButton>
    </>
  )
}

const Content = ({ id }: { readonly id: string }) => {
  const { network } = route.useSearch()
  const query = useQuery({
    queryKey: ["event", network, id],
    queryFn: () => call(getEvent(id, { network: networkIn(network) })),
    // An event never changes.
    staleTime: Number.POSITIVE_INFINITY
  })
  const event = query.data
  if (event === undefined) {
    return query.isError ? (
      <Page within={events} title="Event">
        <FailureNotice failure={query.error} onRetry={() => query.refetch()} />
      </Page>
    ) : (
      <Loading />
    )
  }
  const { event_type, ledger_index } = event
  // xrpl:<ledger index>:<hash>:<type>
  const transaction = event.event_id.split(":")[2] ?? ""
  const ofLedger = {
    ledger_index_min: ledger_index,
    ledger_index_max: ledger_index,
    network: event.network
  }
  return (
    <Page
      within={[events, { to: "/events", search: ofLedger, label: `Ledger ${count(ledger_index)}` }]}
      name={event_type}
      title={visible(headlineOf(event_type, payloadOf(event)))}
      note={<Note event={event} />}
      actions={<Actions event={event} />}
    >
      <div className={classes["columns"]}>
        <div className={classes["event"]}>
          <Lane event={event} />
          <Shown event={event} />
          <Facts event={event} transaction={transaction} />
        </div>
        <Receivers event={event} transaction={transaction} />
      </div>
    </Page>
  )
}

export const Event = () => {
  const { id } = route.useParams()
  return useMay("events:read") ? (
    <Content key={id} id={id} />
  ) : (
    <Page within={events} title="Event">
      <Section>This key may not see events (scope events:read).</Section>
    </Page>
  )
}
