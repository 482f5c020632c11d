/** All API keys of the account that the viewer's key may see. */
import { useQuery } from "@tanstack/react-query"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { type ApiKey, listApiKeys } from "../../../api/ledgerhook.ts"
import { PAGE_ROWS } from "../../../api/list.ts"
import { autoRefresh } from "../../../api/refresh.ts"

/** Revoked keys stay in the list, which is then longer than the plan allows keys. */
const PAGES_MAX = 10

const loadKeys = async (): Promise<ReadonlyArray<ApiKey>> => {
  const keys: Array<ApiKey> = []
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const { data, next_cursor } = await call(listApiKeys({ limit: PAGE_ROWS, cursor }))
    keys.push(...data)
    if (next_cursor === null) break
    cursor = next_cursor
  }
  return keys
}

export const useKeys = () =>
  useQuery({
    queryKey: ["keys"],
    queryFn: loadKeys,
    enabled: useMay("api_keys:read"),
    refetchInterval: autoRefresh
  })
