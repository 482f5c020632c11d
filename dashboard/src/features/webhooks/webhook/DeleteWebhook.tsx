/** Deletes a webhook, after its name was typed. */
import { Button, Modal, TextInput } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { call } from "../../../api/call.ts"
import { deleteWebhook, type Webhook } from "../../../api/ledgerhook.ts"
import { deletionOf } from "../../../api/webhooks.ts"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { visible } from "../../../words/visible.ts"

/** Spaces at the ends, and those that a browser folds, do not matter. */
const folded = (text: string): string => text.trim().replaceAll(/\s+/g, " ")

interface DeleteWebhookProps {
  readonly webhook: Webhook
  readonly opened: boolean
  readonly close: () => void
}

export const DeleteWebhook = ({ webhook, opened, close }: DeleteWebhookProps) => {
  const [typed, setTyped] = useState("")
  // Hidden characters cannot be typed, so their codes are.
  const name = folded(visible(webhook.description ?? webhook.url))
  const queries = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationKey: deletionOf(webhook.id),
    mutationFn: () => call(deleteWebhook(webhook.id)),
    onSuccess: async () => {
      await navigate({ to: "/webhooks" })
      // Not the webhook itself, which would be read once more: 404.
      await queries.invalidateQueries({
        queryKey: ["webhooks"],
        predicate: ({ queryKey }) => !queryKey.includes(webhook.id)
      })
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    remove.mutate()
  }
  return (
    <Modal opened={opened} onClose={close} title="Delete this webhook?" size="lg">
      <form className="stack-small" onSubmit={submit}>
        <p style={{ margin: 0 }}>
          Nothing more is sent to it, and what waits ends as failed. Its deliveries can still be read. This
          cannot be undone. A paused webhook keeps its events for a week.
        </p>
        <TextInput
          label={
            <>
              Type its name to confirm: <span className="mono">{name}</span>
            </>
          }
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        {remove.isError && <FailureNotice failure={remove.error} />}
        <div className="row">
          <Button type="submit" color="red" disabled={folded(typed) !== name} loading={remove.isPending}>
            Delete it
          </Button>
          <Button variant="default" onClick={close}>
            Keep it
          </Button>
        </div>
      </form>
    </Modal>
  )
}
