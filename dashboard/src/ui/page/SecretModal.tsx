/**
 * A dialog that makes a secret and shows it once. While the secret is being made or shown, nothing closes the dialog
 * but "I have stored it": no key, no click beside it, no link, and a reload asks first.
 */
import { Button, Modal } from "@mantine/core"
import { useBlocker } from "@tanstack/react-router"
import { type ReactNode, useEffect, useState } from "react"
import { ApiFailure } from "../../api/call.ts"
import { Copy } from "../value/Copy.tsx"
import { FailureNotice } from "./Notices.tsx"
import classes from "./SecretModal.module.css"

interface SecretModalProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: string
  /** The title once the secret is made. */
  readonly madeTitle: string
  /** What it is, such as "the key". */
  readonly what: string
  /** What it is for, and where it belongs. */
  readonly purpose: ReactNode
  /** Undefined: it is not made yet, and `children` ask for it. */
  readonly secret: string | undefined
  /** Whether it is being made. */
  readonly busy?: boolean
  /** Below the secret. */
  readonly more?: ReactNode
  readonly children?: ReactNode
}

export const SecretModal = ({
  opened,
  onClose,
  title,
  madeTitle,
  what,
  purpose,
  secret,
  busy = false,
  more,
  children
}: SecretModalProps) => {
  const locked = opened && (busy || secret !== undefined)
  const [leaving, setLeaving] = useState(false)
  useEffect(() => {
    if (!locked) setLeaving(false)
  }, [locked])
  useBlocker({
    disabled: !locked,
    enableBeforeUnload: locked,
    shouldBlockFn: () => {
      setLeaving(true)
      return true
    }
  })
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={secret === undefined ? title : madeTitle}
      size="35rem"
      withCloseButton={false}
      closeOnEscape={!locked}
      closeOnClickOutside={!locked}
    >
      {secret === undefined ? (
        children
      ) : (
        <div className="stack-small">
          <p>{purpose}</p>
          <div className={classes["secret"]}>
            <code>{secret}</code>
            <Copy value={secret} what={what} />
          </div>
          {more}
          <p className={leaving ? "bad" : "quiet"} role="status">
            {leaving
              ? `Store ${what} before you leave: it cannot be shown again.`
              : "This is the only time that it is shown. Store it now, such as in a password manager."}
          </p>
          <div className="dialog-actions">
            <Button onClick={onClose}>I have stored it</Button>
          </div>
        </div>
      )}
    </Modal>
  )
}

/** Why it was not made, and what to do if it may have been. The repeated request has the same idempotency key. */
export const NotMade = ({ failure, action }: { readonly failure: unknown; readonly action: string }) => (
  <>
    <FailureNotice failure={failure} />
    {failure instanceof ApiFailure && (failure.status === 0 || failure.status >= 500) && (
      <p>
        The service may have done it although its answer was lost. Press “{action}” again: the same request
        gets the same answer.
      </p>
    )}
  </>
)
