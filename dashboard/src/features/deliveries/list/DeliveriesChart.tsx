/** Deliveries over time, by the time they were made: those delivered, and those that are not. It chooses a period. */
import type { DeliveryStats } from "../../../api/ledgerhook.ts"
import { nameOf } from "../../../api/webhooks.ts"
import { BrushedChart } from "../../../charts/BrushedChart.tsx"
import { type Period, periods } from "../../../ui/filter/Period.tsx"
import { Loading } from "../../../ui/page/Loading.tsx"
import { dayTime } from "../../../words/format.ts"
import { useIncidents } from "../../health/incidents/useIncidents.ts"
import type { WebhookOf } from "./columns.tsx"
import type { DeliveryFilters } from "./filters.ts"

/** Lines above the bars: the newest incidents. */
const SPANS = 3
const DAY_MS = 86_400_000

const timeOf = (iso: string | undefined) => {
  const at = Date.parse(iso ?? "")
  return Number.isNaN(at) ? undefined : at
}
const isoOf = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

interface DeliveriesChartProps {
  readonly stats: DeliveryStats | undefined
  readonly period: Period
  readonly filters: DeliveryFilters
  readonly webhookOf: WebhookOf
  readonly onChoose: (chosen: Pick<DeliveryFilters, "since" | "until">) => void
}

export const DeliveriesChart = ({ stats, period, filters, webhookOf, onChoose }: DeliveriesChartProps) => {
  const { ms, pointMs } = periods[period]
  const incidents = useIncidents(Math.ceil(ms / DAY_MS), filters.webhook_id).data?.data ?? []
  const series = stats?.series ?? []
  if (series.length === 0) return <Loading lines={5} height={20} />
  const start = Date.parse(series[0]!.at)
  return (
    <BrushedChart
      what={filters.event_type === undefined ? "Deliveries" : "Deliveries of all types"}
      points={series.map(({ at, delivered, failed, pending }) => ({
        at: Date.parse(at),
        good: delivered,
        bad: failed + pending
      }))}
      pointMs={pointMs}
      names={{ good: "delivered", bad: "not delivered" }}
      spans={incidents
        .filter(({ ended_at }) => ended_at === null || Date.parse(ended_at) >= start)
        .slice(0, SPANS)
        .map(({ id, webhook_id, began_at, ended_at }) => ({
          id,
          from: Date.parse(began_at),
          to: timeOf(ended_at ?? undefined),
          label: `${nameOf(webhookOf(webhook_id), webhook_id)} ${ended_at === null ? "fails" : "failed"} since ${dayTime(Date.parse(began_at), Date.now())}`
        }))}
      chosen={{ since: timeOf(filters.since), until: timeOf(filters.until) }}
      onChoose={({ since, until }) => onChoose({ since: isoOf(since), until: isoOf(until) })}
    />
  )
}
