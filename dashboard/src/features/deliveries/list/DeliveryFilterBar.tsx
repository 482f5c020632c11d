/** All filters of the list of deliveries. They are in the page's address, so a link shows the same list. */
import { Button } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import type { DeliveryStats } from "../../../api/ledgerhook.ts"
import { nameOf, useWebhook } from "../../../api/webhooks.ts"
import { Chips } from "../../../ui/filter/Chips.tsx"
import { EventTypeSelect } from "../../../ui/filter/EventTypeSelect.tsx"
import { FilterText, FilterTime } from "../../../ui/filter/FilterBar.tsx"
import { FilterChip, SetChip } from "../../../ui/filter/FilterChip.tsx"
import { type Period, PeriodSelect } from "../../../ui/filter/Period.tsx"
import { WebhookSelect } from "../../../ui/filter/WebhookSelect.tsx"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { StatusIcon } from "../../../ui/value/Status.tsx"
import { dayTime } from "../../../words/format.ts"
import { setIn } from "../../../words/search.ts"
import classes from "./Deliveries.module.css"
import { type DeliveryFilters, type DeliverySearch, statuses } from "./filters.ts"

/** "09:41 – 14:32", "since 09:41" */
const timesText = ({ since, until }: DeliveryFilters): string | undefined => {
  const at = (iso: string) => (Number.isNaN(Date.parse(iso)) ? iso : dayTime(Date.parse(iso), Date.now()))
  if (since === undefined) return until === undefined ? undefined : `until ${at(until)}`
  return until === undefined ? `since ${at(since)}` : `${at(since)} – ${at(until)}`
}

/** "rpl_job_01J8ZQ…FBHCAE" */
const short = (id: string) => (id.length > 24 ? `${id.slice(0, 14)}…${id.slice(-6)}` : id)

interface DeliveryFilterBarProps {
  readonly search: DeliverySearch
  /** Of the chart, and of `stats`. */
  readonly period: Period
  readonly stats: DeliveryStats | undefined
}

export const DeliveryFilterBar = ({ search, period, stats }: DeliveryFilterBarProps) => {
  const navigate = useNavigate()
  const webhook = useWebhook(search.webhook_id)
  const { period: asked, ...filters } = search
  const change = (changed: DeliverySearch) =>
    navigate({ to: "/deliveries", search: { ...search, ...changed }, replace: true, resetScroll: false })
  const counts = stats && { ...stats, pending: stats.pending - stats.retrying }
  return (
    <search className={classes["filters"]} aria-label="Filters">
      <div className={classes["chips"]}>
        <Chips
          label="Status"
          chosen={search.status}
          choose={(status) => change({ status })}
          chips={[
            { value: undefined, label: "All" },
            ...statuses.map((status) => ({
              value: status,
              label: status[0]!.toUpperCase() + status.slice(1),
              icon: <StatusIcon of={status} />,
              rows: counts?.[status]
            }))
          ]}
        />
        <i className={classes["divide"]} />
        <FilterChip
          label="Webhook"
          value={search.webhook_id && <PlainText>{nameOf(webhook, search.webhook_id)}</PlainText>}
          onClear={() => change({ webhook_id: undefined })}
        >
          {(close) => (
            <WebhookSelect
              placeholder="Every webhook"
              value={search.webhook_id}
              onChange={(webhook_id) => {
                change({ webhook_id })
                close()
              }}
            />
          )}
        </FilterChip>
        <FilterChip label="Type" value={search.event_type} onClear={() => change({ event_type: undefined })}>
          {(close) => (
            <EventTypeSelect
              value={search.event_type}
              onChange={(event_type) => {
                change({ event_type })
                close()
              }}
            />
          )}
        </FilterChip>
        <SetChip
          label="Created"
          value={timesText(search)}
          onClear={() => change({ since: undefined, until: undefined })}
        />
        <SetChip
          label="Job"
          value={search.job_id && short(search.job_id)}
          onClear={() => change({ job_id: undefined })}
        />
        <SetChip
          label="Event"
          value={search.event_id && short(search.event_id)}
          onClear={() => change({ event_id: undefined })}
        />
        <FilterChip label="More" value={undefined} onClear={() => {}}>
          {() => (
            <div className="stack-small">
              <FilterTime
                label="Created after"
                value={search.since}
                onChange={(since) => change({ since })}
              />
              <FilterTime
                label="Created before"
                value={search.until}
                onChange={(until) => change({ until })}
              />
              <FilterText
                label="Id of a replay or a retry job"
                placeholder="rpl_job_…"
                value={search.job_id}
                onChange={(job_id) => change({ job_id })}
              />
              <FilterText
                label="Event id"
                placeholder="xrpl:…"
                value={search.event_id}
                onChange={(event_id) => change({ event_id })}
              />
            </div>
          )}
        </FilterChip>
        {setIn(filters) > 0 && (
          <Button
            variant="subtle"
            onClick={() => navigate({ to: "/deliveries", search: { period: asked }, replace: true })}
          >
            Clear filters
          </Button>
        )}
      </div>
      <PeriodSelect value={period} onChange={(next) => change({ period: next })} />
    </search>
  )
}
