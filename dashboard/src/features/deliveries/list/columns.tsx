/** The columns of the list of deliveries, and its rows on a narrow screen. */
import { Link } from "@tanstack/react-router"
import type { Delivery, Webhook } from "../../../api/ledgerhook.ts"
import { nameOf } from "../../../api/webhooks.ts"
import { columnsOf } from "../../../ui/list/DataTable.tsx"
import { EventTypeName } from "../../../ui/value/EventTypeName.tsx"
import { useNow } from "../../../ui/value/now.ts"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { Status } from "../../../ui/value/Status.tsx"
import { Time } from "../../../ui/value/Time.tsx"
import { causeInShort } from "../../../words/causes.ts"
import { count, duration } from "../../../words/format.ts"
import classes from "./Deliveries.module.css"

const column = columnsOf<Delivery>()

/** The webhook, if it is known. */
export type WebhookOf = (id: string) => Webhook | undefined

const isHeld = ({ status, webhook_id }: Delivery, webhookOf: WebhookOf) =>
  status === "pending" && webhookOf(webhook_id)?.paused === true

const StatusOf = ({ held, status }: { readonly held: boolean; readonly status: Delivery["status"] }) =>
  held ? <Status of="paused" label="Held" /> : <Status of={status} />

const LinkTo = ({ id, event_type }: Delivery) => (
  <Link to="/deliveries/$id" params={{ id }} title={id}>
    <EventTypeName>{event_type}</EventTypeName>
  </Link>
)

/** "503 in 9 ms", "TLS: certificate has expired", "200 in 17 ms". */
export const LastAnswer = ({
  last_error,
  response_status,
  response_time_ms
}: Pick<Delivery, "last_error" | "response_status" | "response_time_ms">) => {
  const took = response_time_ms === null ? "" : ` in ${duration(response_time_ms)}`
  if (last_error === null) return response_status === null ? "–" : `${response_status}${took}`
  const short = causeInShort(last_error)
  const isBusy = short === "429"
  return (
    <span title={last_error} className={classes["answer"]}>
      <b className={isBusy ? classes["busy"] : "bad"}>{short}</b>
      <span className={classes["rest"]}>
        {short === String(response_status) ? (
          took
        ) : (
          <PlainText>{last_error.slice(last_error.indexOf(short) + short.length)}</PlainText>
        )}
      </span>
    </span>
  )
}

const Due = ({ at }: { readonly at: string | null }) => {
  const now = useNow()
  return at === null ? (
    <span className={classes["rest"]}>–</span>
  ) : Date.parse(at) <= now ? (
    "now"
  ) : (
    <Time at={at} />
  )
}

/** `xrpl:LEDGER:HASH:TYPE`. Undefined: a test event has none. */
export const ledgerOf = (eventId: string): number | undefined => {
  const ledger = Number(/^xrpl:(\d+):/.exec(eventId)?.[1])
  return Number.isNaN(ledger) ? undefined : ledger
}

export const columnsWith = (webhookOf: WebhookOf) =>
  column.columns([
    column.accessor("status", {
      header: "Status",
      meta: { width: "7.5rem" },
      cell: ({ row: { original } }) => (
        <StatusOf status={original.status} held={isHeld(original, webhookOf)} />
      )
    }),
    column.accessor("event_type", {
      header: "Event",
      meta: { width: "13rem" },
      cell: ({ row: { original } }) => <LinkTo {...original} />
    }),
    column.accessor("webhook_id", {
      header: "Webhook",
      meta: { width: "11.25rem", from: "sm" },
      cell: ({ getValue }) => <PlainText>{nameOf(webhookOf(getValue()), getValue())}</PlainText>
    }),
    column.accessor(({ event_id }) => ledgerOf(event_id), {
      id: "ledger",
      header: "Ledger",
      meta: { width: "6.5rem", from: "lg" },
      cell: ({ getValue }) => {
        const ledger = getValue()
        return <span className={classes["rest"]}>{ledger === undefined ? "–" : count(ledger)}</span>
      }
    }),
    column.display({
      id: "answer",
      header: "Last answer",
      meta: { from: "sm" },
      cell: ({ row: { original } }) => <LastAnswer {...original} />
    }),
    column.accessor("attempts", {
      header: "Attempts",
      meta: { width: "5rem", from: "md", align: "end" },
      cell: ({ getValue }) => <span className={classes["rest"]}>{count(getValue())}</span>
    }),
    column.accessor("next_attempt_at", {
      header: "Next attempt",
      meta: { width: "6.75rem", from: "md", align: "end" },
      cell: ({ getValue }) => <Due at={getValue()} />
    }),
    column.accessor("created_at", {
      header: "Created",
      meta: { width: "7.5rem", from: "sm", align: "end" },
      cell: ({ getValue }) => (
        <span className={classes["rest"]}>
          <Time at={getValue()} />
        </span>
      )
    })
  ])

export const narrowWith = (webhookOf: WebhookOf) => (delivery: Delivery) => (
  <>
    <div className={classes["line"]}>
      <LinkTo {...delivery} />
      <StatusOf status={delivery.status} held={isHeld(delivery, webhookOf)} />
    </div>
    <div className={classes["second"]}>
      <span>
        <PlainText>{nameOf(webhookOf(delivery.webhook_id), delivery.webhook_id)}</PlainText>
      </span>
      <span>
        {delivery.last_error === null ? delivery.response_status : causeInShort(delivery.last_error)}
        {delivery.response_time_ms !== null && ` in ${duration(delivery.response_time_ms)}`}
        {delivery.attempts > 0 && " · "}
        <Time at={delivery.created_at} />
      </span>
    </div>
  </>
)
