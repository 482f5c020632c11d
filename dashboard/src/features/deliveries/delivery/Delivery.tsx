/** One delivery: where it stands, its life to scale, each attempt, the request, and how to verify its signature. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { type DeliveryDetail, getDelivery, retryDelivery, type Webhook } from "../../../api/ledgerhook.ts"
import { autoRefresh, liveRefresh } from "../../../api/refresh.ts"
import { nameOf, useWebhook } from "../../../api/webhooks.ts"
import { Loading } from "../../../ui/page/Loading.tsx"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { Page, Section } from "../../../ui/page/Page.tsx"
import { EventTypeName } from "../../../ui/value/EventTypeName.tsx"
import { useNow } from "../../../ui/value/now.ts"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { Status, StatusIcon } from "../../../ui/value/Status.tsx"
import { Time } from "../../../ui/value/Time.tsx"
import { adviceFor, causeInFull, hostOf } from "../../../words/causes.ts"
import { count, cut, duration, localTime, plural } from "../../../words/format.ts"
import { useIncidents } from "../../health/incidents/useIncidents.ts"
import { ledgerOf } from "../list/columns.tsx"
import { Actions } from "./Actions.tsx"
import { Attempts } from "./Attempts.tsx"
import classes from "./Delivery.module.css"
import { DeliveryLane } from "./DeliveryLane.tsx"
import { deliveryTitle, whyItWaits } from "./deliveryTitle.ts"
import { VerifySignature } from "./VerifySignature.tsx"
import { Wire } from "./Wire.tsx"

/** Longer than a delivery is retried. */
const INCIDENT_DAYS = 7

const route = getRouteApi("/shell/deliveries/$id")

const wasInBatch = ({ attempt_history }: DeliveryDetail): boolean => attempt_history.at(-1)?.batch_id != null

/** The network of the event, if the request's body has it: a test key's events are of two networks. */
const networkOf = (body: string | null): string | undefined =>
  /"network":"(mainnet|testnet|devnet)"/.exec(body ?? "")?.[1]

/** Characters of an id before its middle: "dlv_01KAX…Y9ZB". */
const ID_HEAD = 9

const SOON_MS = 60_000
/** How often a delivery is read while its attempt is under way. */
const WATCH_MS = 700

/** Whether an attempt is expected within a minute. */
const changesSoon = (delivery: DeliveryDetail | undefined): boolean =>
  delivery?.status === "pending" ||
  (delivery?.status === "retrying" && Date.parse(delivery.next_attempt_at ?? "") - Date.now() < SOON_MS)

interface RetryAnswerProps {
  readonly delivery: DeliveryDetail
  /** The attempts that there were before the retry. */
  readonly before: number
}

const RetryAnswer = ({ delivery, before }: RetryAnswerProps) => {
  const last = delivery.attempt_history.at(-1)
  return (
    <p className={classes["answer"]} role="status">
      {delivery.attempts === before || last === undefined ? (
        "The next attempt is queued."
      ) : (
        <>
          <StatusIcon of={last.status} />
          <span>
            <b>
              <PlainText>
                {last.status === "delivered" ? `Delivered: HTTP ${last.response_status}` : (last.error ?? "")}
              </PlainText>
            </b>
            {last.response_time_ms !== null && ` in ${duration(last.response_time_ms)}`}, attempt{" "}
            {last.attempt}.
          </span>
        </>
      )}
    </p>
  )
}

const Incident = ({ webhook_id, created_at }: Pick<DeliveryDetail, "created_at" | "webhook_id">) => {
  const incident = useIncidents(INCIDENT_DAYS, webhook_id).data?.data.find(
    ({ began_at, ended_at }) =>
      ended_at === null ||
      (created_at <= ended_at && Date.parse(created_at) >= Date.parse(began_at) - SOON_MS)
  )
  if (incident === undefined) return null
  return (
    <p className="quiet">
      {incident.ended_at === null
        ? `The webhook has been failing since ${localTime(new Date(incident.began_at))}: ${plural(incident.attempts_failed, "request")} failed, and ${plural(incident.waited, "delivery waits", "deliveries wait")}.`
        : `The webhook was failing from ${localTime(new Date(incident.began_at))} to ${localTime(new Date(incident.ended_at))}: ${plural(incident.waited, "delivery", "deliveries")} waited.`}{" "}
      <Link to="/incidents/$id" params={{ id: incident.id }}>
        The incident
      </Link>
    </p>
  )
}

const Facts = ({
  delivery,
  network
}: {
  readonly delivery: DeliveryDetail
  readonly network: string | undefined
}) => {
  const { attempts, created_at, event_id, id, updated_at } = delivery
  return (
    <Section title="Details">
      <dl className="facts">
        <dt>Event</dt>
        <dd className="mono">
          <Link to="/events/$id" params={{ id: event_id }} search={{ network }}>
            {event_id}
          </Link>
        </dd>
        <dt>Delivery id</dt>
        <dd className="mono">{id}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={created_at} />
        </dd>
        <dt>Last change</dt>
        <dd>
          <Time at={updated_at} />, after {plural(attempts, "attempt")}
        </dd>
      </dl>
    </Section>
  )
}

