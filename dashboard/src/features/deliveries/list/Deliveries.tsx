/**
 * Deliveries, newest first, with all filters of the API and a chart that chooses a period. While rows are selected the
 * list stands still and counts what is new.
 */
import { Button } from "@mantine/core"
import { IconDownload, IconPlayerPauseFilled, IconPlayerPlayFilled } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { type ReactNode, useMemo, useState } from "react"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { listDeliveries } from "../../../api/ledgerhook.ts"
import { PAGE_ROWS, useList } from "../../../api/list.ts"
import { liveRefresh } from "../../../api/refresh.ts"
import { nameOf, useNewestWebhooks, useTroubledWebhooks, useWebhook } from "../../../api/webhooks.ts"
import { type Period, periods } from "../../../ui/filter/Period.tsx"
import { DataTable } from "../../../ui/list/DataTable.tsx"
import { type Live, refreshOf, useLive, useLiveState, useToNewest } from "../../../ui/list/Live.tsx"
import { nothing, type Selection } from "../../../ui/list/selection.ts"
import { Empty } from "../../../ui/page/Notices.tsx"
import { Page, Section } from "../../../ui/page/Page.tsx"
import { count, plural } from "../../../words/format.ts"
import { setIn } from "../../../words/search.ts"
import { useStats } from "../../statistics/useStats.ts"
import { columnsWith, narrowWith } from "./columns.tsx"
import classes from "./Deliveries.module.css"
import { DeliveriesChart } from "./DeliveriesChart.tsx"
import { DeliveryFilterBar } from "./DeliveryFilterBar.tsx"
import { type DeliveryFilters, type DeliverySearch, listQuery } from "./filters.ts"
import { headlineOf } from "./headline.ts"
import { RetryAll } from "./RetryAll.tsx"
import { SelectedDeliveries } from "./SelectedDeliveries.tsx"

const route = getRouteApi("/shell/deliveries")

/** The order that the API gives. */
const sorts = { created_at: { direction: "descending" } } as const

/** How many deliveries that match were made after `newest`. */
const useNewer = (filters: DeliveryFilters, newest: string | undefined, isStill: boolean): string => {
  const newer = useQuery({
    queryKey: ["deliveries", "newer", filters, newest],
    queryFn: () => call(listDeliveries({ ...listQuery(filters), since: newest!, limit: PAGE_ROWS })),
    enabled: isStill && newest !== undefined && filters.until === undefined,
    refetchInterval: liveRefresh
  })
  const { data = [], has_more = false } = newer.data ?? {}
  if (data.length === 0) return "nothing newer yet"
  return has_more
    ? `more than ${count(data.length)} newer deliveries`
    : plural(data.length, "newer delivery", "newer deliveries")
}

interface LiveNoteProps {
  readonly live: Live
  readonly rows: number
  readonly queryKey: ReadonlyArray<unknown>
}

const LiveNote = ({ live, rows, queryKey }: LiveNoteProps) => {
  const state = useLiveState(live, rows)
  const toNewest = useToNewest(queryKey)
  const isLive = live.on && !state.startsWith("paused")
  return (
    <span className={classes["live"]} data-on={isLive} role="status">
      <i className={classes["dot"]} />
      {!live.on ? "paused" : state === "every 3 seconds" ? "live" : state}
      {live.on && rows > PAGE_ROWS && (
        <Button size="xs" variant="default" onClick={toNewest}>
          Show the newest
        </Button>
      )}
    </span>
  )
}

/** The names of webhooks: the newest ones, those that need attention, and the chosen one. */
const useWebhookOf = (chosenId: string | undefined) => {
  const newest = useNewestWebhooks()
  const troubled = useTroubledWebhooks().data?.data
  const chosen = useWebhook(chosenId)
  return useMemo(() => {
    const known = new Map(
      [...(troubled ?? []), ...newest, ...(chosen ? [chosen] : [])].map((one) => [one.id, one])
    )
    return (id: string) => known.get(id)
  }, [newest, troubled, chosen])
}

/** Bars of the day that the last hour touches. If no other has deliveries, the hour shows more. */
const YOUNG_BARS = 5

