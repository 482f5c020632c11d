/**
 * The sessions of this browser: one of a live key, one of a test key, or both. Their tokens are in cookies that scripts
 * cannot read, so new tabs, reloads and links are signed in. Kept here is only which of the two there are, so that a
 * viewer without any needs no request to be asked to sign in, and which one this tab uses.
 */
import { useQueryClient } from "@tanstack/react-query"
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react"
import { ApiFailure, ask, type Environment, sendAs, whenUnauthorized } from "./call.ts"
import { signOut as closeSession, getAccount, signIn as openSession } from "./ledgerhook.ts"

const HELD = "ledgerhook.sessions"
const CHOSEN = "ledgerhook.session"

export type Account = Awaited<ReturnType<typeof loadAccount>>
export type Scope = Account["key"]["scopes"][number]

const loadAccount = () => ask(getAccount())

/** What signs in. */
export type Secret = { readonly key: string } | { readonly link: string }

interface Session {
  /** Which session this tab uses; undefined: the viewer is not signed in. */
  readonly environment: Environment | undefined
  /** The other session of this browser. */
  readonly other: Environment | undefined
  /** Why the viewer was signed out; undefined if the viewer did it. */
  readonly signedOutBecause: string | undefined
  /**
   * Throws an ApiFailure if the service refuses. A session of the other kind of key stays. A browser that is signed in to
   * another account is refused, unless `replace` says that the viewer decided to leave it.
   */
  readonly signIn: (secret: Secret, replace?: boolean) => Promise<void>
  /** Shows the account that this browser is signed in to, also if this tab did not know of a session. */
  readonly stay: () => Promise<void>
  /** Ends the session that this tab uses. `because`: it ended with its key. */
  readonly signOut: (because?: string) => Promise<void>
  /** Opens the overview with the other session. */
  readonly switchTo: (environment: Environment) => void
}

const Context = createContext<Session | undefined>(undefined)

const ENDED =
  "The session has ended: it lasts 12 hours, and the service no longer accepts this key if it was revoked or has expired. Sign in again."
const NO_COOKIE =
  "This browser does not send the cookie of the session. Allow cookies of this site; if the page is in a frame, it must be of the same site as the page around it."
const NOT_ENDED =
  "The service did not answer, so the session still exists. It ends 12 hours after it began; to end it now, sign in and out again."

const IN_ANOTHER_TAB = "Another tab of this browser signed out, or signed in to another account."

const environments: ReadonlyArray<Environment> = ["live", "test"]

/** Keys and links begin with it. */
const environmentOf = (secret: Secret): Environment | undefined =>
  environments.find((one) => ("key" in secret ? secret.key : secret.link).split("_")[1] === one)

const heldHere = (held = localStorage.getItem(HELD)): ReadonlyArray<Environment> =>
  environments.filter((one) => held?.split(" ").includes(one))

const chosenHere = (): Environment | undefined => {
  const held = heldHere()
  return held.find((one) => one === sessionStorage.getItem(CHOSEN)) ?? held[0]
}

const choose = (environment: Environment) => {
  sessionStorage.setItem(CHOSEN, environment)
  localStorage.setItem(HELD, [...new Set([...heldHere(), environment])].join(" "))
}

const forget = (environment: Environment) =>
  localStorage.setItem(
    HELD,
    heldHere()
      .filter((one) => one !== environment)
      .join(" ")
  )

const first = chosenHere()
sendAs(first)

const switchTo = (environment: Environment) => {
  choose(environment)
  // A new document, so that nothing of one environment is shown in the other.
  location.assign("/")
}

export const SessionProvider = ({ children }: { readonly children: ReactNode }) => {
  const queries = useQueryClient()
  const [environment, setEnvironment] = useState(first)
  const [signedOutBecause, setBecause] = useState<string>()

  /** Nothing of the session stays in this tab. */
  const clear = useCallback(
    (because?: string) => {
      sendAs(undefined)
      setBecause(because)
      setEnvironment(undefined)
      queries.clear()
    },
    [queries]
  )

  const leave = useCallback(
    (left: Environment, because?: string) => {
      forget(left)
      clear(because)
    },
    [clear]
  )

  /** Shows the account of the session that requests are sent with. */
  const enter = useCallback(async () => {
    const account = await loadAccount()
    queries.clear()
    queries.setQueryData(["account"], account)
    choose(account.key.environment)
    sendAs(account.key.environment)
    setBecause(undefined)
    setEnvironment(account.key.environment)
  }, [queries])

  const signIn = useCallback(
    async (secret: Secret, replace = false) => {
      await ask(openSession(replace ? { ...secret, replace } : secret))
      // The service has ended every session of the other account.
      if (replace) for (const one of environments) leave(one)
      sendAs(environmentOf(secret))
      try {
        await enter()
      } catch (failure) {
        sendAs(replace ? undefined : environment)
        throw failure instanceof ApiFailure && failure.status === 401
          ? new ApiFailure(401, "NO_COOKIE", NO_COOKIE, failure.requestId)
          : failure
      }
    },
    [enter, environment, leave]
  )

  const signOut = useCallback(
    async (because?: string) => {
      if (environment === undefined) return
      const trouble = await ask(closeSession()).then(
        () => undefined,
        () => NOT_ENDED
      )
      leave(environment, because ?? trouble)
    },
    [environment, leave]
  )

  useEffect(
    () =>
      whenUnauthorized(() => {
        if (environment !== undefined) leave(environment, ENDED)
      }),
    [environment, leave]
  )

  useEffect(() => {
    // Otherwise this tab would work in the account that another tab signed in to.
    const listener = ({ key, newValue }: StorageEvent) => {
      if (key !== HELD || environment === undefined) return
      if (!heldHere(newValue).includes(environment)) clear(IN_ANOTHER_TAB)
    }
    addEventListener("storage", listener)
    return () => removeEventListener("storage", listener)
  }, [clear, environment])

  const session = useMemo(
    () => ({
      environment,
      other: heldHere().find((one) => one !== environment),
      signedOutBecause,
      signIn,
      stay: enter,
      signOut,
      switchTo
    }),
    [enter, environment, signedOutBecause, signIn, signOut]
  )
  return <Context value={session}>{children}</Context>
}

export const useSession = (): Session => {
  const session = useContext(Context)
  if (session === undefined) throw new Error("useSession outside of SessionProvider")
  return session
}
