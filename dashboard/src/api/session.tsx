/**
 * The signed-in key. It is kept in the tab's session storage, so it ends with the tab; it is never in an address, a
 * cookie or a log.
 */
import { useQueryClient } from "@tanstack/react-query"
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react"
import { call, sendWithKey, whenUnauthorized } from "./call.ts"
import { getAccount } from "./ledgerhook.ts"

const STORED = "ledgerhook.key"

export type Account = Awaited<ReturnType<typeof loadAccount>>
export type Scope = Account["key"]["scopes"][number]

const loadAccount = () => call(getAccount())

interface Session {
  readonly signedIn: boolean
  /** The last characters of the key, by which its owner knows it. */
  readonly ending: string
  /** Why the viewer was signed out; undefined if the viewer did it. */
  readonly signedOutBecause: string | undefined
  /** Throws an ApiFailure if the service refuses the key. */
  readonly signIn: (key: string) => Promise<void>
  readonly signOut: (because?: string) => void
}

const Context = createContext<Session | undefined>(undefined)

/** How much of a key is shown. */
const SHOWN = 4
const endOf = (key: string | undefined) => key?.slice(-SHOWN)

const stored = sessionStorage.getItem(STORED) ?? undefined
sendWithKey(stored)

export const SessionProvider = ({ children }: { readonly children: ReactNode }) => {
  const queries = useQueryClient()
  const [ending, setEnding] = useState(endOf(stored))
  const [signedOutBecause, setBecause] = useState<string>()

  const signOut = useCallback(
    (because?: string) => {
      sessionStorage.removeItem(STORED)
      sendWithKey(undefined)
      setBecause(because)
      setEnding(undefined)
      queries.clear()
    },
    [queries]
  )

  const signIn = useCallback(
    async (key: string) => {
      sendWithKey(key)
      try {
        queries.setQueryData(["account"], await loadAccount())
      } catch (failure) {
        sendWithKey(undefined)
        throw failure
      }
      sessionStorage.setItem(STORED, key)
      setBecause(undefined)
      setEnding(endOf(key))
    },
    [queries]
  )

  useEffect(
    () =>
      whenUnauthorized(() => {
        if (sessionStorage.getItem(STORED) !== null) {
          signOut(
            "The service no longer accepts this key: it was revoked or has expired. Sign in with another one."
          )
        }
      }),
    [signOut]
  )

  const session = useMemo(
    () => ({
      signedIn: ending !== undefined,
      ending: ending ?? "",
      signedOutBecause,
      signIn,
      signOut
    }),
    [ending, signedOutBecause, signIn, signOut]
  )
  return <Context value={session}>{children}</Context>
}

export const useSession = (): Session => {
  const session = useContext(Context)
  if (session === undefined) throw new Error("useSession outside of SessionProvider")
  return session
}
