/** Changes a webhook. */
import { Button } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { changeWebhook, type Webhook } from "../../../api/ledgerhook.ts"
import { Loading } from "../../../ui/page/Loading.tsx"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { Page, Section } from "../../../ui/page/Page.tsx"
import { useWebhook } from "../webhook/webhook.ts"
import { changeOf, valuesOf } from "./values.ts"
import { WebhookForm } from "./WebhookForm.tsx"

const route = getRouteApi("/shell/webhooks/$id/edit")

const Form = ({ webhook }: { readonly webhook: Webhook }) => {
  const queries = useQueryClient()
  const navigate = useNavigate()
  // A refresh of the page's data must not undo what the viewer has typed.
  const [initial] = useState(() => valuesOf(webhook))
  const back = { to: "/webhooks/$id", params: { id: webhook.id } } as const
  return (
    <WebhookForm
      initial={initial}
      existing={{ headers: Object.keys(webhook.headers) }}
      action="Save changes"
      save={async (values) => {
        await call(changeWebhook(webhook.id, changeOf(initial, values)))
        await queries.invalidateQueries({ queryKey: ["webhooks"] })
        await navigate(back)
      }}
      cancel={
        <Button component={Link} to={`/webhooks/${webhook.id}`} variant="subtle" color="gray">
          Cancel
        </Button>
      }
    />
  )
}

export const EditWebhook = () => {
  const { id } = route.useParams()
  const [mayRead, mayWrite] = [useMay("webhooks:read"), useMay("webhooks:write")]
  const webhook = useWebhook(id, false)
  return (
    <Page within={{ to: "/webhooks", label: "Webhooks" }} title="Edit the webhook">
      {!mayRead || !mayWrite ? (
        <Section>This key may not change webhooks (scopes webhooks:read and webhooks:write).</Section>
      ) : webhook.isError ? (
        <FailureNotice failure={webhook.error} onRetry={() => webhook.refetch()} />
      ) : webhook.data === undefined ? (
        <Loading />
      ) : (
        <Form key={id} webhook={webhook.data} />
      )}
    </Page>
  )
}
