/** How a webhook's deliveries went in a period. */
import { SegmentedControl } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../../api/call.ts"
import { getDeliveryStats } from "../../api/ledgerhook.ts"
import { autoRefresh } from "../../api/refresh.ts"
import { Loading } from "../../parts/Loading.tsx"
import { FailureNotice } from "../../parts/Notices.tsx"
import { Section } from "../../parts/Page.tsx"
import { DeliveryCharts } from "../overview/DeliveryCharts.tsx"
import { DeliveryFigures } from "../overview/DeliveryFigures.tsx"

const periods = ["1h", "24h", "7d", "30d"] as const
type Period = (typeof periods)[number]

const Stats = ({ id, period }: { readonly id: string; readonly period: Period }) => {
  const stats = useQuery({
    queryKey: ["stats", period, id],
    queryFn: () => call(getDeliveryStats({ webhookId: id, period, series: true })),
    refetchInterval: autoRefresh
  })
  if (stats.isError) return <FailureNotice failure={stats.error} onRetry={() => stats.refetch()} />
  if (stats.data === undefined) return <Loading />
  const { total, series = [] } = stats.data
  if (total === 0) return <Section>No delivery in this period.</Section>
  return (
    <>
      <DeliveryFigures stats={stats.data} webhookId={id} />
      <DeliveryCharts series={series} />
    </>
  )
}

export const WebhookStats = ({ id }: { readonly id: string }) => {
  const [period, setPeriod] = useState<Period>("24h")
  return (
    <>
      <div>
        <SegmentedControl
          aria-label="Period"
          data={[...periods]}
          value={period}
          onChange={(value) => setPeriod(value as Period)}
        />
      </div>
      <Stats id={id} period={period} />
    </>
  )
}
