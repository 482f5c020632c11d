/** All webhooks of the account, and how the deliveries of the last 24 hours went. */
import { Button } from "@mantine/core"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { useMemo } from "react"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { type ListedWebhook, listWebhooks } from "../../api/ledgerhook.ts"
import { PAGE_ROWS, useList } from "../../api/list.ts"
import { columnsOf, DataTable } from "../../parts/DataTable.tsx"
import { FilterBar, FilterText } from "../../parts/FilterBar.tsx"
import { count, shortCount } from "../../parts/format.ts"
import { NarrowOnly } from "../../parts/Narrow.tsx"
import { Empty } from "../../parts/Notices.tsx"
import { Page, Section } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Status } from "../../parts/Status.tsx"

const route = getRouteApi("/shell/webhooks")
const column = columnsOf<ListedWebhook>()

const rateOf = ({ stats }: ListedWebhook): string =>
  stats === undefined || stats.delivered + stats.failed === 0 ? "–" : `${stats.success_rate}%`

const statsColumns = [
  column.display({
    id: "rate",
    header: "Success, 24 h",
    meta: { width: "8.5rem", from: "sm", align: "end" },
    cell: ({ row: { original } }) => rateOf(original)
  }),
  column.display({
    id: "waiting",
    header: "Waiting",
    meta: { width: "6.5rem", from: "sm", align: "end" },
    cell: ({ row: { original } }) => shortCount(original.stats?.pending ?? 0)
  })
]

const columnsWith = (withStats: boolean) =>
  column.columns([
    column.accessor("url", {
      header: "Webhook",
      cell: ({ row: { original } }) => (
        <>
          <Link to="/webhooks/$id" params={{ id: original.id }} title={original.url}>
            <PlainText>{original.description ?? original.url}</PlainText>
          </Link>
          {withStats && (
            <NarrowOnly>
              {rateOf(original)} success, {shortCount(original.stats?.pending ?? 0)} waiting
            </NarrowOnly>
          )}
        </>
      )
    }),
    column.accessor("health.state", {
      header: "Health",
      meta: { width: "7rem" },
      cell: ({ getValue }) => <Status>{getValue()}</Status>
    }),
    ...(withStats ? statsColumns : []),
    column.accessor("consecutive_failures", {
      header: "Failed in a row",
      meta: { width: "8.5rem", from: "sm", align: "end" },
      cell: ({ getValue }) => count(getValue())
    }),
    column.accessor("network", { header: "Network", meta: { width: "7rem", from: "md" } }),
    column.accessor("event_types", {
      header: "Event types",
      meta: { from: "lg" },
      cell: ({ getValue }) =>
        getValue()
          .map((type) => (type === "*" ? "all" : type))
          .join(", ")
    })
  ])

const Rows = () => {
  const mayWrite = useMay("webhooks:write")
  const withStats = useMay("deliveries:read")
  const columns = useMemo(() => columnsWith(withStats), [withStats])
  const { search } = route.useSearch()
  const navigate = useNavigate()
  const searchFor = (next: string | undefined) =>
    navigate({ to: "/webhooks", search: { search: next }, replace: true })
  const list = useList(["webhooks", "list", search], (cursor) =>
    call(listWebhooks({ search, limit: PAGE_ROWS, cursor, ...(withStats ? { stats: "24h" } : {}) }))
  )
  const create = mayWrite && (
    <Button component={Link} to="/webhooks/new">
      New webhook
    </Button>
  )
  return (
    <Page title="Webhooks" actions={create}>
      <FilterBar active={search === undefined ? 0 : 1} onClear={() => searchFor(undefined)}>
        <FilterText
          label="Search"
          placeholder="A part of the name, address or id"
          value={search}
          onChange={searchFor}
        />
      </FilterBar>
      <DataTable
        label="Webhooks"
        columns={columns}
        list={list}
        rowId={({ id }) => id}
        empty={
          search === undefined ? (
            <Empty title="No webhook yet">
              <div className="stack" style={{ alignItems: "center" }}>
                A webhook is an address of yours that gets events as they happen.
                {create}
              </div>
            </Empty>
          ) : (
            <Empty title="No webhook matches">Search for another part of its name, address or id.</Empty>
          )
        }
      />
    </Page>
  )
}

export const Webhooks = () =>
  useMay("webhooks:read") ? (
    <Rows />
  ) : (
    <Page title="Webhooks">
      <Section>This key may not see webhooks (scope webhooks:read).</Section>
    </Page>
  )
