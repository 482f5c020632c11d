/** The figures of a period's deliveries, of all webhooks or of one. */
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { DeliveryStats } from "../../api/ledgerhook.ts"
import { plural, shortCount } from "../../parts/format.ts"
import { Figure } from "./Figure.tsx"

interface DeliveryFiguresProps {
  readonly stats: DeliveryStats
  /** Undefined: all webhooks. */
  readonly webhookId?: string
  /** Figures after these. */
  readonly children?: ReactNode
}

export const DeliveryFigures = ({ stats, webhookId, children }: DeliveryFiguresProps) => {
  const { total, delivered, failed, pending, success_rate, avg_latency_ms } = stats
  const tone = failed > 0 ? "bad" : undefined
  const show = (status: "failed" | "retrying", text: string) => (
    <Link to="/deliveries" search={{ webhook_id: webhookId, status }}>
      {text}
    </Link>
  )
  return (
    <div className="columns" style={{ "--column": "9rem" } as React.CSSProperties}>
      <Figure
        label="Success rate"
        value={delivered + failed === 0 ? "–" : `${success_rate}%`}
        detail={`of ${plural(delivered + failed, "finished delivery", "finished deliveries")}`}
        tone={tone}
      />
      <Figure label="Delivered" value={shortCount(delivered)} detail={`of ${shortCount(total)}`} />
      <Figure
        label="Failed"
        value={shortCount(failed)}
        detail={failed > 0 ? show("failed", "Show them") : "none gave up"}
        tone={tone}
      />
      <Figure
        label="Waiting"
        value={shortCount(pending)}
        detail={pending > 0 ? show("retrying", "Show retries") : "nothing waits"}
      />
      <Figure
        label="Response time"
        value={delivered === 0 ? "–" : `${Math.round(avg_latency_ms)} ms`}
        detail="mean, when it worked"
      />
      {children}
    </div>
  )
}
