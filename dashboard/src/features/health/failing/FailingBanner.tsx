/** What a failing webhook's page begins with: the five facts of the failure, and how far the webhook is. */
import { useQuery } from "@tanstack/react-query"
import { call } from "../../../api/call.ts"
import { getWebhookProgress, type ListedWebhook } from "../../../api/ledgerhook.ts"
import { autoRefresh } from "../../../api/refresh.ts"
import { StatusIcon } from "../../../ui/value/Status.tsx"
import { count, plural } from "../../../words/format.ts"
import { Cause, NextAttempt, Since, Waiting } from "./Facts.tsx"
import classes from "./Failing.module.css"
import { TryNow } from "./TryNow.tsx"

/** The least part of the bar that the missing ledgers take, so that they are seen. */
const LEAST_PERCENT = 3

const Progress = ({ id, firstLedger }: { readonly id: string; readonly firstLedger: number | undefined }) => {
  const progress = useQuery({
    queryKey: ["progress", id],
    queryFn: () => call(getWebhookProgress(id)),
    refetchInterval: autoRefresh
  })
  const { complete_through, routed_through } = progress.data ?? {}
  if (complete_through == null || routed_through == null) return null
  const behind = Math.max(routed_through - complete_through, 0)
  const all = Math.max(routed_through - (firstLedger ?? complete_through - behind * 4), 1)
  const percent = Math.min(Math.max((behind / all) * 100, LEAST_PERCENT), 100 - LEAST_PERCENT)
  return (
    <div className={classes["progress"]}>
      <span>
        Complete through ledger <b>{count(complete_through)}</b>
      </span>
      <span className={classes["track"]}>
        <i style={{ flex: 100 - percent }} />
        <i style={{ flex: percent }} />
      </span>
      <span className="quiet">{plural(behind, "ledger")} behind the newest</span>
    </div>
  )
}

interface FailingBannerProps {
  readonly webhook: ListedWebhook
  /** Of those that the service keeps. */
  readonly firstLedger: number | undefined
}

export const FailingBanner = ({ webhook, firstLedger }: FailingBannerProps) => {
  const { health, id, stats } = webhook
  return (
    <section className={classes["panel"]} aria-label="What fails">
      <div className={classes["failing"]} data-one>
        <div className={classes["words"]}>
          <StatusIcon of="failing" size={18} />
          <div>
            <strong className={classes["name"]}>
              Failing <Since since={health.since} />
            </strong>
            <Cause {...webhook} withSince={false} />
          </div>
        </div>
        {stats && <Waiting waiting={stats.waiting} />}
        <NextAttempt {...webhook} />
        <TryNow webhookId={id} main />
      </div>
      <Progress id={id} firstLedger={firstLedger} />
    </section>
  )
}
