/** The webhooks that want an event, with what became of it, and those that do not, folded by their reason. */
import { IconChevronRight } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import {
  type Delivery,
  type Event,
  type ExplainedEvent,
  type ExplainedWebhook,
  explainTransaction,
  listDeliveries,
  type Webhook
} from "../../../api/ledgerhook.ts"
import { PAGE_ROWS } from "../../../api/list.ts"
import { autoRefresh } from "../../../api/refresh.ts"
import { nameOf, useNewestWebhooks } from "../../../api/webhooks.ts"
import { Loading } from "../../../ui/page/Loading.tsx"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { Section } from "../../../ui/page/Page.tsx"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { Status } from "../../../ui/value/Status.tsx"
import { clockTime, count, duration, localTime, plural } from "../../../words/format.ts"
import { reasonOf } from "../../progress/reasons.ts"
import classes from "./Receivers.module.css"
import { attemptsText, othersTitle, sorted, wantingTitle, wantsInstead } from "./receivers.ts"

const DAY_MS = 86_400_000

interface WantingProps {
  readonly explained: ExplainedWebhook
  readonly webhook: Webhook | undefined
  /** Undefined until it is loaded. */
  readonly delivery: Delivery | undefined
}

/** How long the answer took, or since when there is none. */
const When = ({ delivery }: { readonly delivery: Delivery }) => {
  if (delivery.status === "delivered")
    return delivery.response_time_ms === null ? null : duration(delivery.response_time_ms)
  const since = Date.parse(delivery.created_at)
  return `since ${Date.now() - since < DAY_MS ? clockTime(since) : localTime(new Date(since))}`
}

/** The row leads to the delivery, and to the webhook if there is none. */
const Wanting = ({ delivery, explained, webhook }: WantingProps) => {
  const { webhook_id } = explained
  const name = <PlainText>{nameOf(webhook, webhook_id)}</PlainText>
  return (
    <li className={classes["row"]}>
      {explained.delivery === null ? (
        <Status of="pending" label={explained.reason === "queued" ? "Queued" : "Not sent"} />
      ) : (
        <Status of={explained.delivery.status} />
      )}
      <div className={classes["what"]}>
        {explained.delivery === null ? (
          <Link to="/webhooks/$id" params={{ id: webhook_id }}>
            {name}
          </Link>
        ) : (
          <Link to="/deliveries/$id" params={{ id: explained.delivery.id }}>
            {name}
          </Link>
        )}
        <div className="note">
          <PlainText>{delivery === undefined ? reasonOf(explained) : attemptsText(delivery)}</PlainText>
        </div>
      </div>
      <span className={classes["when"]}>{delivery && <When delivery={delivery} />}</span>
    </li>
  )
}

const Other = ({ explained, webhook }: Omit<WantingProps, "delivery">) => (
  <li>
    <Link to="/webhooks/$id" params={{ id: explained.webhook_id }}>
      <PlainText>{nameOf(webhook, explained.webhook_id)}</PlainText>
    </Link>
    <div className="note">{wantsInstead(explained.reason, webhook) ?? reasonOf(explained)}</div>
  </li>
)

interface ListsProps {
  readonly explained: ExplainedEvent
  /** All webhooks of the account, those that are not explained included. */
  readonly webhooksCount: number
}

const Lists = ({ explained, webhooksCount }: ListsProps) => {
  const webhooks = useNewestWebhooks()
  const { event_id } = explained
  const deliveries = useQuery({
    queryKey: ["deliveries", "of event", event_id],
    queryFn: () => call(listDeliveries({ eventId: event_id, limit: PAGE_ROWS })),
    refetchInterval: autoRefresh
  })
  const { others, wanting } = sorted(explained.webhooks)
  const find = (id: string) => webhooks.find((one) => one.id === id)
  return (
    <>
      <Section title={wantingTitle(wanting.length)}>
        <ul className={classes["rows"]}>
          {wanting.map((one) => (
            <Wanting
              key={one.webhook_id}
              explained={one}
              webhook={find(one.webhook_id)}
              delivery={deliveries.data?.data.find(({ id }) => id === one.delivery?.id)}
            />
          ))}
        </ul>
      </Section>
      {others.length > 0 && (
        <Section title={othersTitle(explained.webhooks.length - wanting.length)}>
          {others.map(({ title, webhooks: unwanting }) => (
            <details key={title} className={classes["group"]}>
              <summary>
                <IconChevronRight size={16} aria-hidden />
                {title}
                <span>{count(unwanting.length)}</span>
              </summary>
              <ul>
                {unwanting.map((one) => (
                  <Other key={one.webhook_id} explained={one} webhook={find(one.webhook_id)} />
                ))}
              </ul>
            </details>
          ))}
        </Section>
      )}
      {webhooksCount > explained.webhooks.length && (
        <p className="note">
          Only the newest {count(explained.webhooks.length)} of {plural(webhooksCount, "webhook")} are
          counted.
        </p>
      )}
    </>
  )
}

const Content = ({ event, transaction }: ReceiversProps) => {
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
    <>
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
        <Lists explained={explained} webhooksCount={webhooks_count} />
      )}
      <div className={classes["more"]}>
        <Link to="/deliveries" search={{ event_id: event.event_id }}>
          All deliveries of this event
        </Link>
        {others.length > 0 && (
          <p>
            The same transaction caused {plural(events_count - 1, "other event")}:{" "}
            {others.map(({ event_id, event_type }, at) => (
              <span key={event_id}>
                {at > 0 && ", "}
                <Link to="/events/$id" params={{ id: event_id }} search={{ network: event.network }}>
                  {event_type}
                </Link>
              </span>
            ))}
          </p>
        )}
      </div>
    </>
  )
}

interface ReceiversProps {
  readonly event: Event
  readonly transaction: string
}

export const Receivers = (props: ReceiversProps) => (
  <aside className="stack" aria-label="Webhooks">
    {useMay("deliveries:read") ? (
      <Content {...props} />
    ) : (
      <p className="quiet">This key may not see which webhooks got the event (scope deliveries:read).</p>
    )}
  </aside>
)
