/** How deliveries go: four figures, each with its course. */
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { DeliveryStats } from "../../api/ledgerhook.ts"
import { useNewestWebhooks } from "../../api/webhooks.ts"
import { placeOf, useCursor } from "../../charts/cursor.ts"
import { Spark, type SparkProps } from "../../charts/Spark.tsx"
import { firstPeriod, type Period, PeriodSelect, periods } from "../../ui/filter/Period.tsx"
import { Loading } from "../../ui/page/Loading.tsx"
import { Empty, FailureNotice } from "../../ui/page/Notices.tsx"
import { Section } from "../../ui/page/Page.tsx"
import { count, dayTime, duration, hourMinute, plural } from "../../words/format.ts"
import { fromFirst, isTooNew } from "../statistics/fit.ts"
import { useStats } from "../statistics/useStats.ts"
import classes from "./Overview.module.css"

const route = getRouteApi("/shell/")

interface FigureProps {
  readonly name: string
  readonly value: ReactNode
  readonly detail?: ReactNode
  readonly children: ReactNode
}

const Figure = ({ name, value, detail, children }: FigureProps) => (
  <section aria-label={name}>
    <div className="figure-name">{name}</div>
    <div className="figure-value">
      {value} {detail && <span className="figure-detail">{detail}</span>}
    </div>
    {children}
  </section>
)

const msOf = (ms: number | null) => (ms === null ? "–" : duration(ms))

/** The lowest rate of which the course is drawn to scale. */
const LEAST_RATE = 90

interface FiguresProps {
  readonly stats: DeliveryStats
  readonly period: Period
}

/** The points of the charts, and the one at the cursor. */
const usePoint = (stats: DeliveryStats, period: Period) => {
  const series = fromFirst(stats.series ?? [])
  const times = series.map(({ at }) => Date.parse(at))
  const place = placeOf(
    times.map((at) => ({ at })),
    periods[period].pointMs,
    useCursor()
  )
  return { point: place === undefined ? undefined : series[place], series, times }
}

const Figures = ({ stats, period }: FiguresProps) => {
  const { point, series, times } = usePoint(stats, period)
  // At the cursor the figures are those of its time.
  const { delivered, failed, first_attempt_success_rate: rate, p50_ms, p99_ms, pending } = point ?? stats
  const rates = series.map((one) => one.first_attempt_success_rate)
  const spark = (props: Omit<SparkProps, "times">) => !isTooNew(series) && <Spark {...props} times={times} />
  return (
    <div className={classes["figures"]}>
      <Figure
        name="First attempt succeeded"
        value={rate === null ? "–" : `${rate}%`}
        detail={`of ${plural(delivered + failed + pending, "delivery", "deliveries")}`}
      >
        {spark({
          kind: "line",
          description: `The share of first attempts that succeeded, over ${periods[period].name}.`,
          values: rates.map((value) => value ?? 100),
          least: Math.min(LEAST_RATE, ...rates.map((value) => value ?? LEAST_RATE))
        })}
      </Figure>
      <Figure name="Delivered" value={count(delivered)}>
        {spark({
          kind: "bars",
          description: `Deliveries that were delivered, over ${periods[period].name}.`,
          values: series.map((one) => one.delivered)
        })}
      </Figure>
      <Figure name="Answer time, p50 and p99" value={msOf(p50_ms)} detail={msOf(p99_ms)}>
        {spark({
          kind: "line",
          description: `The time within which half of the deliveries were answered, over ${periods[period].name}.`,
          values: series.map((one) => one.p50_ms)
        })}
      </Figure>
      <Figure
        name="Waiting"
        value={count(pending)}
        detail={
          pending === 0 ? (
            "nothing waits"
          ) : (
            <Link to="/deliveries" search={{ status: "retrying" }}>
              Show retries
            </Link>
          )
        }
      >
        {spark({
          kind: "bars",
          waiting: true,
          description: `Deliveries that wait, by the time they were made, over ${periods[period].name}.`,
          values: series.map((one) => one.pending)
        })}
      </Figure>
    </div>
  )
}

/** The time that the figures are of. */
const Time = ({ stats, period }: FiguresProps) => {
  const { point, series } = usePoint(stats, period)
  if (isTooNew(series)) return `too new to draw over ${periods[period].name}`
  if (point === undefined) return `in ${periods[period].name}`
  const at = Date.parse(point.at)
  return `from ${dayTime(at, Date.now())} to ${hourMinute(at + periods[period].pointMs)}`
}

/** Of all charts of the page. */
export const usePeriod = (): Period => {
  const { period }: { readonly period?: Period | undefined } = route.useSearch()
  const first = firstPeriod(useNewestWebhooks())
  return period ?? first
}

export const Deliveries = () => {
  const period = usePeriod()
  const navigate = useNavigate()
  const setPeriod = (next: Period) =>
    navigate({ to: "/", search: { period: next }, replace: true, resetScroll: false })
  const stats = useStats(period)
  return (
    <Section
      title="Deliveries"
      note={stats.data && <Time stats={stats.data} period={period} />}
      actions={<PeriodSelect value={period} onChange={setPeriod} />}
    >
      {stats.data === undefined ? (
        stats.isError ? (
          <FailureNotice failure={stats.error} onRetry={() => stats.refetch()} />
        ) : (
          <Loading />
        )
      ) : stats.data.total + stats.data.attempts === 0 ? (
        <Empty title={`No deliveries in ${periods[period].name}`}>
          A delivery is made when a ledger has an event that a webhook asks for.{" "}
          <Link to="/webhooks">See the webhooks</Link>, or send one of them a test event.
        </Empty>
      ) : (
        <Figures stats={stats.data} period={period} />
      )}
    </Section>
  )
}