/** The chart's period: the one that the viewer has chosen, otherwise the one that shows more. */
const usePeriod = (asked: Period | undefined, webhookId: string | undefined): Period => {
  const series = useStats("24h", webhookId).data?.series ?? []
  const older = series.slice(0, -YOUNG_BARS)
  const isYoung =
    older.length > 0 && older.every(({ delivered, failed, pending }) => delivered + failed + pending === 0)
  return asked ?? (isYoung ? "1h" : "24h")
}

const Rows = () => {
  const search: DeliverySearch = route.useSearch()
  const { period: asked, ...filters } = search
  const navigate = useNavigate()
  const mayRetry = useMay("deliveries:write")
  const webhookOf = useWebhookOf(filters.webhook_id)
  const period = usePeriod(asked, filters.webhook_id)
  const stats = useStats(period, filters.webhook_id).data
  const troubled = useTroubledWebhooks().data?.data
  const live = useLive(true)
  // What is selected belongs to the list of these filters.
  const listed = JSON.stringify(filters)
  const [chosen, setChosen] = useState({ listed, selection: nothing, all: false })
  const { selection, all } = chosen.listed === listed ? chosen : { selection: nothing, all: false }
  const choose = (next: { readonly selection: Selection; readonly all: boolean }) => {
    setMessage(undefined)
    setChosen({ listed, ...next })
  }
  const [message, setMessage] = useState<ReactNode>()
  const isStill = all || selection.ids.size > 0
  const queryKey = ["deliveries", filters]
  const list = useList(
    queryKey,
    (cursor) => call(listDeliveries({ ...listQuery(filters), limit: PAGE_ROWS, cursor })),
    isStill ? false : refreshOf(live)
  )
  const rows = list.data ?? []
  const newer = useNewer(filters, rows[0]?.created_at, isStill)
  const columns = useMemo(() => columnsWith(webhookOf), [webhookOf])
  const narrow = useMemo(() => narrowWith(webhookOf), [webhookOf])
  const only =
    filters.webhook_id === undefined
      ? undefined
      : { id: filters.webhook_id, name: nameOf(webhookOf(filters.webhook_id), filters.webhook_id) }
  const headline =
    troubled === undefined
      ? { title: "Deliveries", note: "" }
      : headlineOf(troubled, only, stats?.failed ?? 0, periods[period].name)
  const clear = () => choose({ selection: nothing, all: false })
  return (
    <Page
      title={headline.title}
      note={
        isStill ? (
          <span role="status">The list stands still while rows are selected; {newer}.</span>
        ) : (
          <>
            <LiveNote live={live} rows={rows.length} queryKey={queryKey} />
            {headline.note !== "" && `; ${headline.note}`}
          </>
        )
      }
      actions={
        <>
          {mayRetry && <RetryAll filters={filters} />}
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => choose({ selection: nothing, all: true })}
          >
            Export
          </Button>
          <Button
            variant="default"
            leftSection={
              live.on ? (
                <IconPlayerPauseFilled size={16} aria-hidden />
              ) : (
                <IconPlayerPlayFilled size={16} aria-hidden />
              )
            }
            onClick={() => live.set(!live.on)}
          >
            {live.on ? "Pause" : "Resume"}
          </Button>
        </>
      }
    >
      <div className={classes["page"]}>
        <DeliveryFilterBar search={search} period={period} stats={stats} />
        <DeliveriesChart
          stats={stats}
          period={period}
          filters={filters}
          webhookOf={webhookOf}
          onChoose={(times) =>
            navigate({
              to: "/deliveries",
              search: { ...search, ...times } satisfies DeliverySearch,
              replace: true,
              resetScroll: false
            })
          }
        />
        {message && <p role="status">{message}</p>}
        <DataTable
          label="Deliveries"
          columns={columns}
          narrow={narrow}
          sorts={sorts}
          list={list}
          rowId={({ id }) => id}
          selection={{ of: selection, onChange: (next) => choose({ selection: next, all: false }) }}
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
        {isStill && (
          <SelectedDeliveries
            filters={filters}
            rows={rows.filter(({ id }) => selection.ids.has(id))}
            all={all}
            onAll={() => choose({ selection, all: true })}
            onClear={clear}
            onDone={(what) => {
              clear()
              setMessage(what)
            }}
          />
        )}
      </div>
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
