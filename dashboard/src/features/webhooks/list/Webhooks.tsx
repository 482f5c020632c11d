/** All webhooks of the account by health: who wants what, how the last day went, what waits. */
import { Button } from "@mantine/core"
import { IconPlus } from "@tabler/icons-react"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { type ComponentProps, useMemo } from "react"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { type ListedWebhook, listWebhooks } from "../../../api/ledgerhook.ts"
import { PAGE_ROWS, useList } from "../../../api/list.ts"
import { useWebhookCounts } from "../../../api/webhooks.ts"
import { DataTable } from "../../../ui/list/DataTable.tsx"
import { ExportMenu } from "../../../ui/list/ExportMenu.tsx"
import { type Fields, fieldsOf } from "../../../ui/list/exporting.ts"
import { Empty } from "../../../ui/page/Notices.tsx"
import { Page } from "../../../ui/page/Page.tsx"
import { patternsIn } from "../../../words/eventTypes.ts"
import { count, plural, totalOf } from "../../../words/format.ts"
import { setIn } from "../../../words/search.ts"
import { columnsWith, NARROW_PIXELS, Narrow } from "./columns.tsx"
import { type Counts, Filters } from "./Filters.tsx"
import type { WebhookFilters } from "./filters.ts"
import { clickedOrder, type Order, ordered, orderIn, orderText, sortable } from "./order.ts"

const route = getRouteApi("/shell/webhooks")

/** "9 webhooks, 2 failing" */
const titleOf = (counts: Counts | undefined): string => {
  if (counts === undefined) return "Webhooks"
  const worst = (["failing", "disabled", "waiting"] as const).find((state) => counts[state] > 0)
  const all = plural(totalOf(counts), "webhook")
  return worst === undefined ? all : `${all}, ${count(counts[worst])} ${worst}`
}

/** The head of each column that sorts the list. Only a list that is loaded whole can be sorted by any. */
const sortsOf = (
  order: Order | undefined,
  isWhole: boolean,
  sort: (next: Order | undefined) => void
): ComponentProps<typeof DataTable>["sorts"] => ({
  health: {
    direction: order === undefined ? "descending" : undefined,
    onSort: () => sort(undefined)
  },
  ...(isWhole &&
    Object.fromEntries(
      sortable.map((column) => [
        column,
        {
          direction: order?.column === column ? order.direction : undefined,
          onSort: () => sort(clickedOrder(order, column))
        }
      ])
    ))
})

const fields: Fields<ListedWebhook> = {
  ...fieldsOf(["id", "description", "url", "network", "status", "paused"]),
  health: ({ health }) => health.state,
  since: ({ health }) => health.since,
  last_error: ({ health }) => health.last_error,
  ...fieldsOf(["event_types", "account_filters_count", "ordering", "created_at", "updated_at"])
}

const Rows = () => {
  const mayWrite = useMay("webhooks:write")
  const withStats = useMay("deliveries:read")
  const columns = useMemo(() => columnsWith(withStats), [withStats])
  const filters = route.useSearch()
  const { event_type, health, network, search, sort } = filters
  const navigate = useNavigate()
  const filter = (next: WebhookFilters) =>
    navigate({ to: "/webhooks", search: { ...filters, ...next }, replace: true })
  const counts = useWebhookCounts().data?.states
  const load = (cursor: string | undefined) =>
    call(
      listWebhooks({
        search,
        health,
        network,
        eventType: event_type === undefined ? undefined : patternsIn([event_type])[0],
        sort: "health",
        limit: PAGE_ROWS,
        cursor,
        ...(withStats ? { stats: "24h" } : {})
      })
    )
  const list = useList(["webhooks", "list", search, health, network, event_type], load)
  const isWhole = list.data !== undefined && !list.hasNextPage
  const order = isWhole ? orderIn(sort) : undefined
  const create = mayWrite && (
    <Button component={Link} to="/webhooks/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New webhook
    </Button>
  )
  return (
    <Page
      title={titleOf(counts)}
      actions={
        <>
          <ExportMenu what="webhooks" fields={fields} load={load} />
          {create}
        </>
      }
    >
      <div className="stack-small">
        <Filters counts={counts} filters={filters} change={filter} />
        <DataTable
          label="Webhooks"
          columns={columns}
          list={{ ...list, data: list.data && [...ordered(list.data, order)] } as typeof list}
          sorts={sortsOf(order, isWhole, (next) => filter({ sort: next && orderText(next) }))}
          rowId={({ id }) => id}
          lines={2}
          narrow={Narrow}
          narrowPixels={NARROW_PIXELS}
          empty={
            setIn({ ...filters, sort: undefined }) === 0 ? (
              <Empty title="There is no webhook yet">
                <p>A webhook is an address of yours that gets events as they happen.</p>
                {create}
              </Empty>
            ) : (
              <Empty title="No webhook matches">
                Choose other filters, or search for another part of its name, address or id.
              </Empty>
            )
          }
        />
      </div>
    </Page>
  )
}

export const Webhooks = () =>
  useMay("webhooks:read") ? (
    <Rows />
  ) : (
    <Page title="Webhooks">This key may not see webhooks (scope webhooks:read).</Page>
  )
