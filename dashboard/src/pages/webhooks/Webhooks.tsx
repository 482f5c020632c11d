/** All webhooks of the account by health: who wants what, how the last day went, what waits. */
import { Button } from "@mantine/core"
import { IconPlus } from "@tabler/icons-react"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { useMemo } from "react"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { listWebhooks } from "../../api/ledgerhook.ts"
import { PAGE_ROWS, useList } from "../../api/list.ts"
import { useWebhookCounts } from "../../api/webhooks.ts"
import { DataTable } from "../../parts/DataTable.tsx"
import { FilterText } from "../../parts/FilterBar.tsx"
import { count, plural } from "../../parts/format.ts"
import { Empty } from "../../parts/Notices.tsx"
import { Page } from "../../parts/Page.tsx"
import { StatusIcon } from "../../parts/Status.tsx"
import { columnsWith } from "./columns.tsx"
import { type HealthState, states, type WebhookFilters } from "./filters.ts"
import classes from "./Webhooks.module.css"

const route = getRouteApi("/shell/webhooks")

type Counts = Readonly<Record<HealthState, number>>

const totalOf = (counts: Counts) => Object.values(counts).reduce((sum, some) => sum + some, 0)

/** "9 webhooks, 2 failing" */
const titleOf = (counts: Counts | undefined): string => {
  if (counts === undefined) return "Webhooks"
  const worst = (["failing", "disabled", "waiting"] as const).find((state) => counts[state] > 0)
  const all = plural(totalOf(counts), "webhook")
  return worst === undefined ? all : `${all}, ${count(counts[worst])} ${worst}`
}

interface ChipsProps {
  readonly counts: Counts | undefined
  readonly chosen: HealthState | undefined
  readonly choose: (state: HealthState | undefined) => void
}

/** Filters by health: only states that a webhook is in. */
const Chips = ({ counts, chosen, choose }: ChipsProps) => {
  const there = states.filter((state) => state === chosen || (counts?.[state] ?? 0) > 0)
  return (
    <fieldset className={classes["chips"]} aria-label="Health">
      <button type="button" aria-pressed={chosen === undefined} onClick={() => choose(undefined)}>
        All {counts && <span>{count(totalOf(counts))}</span>}
      </button>
      {there.map((state) => (
        <button key={state} type="button" aria-pressed={chosen === state} onClick={() => choose(state)}>
          <StatusIcon of={state} />
          {state[0]!.toUpperCase() + state.slice(1)} {counts && <span>{count(counts[state])}</span>}
        </button>
      ))}
    </fieldset>
  )
}

const Rows = () => {
  const mayWrite = useMay("webhooks:write")
  const withStats = useMay("deliveries:read")
  const columns = useMemo(() => columnsWith(withStats), [withStats])
  const { health, search } = route.useSearch()
  const navigate = useNavigate()
  const filter = (next: WebhookFilters) =>
    navigate({ to: "/webhooks", search: { health, search, ...next }, replace: true })
  const counts = useWebhookCounts().data?.states
  const list = useList(["webhooks", "list", search, health], (cursor) =>
    call(
      listWebhooks({
        search,
        health,
        sort: "health",
        limit: PAGE_ROWS,
        cursor,
        ...(withStats ? { stats: "24h" } : {})
      })
    )
  )
  const create = mayWrite && (
    <Button component={Link} to="/webhooks/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New webhook
    </Button>
  )
  return (
    <Page title={titleOf(counts)} actions={create}>
      <div className="stack-small">
        <search className={classes["filters"]} aria-label="Filters">
          <Chips counts={counts} chosen={health} choose={(next) => filter({ health: next })} />
          <FilterText
            label="Search"
            isLabelHidden
            placeholder="A part of the name, address or id"
            value={search}
            onChange={(next) => filter({ search: next })}
          />
        </search>
        <DataTable
          label="Webhooks"
          columns={columns}
          list={list}
          rowId={({ id }) => id}
          lines={2}
          empty={
            search === undefined && health === undefined ? (
              <Empty title="There is no webhook yet">
                <p>A webhook is an address of yours that gets events as they happen.</p>
                {create}
              </Empty>
            ) : (
              <Empty title="No webhook matches">
                Choose another state, or search for another part of its name, address or id.
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
