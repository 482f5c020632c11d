/** Revokes a key, after a question. */
import { Button, Modal } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useAccount, useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { type ApiKey, revokeApiKey } from "../../api/ledgerhook.ts"
import { FailureNotice } from "../../parts/Notices.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { statusOf } from "./statusOf.ts"

export const RevokeKey = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const [open, setOpen] = useState(false)
  const mine = useAccount().key.id === apiKey.id
  const mayWrite = useMay("api_keys:write")
  const queries = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => call(revokeApiKey(apiKey.id)),
    onSuccess: () => {
      setOpen(false)
      queries.invalidateQueries({ queryKey: ["keys"] })
    }
  })
  if (!mayWrite || statusOf(apiKey, Date.now()) !== "active") return null
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)} aria-label={`Revoke ${apiKey.name}`}>
        Revoke
      </Button>
      <Modal opened={open} onClose={() => setOpen(false)} title="Revoke this key?">
        <div className="stack-small">
          <p>
            Every later request with the key{" "}
            <strong>
              <PlainText>{apiKey.name}</PlainText>
            </strong>{" "}
            (<span className="mono">{apiKey.key_hint}</span>) is refused. This cannot be undone.
          </p>
          {mine && <p>You are signed in with this key, so you will be signed out.</p>}
          {revoke.isError && <FailureNotice failure={revoke.error} />}
          <div className="row">
            <Button color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
              Revoke the key
            </Button>
            <Button variant="default" onClick={() => setOpen(false)}>
              Keep it
            </Button>
          </div>
        </div>
      </Modal>
    </>
  )
}
