/** Statistics of deliveries and attempts, of all webhooks or of one, and incidents. */
import { useQuery } from "@tanstack/react-query"
import type { Period } from "../parts/Period.tsx"
import { useMay } from "./account.ts"
import { call } from "./call.ts"
import { getDeliveryStats, listIncidents, listWebhookIncidents } from "./ledgerhook.ts"
import { PAGE_ROWS } from "./list.ts"
import { autoRefresh } from "./refresh.ts"
import { useIsDeleting } from "./webhooks.ts"

export const useStats = (period: Period, webhookId?: string) =>
  useQuery({
    queryKey: ["stats", period, webhookId],
    queryFn: () =>
      call(
        getDeliveryStats({
          ...(webhookId === undefined ? {} : { webhookId }),
          ...(period === "24h" ? { interval: "15m" } : {}),
          period,
          series: true,
          answerTimes: true
        })
      ),
    enabled: useMay("deliveries:read"),
    refetchInterval: autoRefresh
  })

const DAY_MS = 86_400_000

/** The newest of the last `days`, at most a page of them. */
export const useIncidents = (days: number, webhookId?: string) => {
  const isDeleting = useIsDeleting(webhookId)
  const mayRead = useMay("webhooks:read")
  return useQuery({
    queryKey: ["incidents", days, webhookId],
    queryFn: () => {
      const asked = { since: new Date(Date.now() - days * DAY_MS).toISOString(), limit: PAGE_ROWS }
      return call(webhookId === undefined ? listIncidents(asked) : listWebhookIncidents(webhookId, asked))
    },
    enabled: mayRead && !isDeleting,
    refetchInterval: autoRefresh
  })
}
