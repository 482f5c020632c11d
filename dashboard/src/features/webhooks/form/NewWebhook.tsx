/** Creates a webhook, and shows its secret once. */
import { Button } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useRef, useState } from "react"
import { useAccount, useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { type CreatedWebhook, createWebhook } from "../../../api/ledgerhook.ts"
import { Page, Section } from "../../../ui/page/Page.tsx"
import { creationOf, newValues } from "./values.ts"
import { WebhookForm } from "./WebhookForm.tsx"

type CreatedPage = typeof import("./Created.tsx")["Created"]

const route = getRouteApi("/shell/webhooks/new")

export const NewWebhook = () => {
  const { event_type } = route.useSearch()
  const { environment } = useAccount().key
  const mayWrite = useMay("webhooks:write")
  const queries = useQueryClient()
  const [initial] = useState(() => ({
    ...newValues(environment),
    ...(event_type === undefined ? {} : { event_types: [event_type] })
  }))
  const asked = useRef<{ readonly text: string; readonly key: string }>(undefined)
  const [made, setMade] = useState<{ readonly webhook: CreatedWebhook; readonly Created: CreatedPage }>()
  if (!mayWrite) {
    return (
      <Page within={{ to: "/webhooks", label: "Webhooks" }} title="New webhook">
        <Section>This key may not create webhooks (scope webhooks:write).</Section>
      </Page>
    )
  }
  if (made !== undefined) return <made.Created webhook={made.webhook} />
  return (
    <Page
      within={{ to: "/webhooks", label: "Webhooks" }}
      title="New webhook"
      note={
        environment === "live"
          ? "On mainnet, because the key is a live one. Nothing is sent before you create it."
          : "On a test network, because the key is a test one. Nothing is sent before you create it."
      }
    >
      <WebhookForm
        initial={initial}
        action="Create webhook"
        save={async (values) => {
          const body = creationOf(values)
          // If an answer was lost, the same request gets the same webhook.
          const text = JSON.stringify(body)
          if (asked.current?.text !== text) asked.current = { text, key: crypto.randomUUID() }
          // Loaded first: what shows the secret must be there when the secret is.
          const { Created } = await import("./Created.tsx")
          const webhook = await call(createWebhook(body, { idempotencyKey: asked.current.key }))
          setMade({ webhook, Created })
          queries.invalidateQueries({ queryKey: ["webhooks"] })
        }}
        cancel={
          <Button component={Link} to="/webhooks" variant="subtle" color="gray">
            Cancel
          </Button>
        }
      />
    </Page>
  )
}
