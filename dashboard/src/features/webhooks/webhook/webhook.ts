/** One webhook with all its filters. */
import { useQuery } from "@tanstack/react-query"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { getWebhook } from "../../../api/ledgerhook.ts"
import { autoRefresh } from "../../../api/refresh.ts"
import { useIsDeleting } from "../../../api/webhooks.ts"

export const useWebhook = (id: string, refresh: boolean) => {
  const mayRead = useMay("webhooks:read")
  const isDeleting = useIsDeleting(id)
  return useQuery({
    queryKey: ["webhooks", "one", id],
    queryFn: () => call(getWebhook(id)),
    enabled: mayRead && !isDeleting,
    refetchInterval: refresh ? autoRefresh : false
  })
}
