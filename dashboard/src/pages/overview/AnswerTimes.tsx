/** How long answers took, over the chosen period. */
import { useStats } from "../../api/stats.ts"
import { AnswerTimes as Chart } from "../../charts/AnswerTimes.tsx"
import { Section } from "../../parts/Page.tsx"
import { type Period, periods } from "../../parts/Period.tsx"

interface AnswerTimesProps {
  readonly period: Period
  readonly webhookId?: string
}

export const AnswerTimes = ({ period, webhookId }: AnswerTimesProps) => {
  const stats = useStats(period, webhookId).data
  if (stats === undefined || stats.total + stats.attempts === 0) return null
  return (
    <Section title="Answer times" note="stronger is more deliveries">
      {stats.delivered === 0 ? (
        <p className="quiet">Nothing was delivered in {periods[period].name}.</p>
      ) : (
        <Chart series={stats.series ?? []} period={period} />
      )}
    </Section>
  )
}
