/** Signs in with an API key. */
import { Button, PasswordInput } from "@mantine/core"
import { Navigate, useSearch } from "@tanstack/react-router"
import { type FormEvent, useEffect, useState } from "react"
import { ApiFailure } from "../../api/call.ts"
import { useSession } from "../../api/session.tsx"
import icon from "../../icon.svg"
import { FailureNotice } from "../../parts/Notices.tsx"
import classes from "./SignIn.module.css"

const REFUSED =
  "The service does not know this key, or the key was revoked or has expired. A key begins with svc_live_ or svc_test_."

/** A path of this dashboard, so that a link cannot lead to another site after the sign-in. */
const pathOf = (next: string | undefined): string =>
  next !== undefined && /^\/(?![/\\])/.test(next) ? next : "/"

export const SignIn = () => {
  const { next } = useSearch({ from: "/sign-in" })
  const { signedIn, signedOutBecause, signIn } = useSession()
  const [key, setKey] = useState("")
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  useEffect(() => {
    document.title = "Sign in · Ledgerhook"
  }, [])
  if (signedIn) return <Navigate to={pathOf(next)} replace />

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setFailure(undefined)
    try {
      await signIn(key.trim())
    } catch (thrown) {
      setFailure(thrown)
    } finally {
      setBusy(false)
    }
  }
  const refused = failure instanceof ApiFailure && failure.status === 401
  return (
    <main className={classes["page"]}>
      <form className={classes["form"]} onSubmit={submit}>
        <img src={icon} alt="" width={40} height={40} />
        <div>
          <h1>Sign in to Ledgerhook</h1>
          <p>With an API key of this service.</p>
        </div>
        {signedOutBecause && failure === undefined && <p role="status">{signedOutBecause}</p>}
        {failure !== undefined && !refused && <FailureNotice failure={failure} />}
        <PasswordInput
          size="md"
          label="API key"
          placeholder="svc_live_…"
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
        <p className="note">
          The key is kept in this tab only, until you close it or sign out. No key yet? The operator makes
          one: <code>npx ledgerhook key create --help</code>. <a href="/docs">API reference</a>
        </p>
      </form>
    </main>
  )
}
