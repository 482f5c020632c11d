/** How deliveries went, what waits, which webhooks need attention, and how far each network is. */
import { SegmentedControl } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAccount, useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { getDeliveryStats } from "../../api/ledgerhook.ts"
import { autoRefresh } from "../../api/refresh.ts"
import { count, shortCount } from "../../parts/format.ts"
import { Loading } from "../../parts/Loading.tsx"
import { Empty, FailureNotice } from "../../parts/Notices.tsx"
import { Page, Section } from "../../parts/Page.tsx"
import { DeliveryCharts } from "./DeliveryCharts.tsx"
import { DeliveryFigures } from "./DeliveryFigures.tsx"
import { Figure } from "./Figure.tsx"
import { LedgerAges } from "./LedgerAges.tsx"
import { WebhooksInTrouble } from "./WebhooksInTrouble.tsx"

const periods = ["1h", "24h", "7d", "30d"] as const
type Period = (typeof periods)[number]

const names: Record<Period, string> = {
  "1h": "the last hour",
  "24h": "the last 24 hours",
  "7d": "the last 7 days",
  "30d": "the last 30 days"
}

const Quota = () => {
  const { usage } = useAccount()
  const { deliveries, quota } = usage
  return (
    <Figure
      label="Quota used"
      value={
        quota === null ? shortCount(deliveries) : `${Math.floor((100 * deliveries) / Math.max(quota, 1))}%`
      }
      detail={
        quota === null
          ? "attempts this month; no limit"
          : `${count(deliveries)} of ${count(quota)} this month`
      }
    />
  )
}

const Deliveries = ({ period }: { readonly period: Period }) => {
  const stats = useQuery({
    queryKey: ["stats", period],
    queryFn: () => call(getDeliveryStats({ period, series: true })),
    refetchInterval: autoRefresh
  })
  if (stats.isError) return <FailureNotice failure={stats.error} onRetry={() => stats.refetch()} />
  if (stats.data === undefined) return <Loading />
  const { total, series = [] } = stats.data
  return (
    <>
      <DeliveryFigures stats={stats.data}>
        <Quota />
      </DeliveryFigures>
      {total === 0 ? (
        <Empty title={`No deliveries in ${names[period]}`}>
          A delivery is made when a ledger has an event that a webhook asks for.{" "}
          <Link to="/webhooks">See the webhooks</Link>, or send one of them a test event.
        </Empty>
      ) : (
        <DeliveryCharts series={series} />
      )}
    </>
  )
}

export const Overview = () => {
  const [period, setPeriod] = useState<Period>("24h")
  const [deliveries, webhooks, events] = [
    useMay("deliveries:read"),
    useMay("webhooks:read"),
    useMay("events:read")
  ]
  return (
    <Page
      title="Overview"
      actions={
        deliveries && (
          <SegmentedControl
            aria-label="Period"
            data={[...periods]}
            value={period}
            onChange={(value) => setPeriod(value as Period)}
          />
        )
      }
    >
      {deliveries ? (
        <Deliveries period={period} />
      ) : (
        <Section>This key may not see deliveries (scope deliveries:read).</Section>
      )}
      <div className="columns" style={{ "--column": "24rem" } as React.CSSProperties}>
        {webhooks && <WebhooksInTrouble />}
        {events && <LedgerAges />}
      </div>
    </Page>
  )
}
