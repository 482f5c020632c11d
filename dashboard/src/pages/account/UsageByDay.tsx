/** The month's delivery attempts day by day. */
import { useMemo } from "react"
import { Chart } from "../../parts/Chart.tsx"
import { shortCount } from "../../parts/format.ts"

interface Day {
  /** Such as 2026-11-21, in UTC. */
  readonly date: string
  readonly deliveries: number
}

export const UsageByDay = ({ days }: { readonly days: ReadonlyArray<Day> }) => {
  const times = useMemo(() => days.map(({ date }) => Date.parse(date) / 1_000), [days])
  const series = useMemo(
    () => [
      { label: "Delivery attempts", colour: "accent", values: days.map(({ deliveries }) => deliveries) }
    ],
    [days]
  )
  if (days.every(({ deliveries }) => deliveries === 0)) return null
  return (
    <Chart
      description="Delivery attempts on mainnet for each day of the month."
      times={times}
      series={series}
      kind="stacked"
      format={shortCount}
    />
  )
}
