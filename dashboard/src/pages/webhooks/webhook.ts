/** One webhook with all its filters. */
import { useQuery } from "@tanstack/react-query"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { getWebhook } from "../../api/ledgerhook.ts"
import { autoRefresh } from "../../api/refresh.ts"

export const useWebhook = (id: string, refresh: boolean) =>
  useQuery({
    queryKey: ["webhooks", "one", id],
    queryFn: () => call(getWebhook(id)),
    enabled: useMay("webhooks:read"),
    refetchInterval: refresh ? autoRefresh : false
  })
