/**
 * Signs in with an API key, or with the link in the address, which it removes from there first. If this browser is signed
 * in to another account, the viewer is asked (WhichAccount.tsx).
 */
import { Button, PasswordInput } from "@mantine/core"
import { Link, Navigate, useLocation, useNavigate, useSearch } from "@tanstack/react-router"
import { type FormEvent, useCallback, useEffect, useRef, useState } from "react"
import { ApiFailure, type TwoAccounts } from "../../../api/call.ts"
import { type Secret, useSession } from "../../../api/session.tsx"
import icon from "../../../look/icon.svg"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import classes from "./SignIn.module.css"
import { WhichAccount } from "./WhichAccount.tsx"

const REFUSED =
  "The service does not know this key, or the key was revoked or has expired. A key begins with svc_live_ or svc_test_."

const sees = { live: "live key", test: "test key" } as const

/** A path of this dashboard, so that a link cannot lead to another site after the sign-in. */
const pathOf = (next: string | undefined): string =>
  next !== undefined && /^\/(?![/\\])/.test(next) ? next : "/"

/** The secret of a link that signs in; undefined if the address has none. */
const linkOf = (hash: string): string | undefined => /^link=(\w+)$/.exec(hash)?.[1]

interface Question {
  readonly accounts: TwoAccounts
  /** What the viewer wanted to sign in with. */
  readonly secret: Secret
}

/** Signs in, and says how far it is. */
const useSigningIn = () => {
  const { signIn, stay } = useSession()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const [question, setQuestion] = useState<Question>()
  const [done, setDone] = useState(false)
  /** The question stays until the outcome of the viewer's decision is known. */
  const attempt = useCallback(async (action: () => Promise<void>, secret?: Secret) => {
    setBusy(true)
    setFailure(undefined)
    try {
      await action()
      setDone(true)
    } catch (thrown) {
      const accounts = thrown instanceof ApiFailure ? thrown.accounts : undefined
      setQuestion(accounts && secret && { accounts, secret })
      setFailure(accounts === undefined ? thrown : undefined)
    } finally {
      setBusy(false)
    }
  }, [])
  const start = useCallback((secret: Secret) => attempt(() => signIn(secret), secret), [attempt, signIn])
  return {
    busy,
    done,
    failure,
    question,
    start,
    leave: ({ secret }: Question) => attempt(() => signIn(secret, true)),
    stay: () => attempt(stay)
  }
}

/** Takes the link out of the address, so that neither the history nor a copied address has it, and signs in with it. */
const useLink = (start: (secret: Secret) => Promise<void>): string | undefined => {
  const link = linkOf(useLocation({ select: ({ hash }) => hash }))
  const navigate = useNavigate()
  const used = useRef<string>(undefined)
  useEffect(() => {
    if (link === undefined || used.current === link) return
    used.current = link
    navigate({ to: "/sign-in", search: true, hash: "", replace: true })
    start({ link })
  }, [link, navigate, start])
  return link
}

export const SignIn = () => {
  const { add, next } = useSearch({ from: "/sign-in" })
  const { environment, other, signedOutBecause, switchTo } = useSession()
  const { busy, done, failure, leave, question, start, stay } = useSigningIn()
  const link = useLink(start)
  const [key, setKey] = useState("")
  useEffect(() => {
    document.title = "Sign in · Ledgerhook"
  }, [])
  const signedIn = environment !== undefined
  const isNeeded = !signedIn || add || busy || link !== undefined || failure !== undefined
  // A viewer who is signed in stays only to add a key, to use a link, or to answer the question.
  if (done || !(isNeeded || question)) return <Navigate to={pathOf(next)} replace />
  if (question) {
    return (
      <main className={classes["page"]}>
        <WhichAccount
          accounts={question.accounts}
          isLink={"link" in question.secret}
          busy={busy}
          onStay={stay}
          onLeave={() => leave(question)}
        />
      </main>
    )
  }

  const submit = (event: FormEvent) => {
    event.preventDefault()
    start({ key: key.trim() })
  }
  const refused =
    failure instanceof ApiFailure && failure.status === 401 && failure.faults[0]?.param === "/key"
  const missing = environment === "live" ? "test" : "live"
  return (
    <main className={classes["page"]}>
      <form className={classes["form"]} onSubmit={submit}>
        <img src={icon} alt="" width={40} height={40} />
        <div className={classes["title"]}>
          <h1>Sign in to Ledgerhook</h1>
          <p>
            {signedIn
              ? `With a ${sees[missing]}. You stay signed in with the ${sees[environment]} too.`
              : "With an API key of this service."}
          </p>
        </div>
        {signedOutBecause && failure === undefined && <p role="status">{signedOutBecause}</p>}
        {failure !== undefined && !refused && <FailureNotice failure={failure} />}
        <PasswordInput
          size="md"
          label="API key"
          placeholder={signedIn ? `svc_${missing}_…` : "svc_live_…"}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          error={refused ? REFUSED : undefined}
          autoComplete="off"
          spellCheck={false}
          required
          withAsterisk={false}
          data-autofocus
          classNames={{ innerInput: "mono" }}
          visibilityToggleButtonProps={{ "aria-label": "Show or hide the key" }}
        />
        <Button type="submit" size="md" loading={busy} disabled={key.trim() === ""}>
          Sign in
        </Button>
        {signedIn && <Link to="/">Back to the dashboard</Link>}
        {!signedIn && other !== undefined && (
          <Button variant="default" size="md" onClick={() => switchTo(other)}>
            Use the {sees[other]}, which is still signed in
          </Button>
        )}
        <p className={classes["hint"]}>
          Stays signed in for 12 hours, in a cookie that scripts cannot read. The first start of the service
          also prints a link that signs in once; later, the operator makes one with{" "}
          <code>ledgerhook portal</code>.
        </p>
      </form>
      <nav className={classes["documents"]} aria-label="Documents">
        <a href="/docs/guides">Guides</a>
        <a href="/docs/event-types">Event types</a>
        <a href="/docs">API reference</a>
      </nav>
    </main>
  )
}
