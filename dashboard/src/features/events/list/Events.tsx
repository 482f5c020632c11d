/** What happened on the ledger, newest first, with all filters of the API. */
import { getRouteApi, Link } from "@tanstack/react-router"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { type Event, listEvents } from "../../../api/ledgerhook.ts"
import { PAGE_ROWS, useList } from "../../../api/list.ts"
import { columnsOf, DataTable } from "../../../ui/list/DataTable.tsx"
import { ExportMenu } from "../../../ui/list/ExportMenu.tsx"
import { type Fields, fieldsOf } from "../../../ui/list/exporting.ts"
import { LiveSwitch, refreshOf, useLive } from "../../../ui/list/Live.tsx"
import { NarrowOnly } from "../../../ui/list/Narrow.tsx"
import { Empty } from "../../../ui/page/Notices.tsx"
import { Page, Section } from "../../../ui/page/Page.tsx"
import { EventTypeName } from "../../../ui/value/EventTypeName.tsx"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { Time } from "../../../ui/value/Time.tsx"
import { count, plainDigits } from "../../../words/format.ts"
import { setIn } from "../../../words/search.ts"
import { accountsIn, amountIn } from "../summary.ts"
import { EventFilterBar } from "./EventFilterBar.tsx"
import { listQuery } from "./filters.ts"

const route = getRouteApi("/shell/events")
const column = columnsOf<Event>()

const payloadOf = (event: Event) => event.payload as Readonly<Record<string, unknown>>

const columns = column.columns([
  column.accessor("event_type", {
    header: "Event",
    meta: { width: "14rem" },
    cell: ({ row: { original } }) => (
      <>
        <Link
          to="/events/$id"
          params={{ id: original.event_id }}
          search={{ network: original.network }}
          title={original.event_id}
        >
          <EventTypeName>{original.event_type}</EventTypeName>
        </Link>
        <NarrowOnly>
          <Time at={original.timestamp} />{" "}
          <PlainText>{amountIn(payloadOf(original)).replace(/^(?=.)/, "· ")}</PlainText>
        </NarrowOnly>
      </>
    )
  }),
  column.accessor((event) => amountIn(payloadOf(event)), {
    id: "amount",
    header: "Amount",
    meta: { from: "sm" },
    cell: ({ getValue }) => (
      <span title={getValue()}>
        <PlainText>{getValue()}</PlainText>
      </span>
    )
  }),
  column.accessor((event) => accountsIn(payloadOf(event)), {
    id: "accounts",
    header: "Accounts",
    meta: { from: "md" },
    cell: ({ getValue }) => <PlainText>{getValue()}</PlainText>
  }),
  column.accessor("ledger_index", {
    header: "Ledger",
    meta: { width: "7rem", from: "sm", align: "end" },
    cell: ({ getValue }) => count(getValue())
  }),
  column.accessor("timestamp", {
    header: "Ledger closed",
    meta: { width: "11.5rem", from: "sm" },
    cell: ({ getValue }) => <Time at={getValue()} />
  })
])

const fields: Fields<Event> = {
  ...fieldsOf(["event_id", "event_type", "network", "ledger_index", "timestamp"]),
  amount: (event) => plainDigits(amountIn(payloadOf(event))),
  payload: payloadOf
}

const Rows = () => {
  const filters = route.useSearch()
  const live = useLive()
  const queryKey = ["events", filters]
  const load = (cursor: string | undefined) =>
    call(listEvents({ ...listQuery(filters), limit: PAGE_ROWS, cursor }))
  const list = useList(queryKey, load, refreshOf(live))
  return (
    <Page
      title="Events"
      actions={
        <>
          <LiveSwitch live={live} queryKey={queryKey} rows={list.data?.length ?? 0} />
          <ExportMenu what="events" fields={fields} load={load} />
        </>
      }
    >
      <EventFilterBar filters={filters} />
      <DataTable
        label="Events"
        columns={columns}
        list={list}
        rowId={({ event_id }) => event_id}
        empty={
          setIn(filters) > 0 ? (
            <Empty title="No event matches">
              Change the filters, or clear them. <Link to="/coverage">Ledger coverage</Link> shows which
              ledgers the service has taken.
            </Empty>
          ) : (
            <Empty title="No event yet">
              The service finds events in each ledger that it takes.{" "}
              <Link to="/coverage">See which ledgers it has taken</Link>.
            </Empty>
          )
        }
      />
    </Page>
  )
}

export const Events = () =>
  useMay("events:read") ? (
    <Rows />
  ) : (
    <Page title="Events">
      <Section>This key may not see events (scope events:read).</Section>
    </Page>
  )
