/** Disables or enables a webhook. */
import { Button } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { call } from "../../api/call.ts"
import { changeWebhook, type Webhook } from "../../api/ledgerhook.ts"
import { FailureNotice } from "../../parts/Notices.tsx"

export const SwitchStatus = ({ webhook }: { readonly webhook: Webhook }) => {
  const queries = useQueryClient()
  const next = webhook.status === "active" ? "disabled" : "active"
  const change = useMutation({
    mutationFn: () => call(changeWebhook(webhook.id, { status: next })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhooks"] })
  })
  return (
    <>
      <Button
        variant={next === "active" ? "filled" : "default"}
        loading={change.isPending}
        onClick={() => change.mutate()}
      >
        {next === "active" ? "Enable" : "Disable"}
      </Button>
      {change.isError && <FailureNotice failure={change.error} />}
    </>
  )
}
