/** Statistics of deliveries and attempts, of all webhooks or of one. */
import { useQuery } from "@tanstack/react-query"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { getDeliveryStats } from "../../api/ledgerhook.ts"
import { autoRefresh } from "../../api/refresh.ts"
import type { Period } from "../../ui/filter/Period.tsx"

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
