/**
 * Asks a viewer who is signed in to one account, and opened a link or used a key of another, which of the two it shall be.
 * Anybody can send a link of their own account, so to stay is the main button.
 */
import { Button } from "@mantine/core"
import { useEffect, useRef } from "react"
import type { TwoAccounts } from "../../../api/call.ts"
import icon from "../../../look/icon.svg"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import classes from "./SignIn.module.css"

interface Props {
  readonly accounts: TwoAccounts
  /** Otherwise the viewer used a key. */
  readonly isLink: boolean
  readonly busy: boolean
  readonly onStay: () => void
  readonly onLeave: () => void
}

export const WhichAccount = ({ accounts: { signed_in, wanted }, isLink, busy, onStay, onLeave }: Props) => {
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [])
  const named = ({ id, name }: typeof wanted) => (
    <PlainText>{signed_in.name === wanted.name ? `${name} (${id})` : name}</PlainText>
  )
  const secret = isLink ? "link" : "key"
  return (
    <div className={classes["form"]}>
      <img src={icon} alt="" width={40} height={40} />
      <div className={classes["title"]}>
        <h1 ref={title} tabIndex={-1}>
          Leave {named(signed_in)}?
        </h1>
        <p>
          You are signed in to <strong>{named(signed_in)}</strong>. This {secret} signs in to another account,{" "}
          <strong>{named(wanted)}</strong>. A browser is signed in to one account at a time.
        </p>
      </div>
      <Button className={classes["choice"]} size="md" onClick={onStay} disabled={busy}>
        <span>Stay in {named(signed_in)}</span>
      </Button>
      <Button className={classes["choice"]} size="md" variant="default" onClick={onLeave} loading={busy}>
        <span>
          Leave {named(signed_in)} and sign in to {named(wanted)}
        </span>
      </Button>
      <p className={classes["hint"]}>
        {isLink ? "If you stay, the link is not used. " : ""}If you leave, every session of this browser in{" "}
        {named(signed_in)} ends, also in other tabs. What you have not saved there is lost.
      </p>
    </div>
  )
}
