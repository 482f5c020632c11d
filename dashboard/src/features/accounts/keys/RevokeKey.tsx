/** Revokes a key, after it has said what will stop. */
import { Button, Modal } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useAccount } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { type ApiKey, revokeApiKey } from "../../../api/ledgerhook.ts"
import { useSession } from "../../../api/session.tsx"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { whatStops } from "./state.ts"

export const RevokeKey = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const [open, setOpen] = useState(false)
  const mine = useAccount().key.id === apiKey.id
  const { signOut } = useSession()
  const queries = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => call(revokeApiKey(apiKey.id, mine ? { self: true } : {})),
    onSuccess: () => {
      if (mine) return signOut("You revoked the key that you were signed in with.")
      setOpen(false)
      return queries.invalidateQueries({ queryKey: ["keys"] })
    }
  })
  return (
    <>
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        onClick={() => setOpen(true)}
        aria-label={`Revoke ${apiKey.name}`}
      >
        Revoke
      </Button>
      <Modal opened={open} onClose={() => setOpen(false)} title="Revoke this key?" withCloseButton={false}>
        <div className="stack-small">
          <p>
            <strong>
              <PlainText>{apiKey.name}</PlainText>
            </strong>{" "}
            <span className="mono">{apiKey.key_hint}</span>
          </p>
          <p>{whatStops(apiKey, Date.now())} Webhooks and their deliveries do not depend on it.</p>
          {mine && <p>You are signed in with this key: revoking it signs you out.</p>}
          <p className="quiet">This cannot be undone.</p>
          {revoke.isError && <FailureNotice failure={revoke.error} />}
          <div className="dialog-actions">
            <Button variant="subtle" color="gray" onClick={() => setOpen(false)}>
              Keep it
            </Button>
            <Button
              variant="default"
              data-destructive
              loading={revoke.isPending}
              onClick={() => revoke.mutate()}
            >
              {mine ? "Revoke it and sign out" : "Revoke the key"}
            </Button>
          </div>
        </div>
      </Modal>
    </>
  )
}
