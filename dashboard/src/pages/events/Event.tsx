/** One event: what happened, in readable units and as JSON, and which webhooks got it. */
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { useCoverage } from "../../api/coverage.ts"
import { type Event as EventData, getEvent } from "../../api/ledgerhook.ts"
import { Code } from "../../parts/Code.tsx"
import { Copy } from "../../parts/Copy.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { FailureNotice } from "../../parts/Notices.tsx"
import { Page, Section } from "../../parts/Page.tsx"
import { Time } from "../../parts/Time.tsx"
import { explorerOf, simulatedIn } from "./explorer.ts"
import { networkIn } from "./filters.ts"
import { Payload } from "./Payload.tsx"
import { Receivers } from "./Receivers.tsx"

const route = getRouteApi("/shell/events/$id")

interface PartProps {
  readonly event: EventData
  readonly transaction: string
}

/** A link only if the transaction is on a public ledger. */
const Explorer = ({ event, transaction }: PartProps) => {
  const coverage = useCoverage()
  const simulated = simulatedIn(coverage.data?.data ?? [], event.network, event.ledger_index)
  if (simulated === true) return <span className="quiet">simulated: no public explorer has it</span>
  if (simulated === undefined) return null
  return (
    <a href={explorerOf(event.network, transaction)} target="_blank" rel="noreferrer noopener">
      Show the transaction in the public explorer
    </a>
  )
}

const Facts = ({ event, transaction }: PartProps) => (
  <Section>
    <dl className="facts">
      <dt>Ledger</dt>
      <dd>
        {event.ledger_index} of {event.network} <Explorer event={event} transaction={transaction} />
      </dd>
      <dt>Ledger closed</dt>
      <dd>
        <Time at={event.timestamp} />
      </dd>
      <dt>Event id</dt>
      <dd>
        <span className="mono">{event.event_id}</span> <Copy value={event.event_id} what="the event id" />
      </dd>
    </dl>
  </Section>
)

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
      <Page within={{ to: "/events", label: "Events" }} title="Event">
        <FailureNotice failure={query.error} onRetry={() => query.refetch()} />
      </Page>
    ) : (
      <Loading />
    )
  }
  // xrpl:<ledger index>:<hash>:<type>
  const transaction = event.event_id.split(":")[2] ?? ""
  return (
    <Page within={{ to: "/events", label: "Events" }} title={event.event_type}>
      <Facts event={event} transaction={transaction} />
      <Section title="What happened">
        <Payload payload={event.payload as Readonly<Record<string, unknown>>} network={event.network} />
      </Section>
      <Receivers event={event} transaction={transaction} />
      <Section title="As JSON">
        <Code what="the event as JSON">{JSON.stringify(event, null, 2)}</Code>
      </Section>
    </Page>
  )
}

export const Event = () => {
  const { id } = route.useParams()
  return useMay("events:read") ? (
    <Content id={id} />
  ) : (
    <Page within={{ to: "/events", label: "Events" }} title="Event">
      <Section>This key may not see events (scope events:read).</Section>
    </Page>
  )
}
