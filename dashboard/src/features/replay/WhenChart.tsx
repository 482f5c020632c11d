/** The webhook's deliveries of 30 days, by the time they were made, and what happened to it: a time is chosen on it. */

import { BrushedChart } from "../../charts/BrushedChart.tsx"
import { periods } from "../../ui/filter/Period.tsx"
import { useStats } from "../statistics/useStats.ts"
import type { Span } from "./spans.ts"
import type { ReplayValues } from "./wanted.ts"

type Bounds = Pick<ReplayValues, "since" | "until">

const timeOf = (local: string): number | undefined =>
  Number.isNaN(Date.parse(local)) ? undefined : new Date(local).getTime()

interface WhenChartProps {
  readonly webhookId: string
  readonly spans: ReadonlyArray<Span>
  readonly chosen: Bounds
  readonly onChoose: (since: number | undefined, until: number | undefined) => void
}

export const WhenChart = ({ webhookId, spans, chosen, onChoose }: WhenChartProps) => {
  const stats = useStats("30d", webhookId).data
  if (stats?.series === undefined || stats.total === 0) return null
  return (
    <BrushedChart
      what="Deliveries"
      points={stats.series.map(({ at, delivered, failed, pending }) => ({
        at: Date.parse(at),
        good: delivered,
        bad: failed + pending
      }))}
      pointMs={periods["30d"].pointMs}
      names={{ good: "delivered", bad: "not delivered" }}
      spans={spans
        .filter(({ happened, since }) => happened && since !== "")
        .map(({ label, since, until }) => ({
          id: label + since,
          from: timeOf(since)!,
          to: timeOf(until),
          label
        }))}
      chosen={{ since: timeOf(chosen.since), until: timeOf(chosen.until) }}
      onChoose={({ since, until }) => onChoose(since, until)}
    />
  )
}
