/** Changes a webhook by one click: pauses or resumes it, disables or enables it. */
import { Button } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { call } from "../../api/call.ts"
import { changeWebhook, type Webhook, type WebhookChange } from "../../api/ledgerhook.ts"
import { FailureNotice } from "../../parts/Notices.tsx"

const changes = {
  Pause: { paused: true },
  Resume: { paused: false },
  Disable: { status: "disabled" },
  Enable: { status: "active" }
} as const satisfies Record<string, WebhookChange>

interface ChangeButtonProps {
  readonly webhook: Webhook
  readonly to: keyof typeof changes
  /** The page's main button. */
  readonly main?: boolean
}

export const ChangeButton = ({ webhook, to, main = false }: ChangeButtonProps) => {
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: () => call(changeWebhook(webhook.id, changes[to])),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhooks"] })
  })
  return (
    <>
      <Button
        variant={main ? "filled" : "default"}
        loading={change.isPending}
        onClick={() => change.mutate()}
      >
        {to}
      </Button>
      {change.isError && <FailureNotice failure={change.error} />}
    </>
  )
}
