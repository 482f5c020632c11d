/** A webhook: how its deliveries go, what it asks for, and what can be done with it. */
import { Alert, Button } from "@mantine/core"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useMay } from "../../api/account.ts"
import type { Webhook as WebhookData } from "../../api/ledgerhook.ts"
import { Loading } from "../../parts/Loading.tsx"
import { FailureNotice } from "../../parts/Notices.tsx"
import { Page, Section } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Time } from "../../parts/Time.tsx"
import { visible } from "../../parts/visible.ts"
import { DeleteWebhook } from "./DeleteWebhook.tsx"
import { NewestDeliveries } from "./NewestDeliveries.tsx"
import { RotateSecret } from "./RotateSecret.tsx"
import { SendTest } from "./SendTest.tsx"
import { SwitchStatus } from "./SwitchStatus.tsx"
import { WebhookFacts } from "./WebhookFacts.tsx"
import { WebhookStats } from "./WebhookStats.tsx"
import { WhyNot } from "./WhyNot.tsx"
import { useWebhook } from "./webhook.ts"

const route = getRouteApi("/shell/webhooks/$id")

const Actions = ({ webhook }: { readonly webhook: WebhookData }) => (
  <>
    <SwitchStatus webhook={webhook} />
    {webhook.status === "active" && <SendTest webhook={webhook} />}
    <Button component={Link} to={`/webhooks/${webhook.id}/edit`} variant="default">
      Edit
    </Button>
  </>
)

const Disabled = ({ disabled_at, disabled_reason, id }: WebhookData) => (
  <Alert color="red" variant="light" title="This webhook is disabled: nothing is sent to it">
    {disabled_at !== null && (
      <>
        Since <Time at={disabled_at} />
        {disabled_reason !== null && ": "}
      </>
    )}
    {disabled_reason !== null && <PlainText>{disabled_reason}</PlainText>}.
    <div>
      Repair the receiver and enable the webhook. What waits is then sent; what happened meanwhile can be{" "}
      <Link to="/replay/new" search={{ webhook_id: id }}>
        replayed
      </Link>
      .
    </div>
  </Alert>
)

const Content = ({ webhook }: { readonly webhook: WebhookData }) => {
  const [mayWrite, mayReadDeliveries, mayReplay] = [
    useMay("webhooks:write"),
    useMay("deliveries:read"),
    useMay("deliveries:write")
  ]
  return (
    <Page
      title={visible(webhook.description ?? webhook.url)}
      actions={mayWrite && <Actions webhook={webhook} />}
    >
      {webhook.status === "disabled" && <Disabled {...webhook} />}
      {mayReadDeliveries ? (
        <WebhookStats id={webhook.id} />
      ) : (
        <Section>This key may not see deliveries (scope deliveries:read).</Section>
      )}
      <div className="columns" style={{ "--column": "24rem", alignItems: "start" } as React.CSSProperties}>
        <WebhookFacts webhook={webhook} />
        {mayReadDeliveries && (
          <div className="stack">
            <NewestDeliveries id={webhook.id} />
            <WhyNot webhook={webhook} />
          </div>
        )}
      </div>
      <div className="row">
        {mayReplay && (
          <Button component={Link} to={`/replay/new?webhook_id=${webhook.id}`} variant="default">
            Replay past events
          </Button>
        )}
        {mayWrite && (
          <>
            <RotateSecret webhook={webhook} />
            <DeleteWebhook webhook={webhook} />
          </>
        )}
      </div>
    </Page>
  )
}

const Loaded = () => {
  const { id } = route.useParams()
  const webhook = useWebhook(id, true)
  if (webhook.data !== undefined) return <Content key={id} webhook={webhook.data} />
  return (
    <Page title="Webhook">
      {webhook.isError ? (
        <FailureNotice failure={webhook.error} onRetry={() => webhook.refetch()} />
      ) : (
        <Loading />
      )}
    </Page>
  )
}

export const Webhook = () =>
  useMay("webhooks:read") ? (
    <Loaded />
  ) : (
    <Page title="Webhook">
      <Section>This key may not see webhooks (scope webhooks:read).</Section>
    </Page>
  )
