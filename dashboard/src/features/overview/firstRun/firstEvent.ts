/** Waits for the first event of a webhook: the newest delivered one, or the newest that was attempted. */
import { useQuery } from "@tanstack/react-query"
import { call } from "../../../api/call.ts"
import { type DeliveryDetail, getDelivery, listDeliveries } from "../../../api/ledgerhook.ts"
import { liveRefresh } from "../../../api/refresh.ts"

const newestOf = async (webhookId: string): Promise<DeliveryDetail | null> => {
  for (const status of [["delivered"], ["retrying", "failed"]] as const) {
    const { data } = await call(listDeliveries({ webhookId, status: [...status], limit: 1 }))
    if (data[0] !== undefined) return call(getDelivery(data[0].id))
  }
  return null
}

/** Null: none yet. It is asked for until one was delivered. */
export const useFirstEvent = (webhookId: string | undefined) =>
  useQuery({
    queryKey: ["first event", webhookId],
    queryFn: () => newestOf(webhookId!),
    enabled: webhookId !== undefined,
    refetchInterval: ({ state }) => (state.data?.status === "delivered" ? false : liveRefresh())
  })
