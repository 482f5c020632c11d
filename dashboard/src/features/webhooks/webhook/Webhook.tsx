/** A webhook: what fails and what to do, how its attempts go, its incidents, what it asks for. */
import { Button, Tabs } from "@mantine/core"
import { IconPencil } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { useCoverage } from "../../../api/coverage.ts"
import { listWebhooks, type Webhook as WebhookData } from "../../../api/ledgerhook.ts"
import { autoRefresh } from "../../../api/refresh.ts"
import { Loading } from "../../../ui/page/Loading.tsx"
import { FailureNotice, Notice } from "../../../ui/page/Notices.tsx"
import { Page } from "../../../ui/page/Page.tsx"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { Status } from "../../../ui/value/Status.tsx"
import { visible } from "../../../words/visible.ts"
import { FailingBanner } from "../../health/failing/FailingBanner.tsx"
import { AfterTry } from "../../health/failing/TryNow.tsx"
import { tabIn } from "../list/filters.ts"
import { ChangeButton } from "./ChangeButton.tsx"
import { Incidents } from "./Incidents.tsx"
import { NewestDeliveries } from "./NewestDeliveries.tsx"
import { SendTest } from "./SendTest.tsx"
import { LastDay, WebhookAttempts } from "./WebhookAttempts.tsx"
import { Requests, Wanted, WebhookFacts } from "./WebhookFacts.tsx"
import { WebhookMenu } from "./WebhookMenu.tsx"
import { useWebhook } from "./webhook.ts"

const route = getRouteApi("/shell/webhooks/$id")

const Actions = ({ webhook }: { readonly webhook: WebhookData }) => (
  <>
    {webhook.status === "active" && <SendTest webhook={webhook} />}
    <Button
      component={Link}
      to={`/webhooks/${webhook.id}/edit`}
      variant="default"
      leftSection={<IconPencil size={16} aria-hidden />}
    >
      Edit
    </Button>
    {webhook.status === "disabled" ? (
      <ChangeButton key="enable" webhook={webhook} to="Enable" />
    ) : (
      webhook.paused && <ChangeButton key="resume" webhook={webhook} to="Resume" />
    )}
    <WebhookMenu webhook={webhook} />
  </>
)

/** What the service says of a webhook that does not fail. */
const State = ({ health, id }: WebhookData) => (
  <Notice>
    <Status of={health.state} />
    <span>
      <PlainText>{health.sentence}</PlainText>{" "}
      {health.state === "disabled" && (
        <>
          Repair the receiver and enable the webhook. What waits is then sent; what happened meanwhile can be{" "}
          <Link to="/replay/new" search={{ webhook_id: id }}>
            replayed
          </Link>
          .
        </>
      )}
      <span className="row">
        <AfterTry webhookId={id} />
      </span>
    </span>
  </Notice>
)

/** As lists show it, with what waits and the last answer. */
const Failing = ({ id, network }: WebhookData) => {
  const listed = useQuery({
    queryKey: ["webhooks", "listed", id],
    queryFn: () => call(listWebhooks({ search: id, limit: 1, stats: "24h" })),
    refetchInterval: autoRefresh
  })
  const ranges = useCoverage().data?.data.find((one) => one.network === network)?.ranges
  const [webhook] = listed.data?.data ?? []
  return webhook && <FailingBanner webhook={webhook} firstLedger={ranges?.at(-1)?.first.ledger_index} />
}

/** Charts and lists, beside the configuration in short. */
const Overview = ({ webhook }: { readonly webhook: WebhookData }) => {
  const mayReadDeliveries = useMay("deliveries:read")
  const { id } = webhook
  return (
    <div className="with-side">
      <div className="stack">
        {mayReadDeliveries && <WebhookAttempts {...webhook} />}
        <Incidents webhook={webhook} />
        {mayReadDeliveries ? (
          <NewestDeliveries id={id} />
        ) : (
          <p className="quiet">This key may not see deliveries (scope deliveries:read).</p>
        )}
      </div>
      <div className="stack">
        <WebhookFacts webhook={webhook} />
        {mayReadDeliveries && <LastDay id={id} />}
      </div>
    </div>
  )
}

const Content = ({ webhook }: { readonly webhook: WebhookData }) => {
  const [mayWrite, mayReadDeliveries] = [useMay("webhooks:write"), useMay("deliveries:read")]
  const { description, health, id, url } = webhook
  const search = route.useSearch()
  const navigate = useNavigate()
  const choose = (value: string | null) =>
    navigate({ to: "/webhooks/$id", params: { id }, search: { ...search, tab: tabIn(value) }, replace: true })
  return (
    <Page
      title={visible(description ?? url)}
      within={{ to: "/webhooks", label: "Webhooks" }}
      note={
        description !== null && (
          <span className="mono">
            <PlainText>{url}</PlainText>
          </span>
        )
      }
      actions={mayWrite && <Actions webhook={webhook} />}
    >
      {health.state === "failing" && mayReadDeliveries ? <Failing {...webhook} /> : <State {...webhook} />}
      <Tabs value={search.tab ?? "overview"} onChange={choose} keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="overview">Overview</Tabs.Tab>
          <Tabs.Tab value="events">Events it wants</Tabs.Tab>
          <Tabs.Tab value="requests">Requests and secret</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="overview">
          <Overview webhook={webhook} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <Wanted webhook={webhook} />
        </Tabs.Panel>
        <Tabs.Panel value="requests">
          <Requests webhook={webhook} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

const Loaded = () => {
  const { id } = route.useParams()
  const webhook = useWebhook(id, true)
  if (webhook.data !== undefined) return <Content key={id} webhook={webhook.data} />
  return (
    <Page title="Webhook" within={{ to: "/webhooks", label: "Webhooks" }}>
      {webhook.isError ? (
        <FailureNotice failure={webhook.error} onRetry={() => webhook.refetch()} />
      ) : (
        <Loading lines={8} height={20} />
      )}
    </Page>
  )
}

export const Webhook = () =>
  useMay("webhooks:read") ? (
    <Loaded />
  ) : (
    <Page title="Webhook">This key may not see webhooks (scope webhooks:read).</Page>
  )
