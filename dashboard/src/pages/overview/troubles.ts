/** What needs attention about a webhook, most urgent first. Pure. */
import type { ListedWebhook } from "../../api/ledgerhook.ts"
import { plural } from "../../parts/format.ts"

/** Below this success rate, in percent, a webhook is listed. */
const LOW_RATE = 95

/** So many deliveries wait at a webhook that is busy, too: it is listed if they are also this share of all. */
const MANY_WAITING = 100
const MANY_SHARE = 0.05

/** If this many wait and none has succeeded, the receiver seems never to have worked. */
const FEW_WAITING = 10

type Stats = NonNullable<ListedWebhook["stats"]>

const waitingOf = ({ delivered, failed, pending }: Stats): ReadonlyArray<string> => {
  if (delivered === 0 && pending >= FEW_WAITING) {
    return [
      `none of ${plural(pending + failed, "delivery", "deliveries")} has succeeded in the last 24 hours`
    ]
  }
  const many = pending >= MANY_WAITING && pending >= MANY_SHARE * (delivered + failed + pending)
  return many ? [`${plural(pending, "delivery waits", "deliveries wait")}`] : []
}

export const troublesOf = ({
  status,
  health,
  disabled_reason,
  consecutive_failures,
  stats
}: Pick<
  ListedWebhook,
  "status" | "health" | "disabled_reason" | "consecutive_failures" | "stats"
>): ReadonlyArray<string> => [
  ...(status === "disabled" ? [disabled_reason === null ? "disabled" : `disabled: ${disabled_reason}`] : []),
  ...(health.state === "failing" ? [health.sentence] : []),
  ...(consecutive_failures > 0
    ? [`${plural(consecutive_failures, "delivery", "deliveries")} failed in a row`]
    : []),
  ...(stats !== undefined && stats.delivered + stats.failed > 0 && stats.success_rate < LOW_RATE
    ? [`${stats.success_rate}% succeeded in the last 24 hours`]
    : []),
  ...(stats === undefined ? [] : waitingOf(stats))
]
