/** Chooses a webhook. */
import { Select } from "@mantine/core"
import { nameOf, useNewestWebhooks } from "../api/webhooks.ts"
import { choices } from "./selecting.ts"
import { visible } from "./visible.ts"

interface WebhookSelectProps {
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
  readonly placeholder: string
  readonly size?: "xs" | "sm"
}

export const WebhookSelect = ({ value, onChange, placeholder, size = "sm" }: WebhookSelectProps) => {
  const webhooks = useNewestWebhooks()
  const ids = webhooks.map(({ id }) => id)
  // An older webhook, or a deleted one, comes from a link.
  const all = value === undefined || ids.includes(value) ? ids : [...ids, value]
  return (
    <Select
      {...choices}
      size={size}
      label="Webhook"
      placeholder={placeholder}
      data={all.map((id) => ({ value: id, label: visible(nameOf(webhooks, id)) }))}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  )
}
