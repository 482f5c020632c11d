/** A webhook that was just created: its secret, once, and what to do next. */
import { Button } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import type { CreatedWebhook } from "../../../api/ledgerhook.ts"
import { Page } from "../../../ui/page/Page.tsx"
import { SecretModal } from "../../../ui/page/SecretModal.tsx"
import { SendTest } from "../webhook/SendTest.tsx"

export const Created = ({ webhook }: { readonly webhook: CreatedWebhook }) => {
  const [stored, setStored] = useState(false)
  return (
    <Page
      within={{ to: "/webhooks", label: "Webhooks" }}
      title="The webhook is created"
      note="Send it an invented event to see whether your server answers."
    >
      <SecretModal
        opened={!stored}
        onClose={() => setStored(true)}
        title="Its secret"
        madeTitle="The secret of the webhook"
        what="the secret"
        purpose="Your server verifies with it that a request is from this service."
        secret={webhook.secret}
      />
      <div className="row">
        <SendTest webhook={webhook} />
        <Button component={Link} to={`/webhooks/${webhook.id}`} variant="default">
          Go to the webhook
        </Button>
      </div>
    </Page>
  )
}
