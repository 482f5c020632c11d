/** The incidents of the last days, of all webhooks or of one. */
import { useQuery } from "@tanstack/react-query"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { listIncidents, listWebhookIncidents } from "../../../api/ledgerhook.ts"
import { PAGE_ROWS } from "../../../api/list.ts"
import { autoRefresh } from "../../../api/refresh.ts"
import { useIsDeleting } from "../../../api/webhooks.ts"

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
