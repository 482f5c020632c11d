/** How the attempts of a webhook go: over time, and in sums of the last day. */
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import type { Webhook } from "../../../api/ledgerhook.ts"
import { firstPeriod, type Period, PeriodSelect, periods } from "../../../ui/filter/Period.tsx"
import { Loading } from "../../../ui/page/Loading.tsx"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { Section } from "../../../ui/page/Page.tsx"
import { count, duration, plural } from "../../../words/format.ts"
import { CALENDAR_DAYS } from "../../health/incidents/IncidentCalendar.tsx"
import { useIncidents } from "../../health/incidents/useIncidents.ts"
import { AnswerTimes } from "../../statistics/AnswerTimes.tsx"
import { AttemptsChart } from "../../statistics/AttemptsChart.tsx"
import { isTooNew, pointsSince } from "../../statistics/fit.ts"
import { useStats } from "../../statistics/useStats.ts"
import classes from "./Webhook.module.css"

const route = getRouteApi("/shell/webhooks/$id")

const TooNew = ({ attempts, failed }: { readonly attempts: number; readonly failed: number }) => (
  <p className="quiet">
    The webhook is too new to draw: {plural(attempts, "attempt")} so far,{" "}
    {failed === 0 ? "all answered" : `${count(failed)} of them failed`}.
  </p>
)

export const WebhookAttempts = ({ created_at, id }: Webhook) => {
  const search: { readonly period?: Period | undefined } = route.useSearch()
  const navigate = useNavigate()
  const period = search.period ?? firstPeriod([{ created_at }])
  const setPeriod = (next: Period) =>
    navigate({
      to: "/webhooks/$id",
      params: { id },
      search: { ...search, period: next },
      replace: true,
      resetScroll: false
    })
  const stats = useStats(period, id)
  const series = pointsSince(stats.data?.series ?? [], periods[period].pointMs, Date.parse(created_at))
  const incidents = useIncidents(CALENDAR_DAYS, id).data?.data ?? []
  return (
    <>
      <Section title="Attempts" actions={<PeriodSelect value={period} onChange={setPeriod} />}>
        {stats.data === undefined ? (
          stats.isError ? (
            <FailureNotice failure={stats.error} onRetry={() => stats.refetch()} />
          ) : (
            <Loading lines={6} height={20} />
          )
        ) : stats.data.attempts === 0 ? (
          <p className="quiet">No attempt in {periods[period].name}.</p>
        ) : isTooNew(series) ? (
          <TooNew attempts={stats.data.attempts} failed={stats.data.attempts_failed} />
        ) : (
          <AttemptsChart series={series} pointMs={periods[period].pointMs} incidents={incidents} />
        )}
      </Section>
      {!isTooNew(series) && <AnswerTimes period={period} webhookId={id} sinceMs={Date.parse(created_at)} />}
    </>
  )
}

const ms = (value: number | null) => (value === null ? "–" : duration(value))

export const LastDay = ({ id }: { readonly id: string }) => {
  const stats = useStats("24h", id).data
  if (stats === undefined) return null
  const rate = stats.first_attempt_success_rate
  return (
    <Section title="Last 24 hours">
      <dl className={`facts ${classes["sums"]}`}>
        <dt>Attempts</dt>
        <dd>{count(stats.attempts)}</dd>
        <dt>First attempt succeeded</dt>
        <dd>{rate === null ? "–" : `${rate}%`}</dd>
        <dt>Delivered</dt>
        <dd>{count(stats.delivered)}</dd>
        <dt>Given up</dt>
        <dd>{count(stats.failed)}</dd>
        <dt>p50, p99</dt>
        <dd>{stats.p50_ms === null ? "–" : `${ms(stats.p50_ms)}, ${ms(stats.p99_ms)}`}</dd>
      </dl>
    </Section>
  )
}
