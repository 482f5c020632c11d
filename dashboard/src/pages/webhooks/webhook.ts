/** One webhook with all its filters. */
import { useIsMutating, useQuery } from "@tanstack/react-query"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { getWebhook } from "../../api/ledgerhook.ts"
import { autoRefresh } from "../../api/refresh.ts"

/** The key of the request that deletes a webhook. */
export const deletionOf = (id: string) => ["webhook deletion", id] as const

export const useWebhook = (id: string, refresh: boolean) => {
  const mayRead = useMay("webhooks:read")
  // A refresh while the page of a deleted webhook is left would find nothing.
  const deleting = useIsMutating({ mutationKey: deletionOf(id) }) > 0
  return useQuery({
    queryKey: ["webhooks", "one", id],
    queryFn: () => call(getWebhook(id)),
    enabled: mayRead && !deleting,
    refetchInterval: refresh ? autoRefresh : false
  })
}
