/** Changes of a webhook that one click makes. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { call } from "../../../api/call.ts"
import { changeWebhook, type WebhookChange } from "../../../api/ledgerhook.ts"

const changes = {
  Pause: { paused: true },
  Resume: { paused: false },
  Disable: { status: "disabled" },
  Enable: { status: "active" }
} as const satisfies Record<string, WebhookChange>

export type ChangeName = keyof typeof changes

export const useChange = (id: string) => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (name: ChangeName) => call(changeWebhook(id, changes[name])),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhooks"] })
  })
}
