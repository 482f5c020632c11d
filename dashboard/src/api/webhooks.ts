/** The names of webhooks, for lists that show or choose one. */
import { useQuery } from "@tanstack/react-query"
import { useMay } from "./account.ts"
import { call } from "./call.ts"
import { listWebhooks, type Webhook } from "./ledgerhook.ts"
import { PAGE_ROWS } from "./list.ts"

/** The newest webhooks. None until they are loaded, or if the key may not see them. */
export const useNewestWebhooks = (): ReadonlyArray<Webhook> => {
  const webhooks = useQuery({
    queryKey: ["webhooks", "newest"],
    queryFn: () => call(listWebhooks({ limit: PAGE_ROWS })),
    enabled: useMay("webhooks:read"),
    staleTime: 30_000
  })
  return webhooks.data?.data ?? []
}

/** What the viewer calls the webhook: its description, otherwise its address, otherwise its id. */
export const nameOf = (webhooks: ReadonlyArray<Webhook>, id: string): string => {
  const webhook = webhooks.find((one) => one.id === id)
  return webhook?.description ?? webhook?.url ?? id
}
