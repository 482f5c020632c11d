/** Which webhooks got an event, which did not, and why. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMay } from "../../api/account.ts"
import { call } from "../../api/call.ts"
import { type Event, type ExplainedWebhook, explainTransaction } from "../../api/ledgerhook.ts"
import { autoRefresh } from "../../api/refresh.ts"
import { nameIn, useNewestWebhooks } from "../../api/webhooks.ts"
import { plural } from "../../parts/format.ts"
import { Loading } from "../../parts/Loading.tsx"
import { FailureNotice } from "../../parts/Notices.tsx"
import { Section } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Status } from "../../parts/Status.tsx"
import { Reason } from "./Reason.tsx"
import classes from "./Receivers.module.css"

interface ReceiverProps {
  readonly webhook: ExplainedWebhook
  readonly name: string
}

const Receiver = ({ webhook, name }: ReceiverProps) => (
  <li className={classes["receiver"]}>
    <div className="row">
      <Link to="/webhooks/$id" params={{ id: webhook.webhook_id }}>
        <PlainText>{name}</PlainText>
      </Link>
      {webhook.delivery === null ? (
        <span className="quiet">not sent</span>
      ) : (
        <Status of={webhook.delivery.status} />
      )}
    </div>
    <Reason webhook={webhook} />
  </li>
)

const Content = ({ event, transaction }: ReceiversProps) => {
  const webhooks = useNewestWebhooks()
  const explanation = useQuery({
    queryKey: ["explain", event.network, transaction, event.ledger_index],
    queryFn: () =>
      call(explainTransaction(transaction, { network: event.network, ledgerIndex: event.ledger_index })),
    refetchInterval: autoRefresh
  })
  if (explanation.isError) {
    return <FailureNotice failure={explanation.error} onRetry={() => explanation.refetch()} />
  }
  if (explanation.data === undefined) return <Loading />
  const { events, events_count, webhooks_count } = explanation.data
  const explained = events.find(({ event_id }) => event_id === event.event_id)
  const others = events.filter(({ event_id }) => event_id !== event.event_id)
  return (
    <div className="stack">
      {webhooks_count === 0 ? (
        <p>
          You have no webhook. <Link to="/webhooks/new">Create one</Link> to get events like this.
        </p>
      ) : explained === undefined ? (
        <p>
          What became of this event is not known: it is not searchable yet, its deliveries are no longer kept,
          or its transaction has more than 100 events.
        </p>
      ) : (
        <>
          <ul className={classes["receivers"]}>
            {explained.webhooks.map((webhook) => (
              <Receiver
                key={webhook.webhook_id}
                webhook={webhook}
                name={nameIn(webhooks, webhook.webhook_id)}
              />
            ))}
          </ul>
          {webhooks_count > explained.webhooks.length && (
            <p className="quiet">
              The newest {explained.webhooks.length} of {plural(webhooks_count, "webhook")} are shown.
            </p>
          )}
        </>
      )}
      <Link to="/deliveries" search={{ event_id: event.event_id }}>
        All deliveries of this event
      </Link>
      {others.length > 0 && (
        <div>
          The same transaction caused {plural(events_count - 1, "other event")}:
          <ul style={{ margin: "0.25rem 0 0", paddingLeft: "1.1rem" }}>
            {others.map(({ event_id, event_type }) => (
              <li key={event_id}>
                <Link to="/events/$id" params={{ id: event_id }} search={{ network: event.network }}>
                  {event_type}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

interface ReceiversProps {
  readonly event: Event
  readonly transaction: string
}

export const Receivers = (props: ReceiversProps) => (
  <Section title="Webhooks">
    {useMay("deliveries:read") ? (
      <Content {...props} />
    ) : (
      "This key may not see which webhooks got the event (scope deliveries:read)."
    )}
  </Section>
)
