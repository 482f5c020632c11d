/** Deliveries, newest first, with all filters of the API. */
import { getRouteApi, Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { type Delivery, listDeliveries } from "../../api/ledgerhook.ts"
import { PAGE_ROWS, useList } from "../../api/list.ts"
import { nameIn, useNewestWebhooks, useWebhook } from "../../api/webhooks.ts"
import { setIn } from "../../app/search.ts"
import { columnsOf, DataTable } from "../../parts/DataTable.tsx"
import { count } from "../../parts/format.ts"
import { LiveSwitch, refreshOf, useLive } from "../../parts/Live.tsx"
import { NarrowOnly } from "../../parts/Narrow.tsx"
import { Empty } from "../../parts/Notices.tsx"
import { Page, Section } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Status } from "../../parts/Status.tsx"
import { Time } from "../../parts/Time.tsx"
import { DeliveryFilterBar } from "./DeliveryFilterBar.tsx"
import { listQuery } from "./filters.ts"
import { RetryAll } from "./RetryAll.tsx"

const route = getRouteApi("/shell/deliveries")
const column = columnsOf<Delivery>()

/** `webhookName` gives the name of a webhook's id. */
const columnsWith = (webhookName: (id: string) => string) =>
  column.columns([
    column.accessor("status", {
      header: "Status",
      meta: { width: "7.75rem" },
      cell: ({ getValue }) => <Status of={getValue()} />
    }),
    column.accessor("event_type", {
      header: "Event",
      // On a narrow screen, what the status leaves.
      meta: { width: "min(14rem, 100cqw - 7.75rem)" },
      cell: ({ row: { original } }) => (
        <>
          <Link to="/deliveries/$id" params={{ id: original.id }} title={original.id}>
            {original.event_type}
          </Link>
          <NarrowOnly>
            <Time at={original.created_at} />
          </NarrowOnly>
        </>
      )
    }),
    column.accessor("webhook_id", {
      header: "Webhook",
      meta: { from: "sm" },
      cell: ({ getValue }) => (
        <Link to="/webhooks/$id" params={{ id: getValue() }}>
          <PlainText>{webhookName(getValue())}</PlainText>
        </Link>
      )
    }),
    column.accessor("attempts", {
      header: "Attempts",
      meta: { width: "6.5rem", from: "md", align: "end" },
      cell: ({ getValue }) => count(getValue())
    }),
    column.accessor("last_error", {
      header: "Last error",
      meta: { from: "md" },
      cell: ({ getValue }) => <PlainText>{getValue() ?? ""}</PlainText>
    }),
    column.accessor("created_at", {
      header: "Created",
      meta: { width: "11.5rem", from: "sm" },
      cell: ({ getValue }) => <Time at={getValue()} />
    })
  ])

const Rows = () => {
  const filters = route.useSearch()
  const mayRetry = useMay("deliveries:write")
  const newest = useNewestWebhooks()
  const chosen = useWebhook(filters.webhook_id)
  const live = useLive()
  const queryKey = ["deliveries", filters]
  const list = useList(
    queryKey,
    (cursor) => call(listDeliveries({ ...listQuery(filters), limit: PAGE_ROWS, cursor })),
    refreshOf(live)
  )
  const columns = useMemo(() => {
    const known = chosen === undefined ? newest : [chosen, ...newest]
    return columnsWith((id) => nameIn(known, id))
  }, [newest, chosen])
  return (
    <Page
      title="Deliveries"
      actions={
        <>
          <LiveSwitch live={live} queryKey={queryKey} rows={list.data?.length ?? 0} />
          {mayRetry && <RetryAll filters={filters} />}
        </>
      }
    >
      <DeliveryFilterBar filters={filters} />
      <DataTable
        label="Deliveries"
        columns={columns}
        list={list}
        rowId={({ id }) => id}
        empty={
          setIn(filters) > 0 ? (
            <Empty title="No delivery matches">Change the filters, or clear them.</Empty>
          ) : (
            <Empty title="No delivery yet">
              A delivery is made when a ledger has an event that a webhook asks for.{" "}
              <Link to="/webhooks">See the webhooks</Link>, or send one of them a test event.
            </Empty>
          )
        }
      />
    </Page>
  )
}

export const Deliveries = () =>
  useMay("deliveries:read") ? (
    <Rows />
  ) : (
    <Page title="Deliveries">
      <Section>This key may not see deliveries (scope deliveries:read).</Section>
    </Page>
  )