const State = ({
  delivery,
  webhook
}: {
  readonly delivery: DeliveryDetail
  readonly webhook: Webhook | undefined
}) => {
  const { event_id, event_type, last_error, status, webhook_id } = delivery
  const ledger = ledgerOf(event_id)
  const advice =
    last_error === null || webhook === undefined ? undefined : adviceFor(last_error, hostOf(webhook.url))
  const why = whyItWaits(status, webhook)
  return (
    <>
      <div className={classes["state"]}>
        <Status of={status} />
        <span>
          <EventTypeName>{event_type}</EventTypeName>
          {ledger !== undefined && `of ledger ${count(ledger)} `}
          to{" "}
          <Link to="/webhooks/$id" params={{ id: webhook_id }}>
            <PlainText>{nameOf(webhook, webhook_id)}</PlainText>
          </Link>
        </span>
      </div>
      {last_error !== null && (
        <p>
          <b className="bad">
            <PlainText>{causeInFull(last_error)}</PlainText>
          </b>
          {advice && `. ${advice}`}
        </p>
      )}
      {why && <p>{why}</p>}
    </>
  )
}

const Shown = ({ delivery, retry }: { readonly delivery: DeliveryDetail; readonly retry: Retry }) => {
  const webhook = useWebhook(delivery.webhook_id)
  const [attempt, setAttempt] = useState<number>()
  const mayRetry = useMay("deliveries:write")
  const now = useNow()
  const network = networkOf(delivery.request_body) ?? webhook?.network
  const { request_body, request_headers, status } = delivery
  const isRetryable = mayRetry && (status === "failed" || status === "retrying")
  return (
    <Page
      within={{ to: "/deliveries", label: "Deliveries" }}
      name={cut(delivery.id, ID_HEAD)}
      title={deliveryTitle(delivery, now)}
      note={<State delivery={delivery} webhook={webhook} />}
      actions={
        <Actions
          delivery={delivery}
          webhook={webhook}
          network={network}
          isRetrying={retry.isPending}
          onRetry={isRetryable ? retry.start : undefined}
        />
      }
    >
      {retry.failure && <FailureNotice failure={retry.failure} />}
      {retry.before !== undefined && <RetryAnswer delivery={delivery} before={retry.before} />}
      <DeliveryLane {...delivery} />
      {(status === "retrying" || status === "failed") && <Incident {...delivery} />}
      <Attempts
        delivery={delivery}
        shown={attempt ?? delivery.attempt_history.at(-1)?.attempt}
        onShow={setAttempt}
      />
      <Wire delivery={delivery} webhook={webhook} shown={attempt} />
      {/* A batch is signed as a whole, and its other events are not known here. */}
      {request_body !== null && request_headers !== null && !wasInBatch(delivery) && (
        <VerifySignature body={request_body} headers={request_headers} />
      )}
      <Facts delivery={delivery} network={network} />
    </Page>
  )
}

interface Retry {
  readonly start: () => void
  readonly isPending: boolean
  readonly failure: Error | null
  /** How many attempts there were before it; undefined: none was asked for. */
  readonly before: number | undefined
}

const Content = ({ id }: { readonly id: string }) => {
  const queries = useQueryClient()
  const [before, setBefore] = useState<number>()
  const query = useQuery({
    queryKey: ["delivery", id],
    queryFn: () => call(getDelivery(id)),
    refetchInterval: ({ state }) =>
      state.data !== undefined && state.data.attempts === before
        ? WATCH_MS
        : changesSoon(state.data)
          ? liveRefresh()
          : autoRefresh()
  })
  const delivery = query.data
  const retry = useMutation({
    mutationFn: () => call(retryDelivery(id, { idempotencyKey: crypto.randomUUID() })),
    onSuccess: () => {
      setBefore(delivery?.attempts)
      return Promise.all([
        queries.invalidateQueries({ queryKey: ["delivery", id] }),
        queries.invalidateQueries({ queryKey: ["deliveries"] })
      ])
    }
  })
  if (delivery === undefined) {
    if (!query.isError) return <Loading />
    return (
      <Page within={{ to: "/deliveries", label: "Deliveries" }} title="Delivery">
        <FailureNotice failure={query.error} onRetry={() => query.refetch()} />
      </Page>
    )
  }
  return (
    <>
      {query.isError && <FailureNotice failure={query.error} onRetry={() => query.refetch()} />}
      <Shown
        delivery={delivery}
        retry={{ start: retry.mutate, isPending: retry.isPending, failure: retry.error, before }}
      />
    </>
  )
}

export const Delivery = () => {
  const { id } = route.useParams()
  return useMay("deliveries:read") ? (
    <Content key={id} id={id} />
  ) : (
    <Page within={{ to: "/deliveries", label: "Deliveries" }} title="Delivery">
      <Section>This key may not see deliveries (scope deliveries:read).</Section>
    </Page>
  )
}
