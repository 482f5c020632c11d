/** How long answers took, over the chosen period. */

import { type Period, periods } from "../../ui/filter/Period.tsx"
import { Section } from "../../ui/page/Page.tsx"
import { plural } from "../../words/format.ts"
import { AnswerTimes as Chart } from "./AnswerTimesChart.tsx"
import { fromFirst, isTooNew, pointsSince } from "./fit.ts"
import { useStats } from "./useStats.ts"

interface AnswerTimesProps {
  readonly period: Period
  readonly webhookId?: string
  /** Before it there can be no answers. By default: before the first one. */
  readonly sinceMs?: number
}

export const AnswerTimes = ({ period, webhookId, sinceMs }: AnswerTimesProps) => {
  const stats = useStats(period, webhookId).data
  if (stats === undefined || stats.total + stats.attempts === 0) return null
  const all = stats.series ?? []
  const series = sinceMs === undefined ? fromFirst(all) : pointsSince(all, periods[period].pointMs, sinceMs)
  return (
    <Section title="Answer times" note="stronger is more deliveries">
      {stats.delivered === 0 ? (
        <p className="quiet">Nothing was delivered in {periods[period].name}.</p>
      ) : isTooNew(series) ? (
        <p className="quiet">
          {plural(stats.delivered, "answer")} so far: too new to draw over {periods[period].name}.
        </p>
      ) : (
        <Chart series={series} period={period} />
      )}
    </Section>
  )
}
