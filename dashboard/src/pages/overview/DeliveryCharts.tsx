/** Deliveries over time by outcome, and response times. */
import { useMemo } from "react"
import type { DeliveryStatsPoint } from "../../api/ledgerhook.ts"
import { Chart } from "../../parts/Chart.tsx"
import { duration, shortCount } from "../../parts/format.ts"
import { Section } from "../../parts/Page.tsx"

export const DeliveryCharts = ({ series }: { readonly series: ReadonlyArray<DeliveryStatsPoint> }) => {
  const times = useMemo(() => series.map(({ at }) => new Date(at).getTime() / 1_000), [series])
  const outcomes = useMemo(
    () => [
      { label: "Delivered", colour: "good", values: series.map((point) => point.delivered) },
      { label: "Waiting", colour: "waiting", values: series.map((point) => point.pending) },
      { label: "Failed", colour: "bad", values: series.map((point) => point.failed) }
    ],
    [series]
  )
  const latencies = useMemo(
    () => [
      { label: "Half within (p50)", colour: "accent", values: series.map((point) => point.p50_ms) },
      { label: "99% within (p99)", colour: "waiting", values: series.map((point) => point.p99_ms) }
    ],
    [series]
  )
  return (
    <div className="columns" style={{ "--column": "28rem" } as React.CSSProperties}>
      <Section title="Deliveries by outcome">
        <Chart
          description="Deliveries over time: delivered, waiting and failed."
          times={times}
          series={outcomes}
          kind="stacked"
          format={shortCount}
        />
      </Section>
      <Section title="Response time of receivers">
        <Chart
          description="The response times within which half and 99% of the deliveries were answered, over time."
          times={times}
          series={latencies}
          kind="lines"
          format={duration}
        />
      </Section>
    </div>
  )
}
