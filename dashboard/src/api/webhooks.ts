/** The names of webhooks, and the search for one. An account may have 100,000: only a few are ever loaded. */
import { keepPreviousData, useIsMutating, useQuery } from "@tanstack/react-query"
import { useMay } from "./account.ts"
import { call } from "./call.ts"
import { countWebhooks, listWebhooks, type Webhook } from "./ledgerhook.ts"
import { PAGE_ROWS } from "./list.ts"
import { autoRefresh } from "./refresh.ts"

/** The most webhooks that a search shows. Who does not find the webhook among them types more. */
export const SEARCH_ROWS = 20

const STALE_MS = 30_000

/** The newest webhooks. None until they are loaded, or if the key may not see them. */
export const useNewestWebhooks = (): ReadonlyArray<Webhook> => {
  const webhooks = useQuery({
    queryKey: ["webhooks", "newest"],
    queryFn: () => call(listWebhooks({ limit: PAGE_ROWS })),
    enabled: useMay("webhooks:read"),
    staleTime: STALE_MS
  })
  return webhooks.data?.data ?? []
}

/** The newest webhooks with this text in their name, address or id. An empty text searches nothing. */
export const useWebhookSearch = (search: string) =>
  useQuery({
    queryKey: ["webhooks", "search", search],
    queryFn: () => call(listWebhooks({ search, limit: SEARCH_ROWS })),
    enabled: useMay("webhooks:read") && search !== "",
    placeholderData: keepPreviousData,
    staleTime: STALE_MS
  })

/** How many webhooks are in each state of health; undefined until it is known, or if the key may not see them. */
export const useWebhookCounts = () =>
  useQuery({
    queryKey: ["webhooks", "counts"],
    queryFn: () => call(countWebhooks()),
    enabled: useMay("webhooks:read"),
    refetchInterval: autoRefresh
  })

/** More than pages show in full, so that those that are only waiting come too. */
const TROUBLED = 20

/** The webhooks that need attention, worst first, with what waits for them if the key may see it. */
export const useTroubledWebhooks = () => {
  const stats = useMay("deliveries:read")
  return useQuery({
    queryKey: ["webhooks", "troubled", stats],
    queryFn: () =>
      call(listWebhooks({ sort: "health", limit: TROUBLED, ...(stats ? { stats: "24h" } : {}) })),
    enabled: useMay("webhooks:read"),
    refetchInterval: autoRefresh
  })
}

/** The key of the request that deletes a webhook. */
export const deletionOf = (id: string | undefined) => ["webhook deletion", id] as const

/** A refresh while the page of a deleted webhook is left would find nothing. */
export const useIsDeleting = (id: string | undefined): boolean =>
  useIsMutating({ mutationKey: deletionOf(id) }) > 0

export const isWebhookId = (text: string): boolean => /^wh_[0-9A-HJKMNP-TV-Z]{26}$/.test(text)

/** The webhook, of any age. Undefined until it is loaded, if it is deleted, or if the key may not see it. */
export const useWebhook = (id: string | undefined): Webhook | undefined => {
  const newest = useNewestWebhooks().find((one) => one.id === id)
  const found = useWebhookSearch(newest === undefined && id !== undefined && isWebhookId(id) ? id : "")
  return newest ?? found.data?.data.find((one) => one.id === id)
}

/** What the viewer calls the webhook: its description, otherwise its address, otherwise its id. */
export const nameOf = (webhook: Webhook | undefined, id: string): string =>
  webhook?.description ?? webhook?.url ?? id

export const nameIn = (webhooks: ReadonlyArray<Webhook>, id: string): string =>
  nameOf(
    webhooks.find((one) => one.id === id),
    id
  )
