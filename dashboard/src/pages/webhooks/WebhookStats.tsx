/** How a webhook's deliveries went in a period. */
import { SegmentedControl } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../api/call.ts"
import { getDeliveryStats } from "../../api/ledgerhook.ts"
import { autoRefresh } from "../../api/refresh.ts"
import { plural, shortCount } from "../../parts/format.ts"
import { FailureNotice, Loading } from "../../parts/Notices.tsx"
import { Panel } from "../../parts/Page.tsx"
import { DeliveryCharts } from "../overview/DeliveryCharts.tsx"
import { Figure } from "../overview/Figure.tsx"

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
  const { total, delivered, failed, pending, success_rate, avg_latency_ms, series = [] } = stats.data
  if (total === 0) return <Panel>No delivery in this period.</Panel>
  return (
    <>
      <div className="columns" style={{ "--column": "9rem" } as React.CSSProperties}>
        <Figure
          label="Success rate"
          value={delivered + failed === 0 ? "–" : `${success_rate}%`}
          detail={`of ${plural(delivered + failed, "finished delivery", "finished deliveries")}`}
          tone={failed > 0 ? "bad" : undefined}
        />
        <Figure label="Delivered" value={shortCount(delivered)} detail={`of ${shortCount(total)}`} />
        <Figure
          label="Failed"
          value={shortCount(failed)}
          detail={
            failed > 0 ? (
              <Link to="/deliveries" search={{ webhook_id: id, status: "failed" }}>
                Show them
              </Link>
            ) : (
              "none gave up"
            )
          }
          tone={failed > 0 ? "bad" : undefined}
        />
        <Figure
          label="Waiting"
          value={shortCount(pending)}
          detail={
            pending > 0 ? (
              <Link to="/deliveries" search={{ webhook_id: id, status: "retrying" }}>
                Show retries
              </Link>
            ) : (
              "nothing waits"
            )
          }
        />
        <Figure
          label="Response time"
          value={delivered === 0 ? "–" : `${Math.round(avg_latency_ms)} ms`}
          detail="mean, when it worked"
        />
      </div>
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
