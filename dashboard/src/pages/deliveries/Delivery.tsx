/** One delivery: where it stands, each attempt, the request, and how to verify its signature. */
import { Button } from "@mantine/core"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { type DeliveryDetail, getDelivery, retryDelivery } from "../../api/ledgerhook.ts"
import { autoRefresh, liveRefresh } from "../../api/refresh.ts"
import { nameOf, useWebhook } from "../../api/webhooks.ts"
import { plural } from "../../parts/format.ts"
import { Loading } from "../../parts/Loading.tsx"
import { FailureNotice } from "../../parts/Notices.tsx"
import { Page, Section } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Status } from "../../parts/Status.tsx"
import { Time } from "../../parts/Time.tsx"
import { Attempts } from "./Attempts.tsx"
import { Request } from "./Request.tsx"
import { VerifySignature } from "./VerifySignature.tsx"

const route = getRouteApi("/shell/deliveries/$id")

const wasInBatch = ({ attempt_history }: DeliveryDetail): boolean => attempt_history.at(-1)?.batch_id != null

const Retry = ({ id, status }: DeliveryDetail) => {
  const queries = useQueryClient()
  const retry = useMutation({
    mutationFn: () => call(retryDelivery(id, { idempotencyKey: crypto.randomUUID() })),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["delivery", id] }),
        queries.invalidateQueries({ queryKey: ["deliveries"] })
      ])
  })
  return (
    <div className="stack" style={{ marginTop: "1.25rem" }}>
      <div className="row">
        <Button loading={retry.isPending} onClick={() => retry.mutate()}>
          Retry now
        </Button>
        <span className="quiet" role="status">
          {retry.isSuccess
            ? "The next attempt is queued."
            : status === "failed"
              ? "Starts the retry schedule again, with up to 10 attempts."
              : "Makes the next attempt now. The schedule continues after it."}
        </span>
      </div>
      {retry.isError && <FailureNotice failure={retry.error} />}
    </div>
  )
}

/** The network of the event, if the request's body has it: a test key's events are of two networks. */
const networkOf = (body: string | null): string | undefined =>
  /"network":"(mainnet|testnet|devnet)"/.exec(body ?? "")?.[1]

const Facts = (delivery: DeliveryDetail) => {
  const mayRetry = useMay("deliveries:write")
  const { webhook_id, event_id, status, attempts, last_error, created_at, updated_at } = delivery
  const webhook = useWebhook(webhook_id)
  return (
    <Section>
      <dl className="facts">
        <dt>Status</dt>
        <dd>
          <Status of={status} />{" "}
          {last_error !== null && (
            <>
              after <PlainText>{last_error}</PlainText>
            </>
          )}
        </dd>
        <dt>Webhook</dt>
        <dd>
          <Link to="/webhooks/$id" params={{ id: webhook_id }}>
            <PlainText>{nameOf(webhook, webhook_id)}</PlainText>
          </Link>
          {webhook?.description && (
            <div className="quiet">
              <PlainText>{webhook.url}</PlainText>
            </div>
          )}
        </dd>
        <dt>Event</dt>
        <dd className="mono">
          <Link
            to="/events/$id"
            params={{ id: event_id }}
            search={{ network: networkOf(delivery.request_body) ?? webhook?.network }}
          >
            {event_id}
          </Link>
        </dd>
        <dt>Delivery id</dt>
        <dd className="mono">{delivery.id}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={created_at} />
        </dd>
        <dt>Last change</dt>
        <dd>
          <Time at={updated_at} />, after {plural(attempts, "attempt")}
        </dd>
      </dl>
      {mayRetry && (status === "failed" || status === "retrying") && <Retry key={attempts} {...delivery} />}
    </Section>
  )
}

const SOON_MS = 60_000

/** Whether an attempt is expected within a minute. */
const changesSoon = (delivery: DeliveryDetail | undefined): boolean =>
  delivery?.status === "pending" ||
  (delivery?.status === "retrying" && Date.parse(delivery.next_attempt_at ?? "") - Date.now() < SOON_MS)

const Content = ({ id }: { readonly id: string }) => {
  const query = useQuery({
    queryKey: ["delivery", id],
    queryFn: () => call(getDelivery(id)),
    refetchInterval: ({ state }) => (changesSoon(state.data) ? liveRefresh() : autoRefresh())
  })
  const delivery = query.data
  if (delivery === undefined && !query.isError) return <Loading />
  return (
    <Page
      within={{ to: "/deliveries", label: "Deliveries" }}
      title={delivery === undefined ? "Delivery" : `Delivery of ${delivery.event_type}`}
    >
      {query.isError && <FailureNotice failure={query.error} onRetry={() => query.refetch()} />}
      {delivery && <Parts {...delivery} />}
    </Page>
  )
}

const Parts = (delivery: DeliveryDetail) => (
  <>
    <Facts {...delivery} />
    <Attempts {...delivery} />
    <Request {...delivery} />
    {/* A batch is signed as a whole, and its other events are not known here. */}
    {delivery.request_body !== null && delivery.request_headers !== null && !wasInBatch(delivery) && (
      <VerifySignature body={delivery.request_body} headers={delivery.request_headers} />
    )}
  </>
)

export const Delivery = () => {
  const { id } = route.useParams()
  return useMay("deliveries:read") ? (
    <Content id={id} />
  ) : (
    <Page within={{ to: "/deliveries", label: "Deliveries" }} title="Delivery">
      <Section>This key may not see deliveries (scope deliveries:read).</Section>
    </Page>
  )
}
