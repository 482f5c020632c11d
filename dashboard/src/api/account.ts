/** The account of the signed-in key, and what the key may do. */
import { useSuspenseQuery } from "@tanstack/react-query"
import { call } from "./call.ts"
import { getAccount } from "./ledgerhook.ts"
import { autoRefresh } from "./refresh.ts"
import type { Account, Scope } from "./session.tsx"

/** Suspends until the account is known. */
export const useAccount = (): Account =>
  useSuspenseQuery({ queryKey: ["account"], queryFn: () => call(getAccount()), refetchInterval: autoRefresh })
    .data

/** Pages show only the actions that the key may take. The scope `admin` allows everything. */
export const useMay = (scope: Scope): boolean => {
  const { scopes } = useAccount().key
  return scopes.includes("admin") || scopes.includes(scope)
}
