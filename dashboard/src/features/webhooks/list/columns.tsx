/** The columns of the list of webhooks. Each row has two lines. */
import { VisuallyHidden } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import type { ListedWebhook } from "../../../api/ledgerhook.ts"
import { AttemptBars } from "../../../charts/AttemptBars.tsx"
import { columnsOf } from "../../../ui/list/DataTable.tsx"
import { EventTypeName } from "../../../ui/value/EventTypeName.tsx"
import { useNow } from "../../../ui/value/now.ts"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { Status } from "../../../ui/value/Status.tsx"
import { Time } from "../../../ui/value/Time.tsx"
import { causeInShort, withoutScheme } from "../../../words/causes.ts"
import { count, duration, plural } from "../../../words/format.ts"
import { WebhookMenu } from "../webhook/WebhookMenu.tsx"
import classes from "./Webhooks.module.css"

const column = columnsOf<ListedWebhook>()

/** Event types that are shown in a row. */
const SHOWN_TYPES = 2

const For = ({ since }: { readonly since: string }) =>
  duration(Math.max(useNow() - Date.parse(since), 1_000), true)

const Wants = ({ account_filters_count, event_types }: ListedWebhook) => (
  <>
    {event_types.slice(0, SHOWN_TYPES).map((type) => (
      <EventTypeName key={type}>{type}</EventTypeName>
    ))}
    {event_types.length > SHOWN_TYPES && `and ${event_types.length - SHOWN_TYPES} more`}
    <span className={classes["second"]}>
      {account_filters_count === 0 ? "all accounts" : plural(account_filters_count, "account")}
    </span>
  </>
)

const LastAnswer = ({ stats }: ListedWebhook) => {
  const last = stats?.last_answer
  if (last == null) return "–"
  return (
    <>
      {last.error === null ? (
        <b className="good">{last.response_status}</b>
      ) : (
        <b className="bad" title={last.error}>
          {causeInShort(last.error)}
        </b>
      )}
      <span className={classes["second"]}>
        <Time at={last.at} />
      </span>
    </>
  )
}

const number = (value: number | null | undefined, unit = "") =>
  value == null ? <span className={classes["zero"]}>–</span> : `${count(value)}${unit}`

const statsColumns = [
  column.display({
    id: "attempts",
    header: "Attempts",
    meta: { width: "9.5rem", from: "sm" },
    cell: ({ row: { original } }) => original.stats && <AttemptBars bars={original.stats.attempts} />
  }),
  column.display({
    id: "first",
    header: "First attempt",
    meta: { width: "6.5rem", from: "md", align: "end" },
    cell: ({ row: { original } }) => number(original.stats?.first_attempt_success_rate, "%")
  }),
  column.display({
    id: "p50",
    header: "p50 ms",
    meta: { width: "4.75rem", from: "md", align: "end" },
    cell: ({ row: { original } }) => number(original.stats?.p50_ms)
  }),
  column.display({
    id: "p99",
    header: "p99 ms",
    meta: { width: "4.75rem", from: "md", align: "end" },
    cell: ({ row: { original } }) => number(original.stats?.p99_ms)
  }),
  column.display({
    id: "waiting",
    header: "Waiting",
    meta: { width: "4.5rem", from: "sm", align: "end" },
    cell: ({ row: { original } }) => {
      const waiting = original.stats?.waiting ?? 0
      return waiting === 0 ? <span className={classes["zero"]}>0</span> : <b>{count(waiting)}</b>
    }
  }),
  column.display({
    id: "answer",
    header: "Last answer",
    meta: { width: "6rem", from: "sm" },
    cell: ({ row: { original } }) => <LastAnswer {...original} />
  })
]

const wait = (health: ListedWebhook["health"]["state"], waiting: number) =>
  waiting === 0 ? (
    <span className={classes["zero"]}>nothing waits</span>
  ) : (
    `${count(waiting)} ${health === "paused" ? "held" : waiting === 1 ? "waits" : "wait"}`
  )

/** The height of a row on a narrow screen. */
export const NARROW_PIXELS = 108

/** A row on a narrow screen. */
export const Narrow = (webhook: ListedWebhook) => {
  const { description, health, id, stats, url } = webhook
  return (
    <div className={classes["narrow"]}>
      <Link to="/webhooks/$id" params={{ id }}>
        <PlainText>{description ?? withoutScheme(url)}</PlainText>
      </Link>
      <Status of={health.state} />
      <span className={`${classes["second"]} ${classes["url"]}`}>
        <PlainText>{withoutScheme(url)}</PlainText>
      </span>
      {stats && (
        <>
          <AttemptBars bars={stats.attempts} />
          <span>
            <LastAnswer {...webhook} />
            {wait(health.state, stats.waiting)}
          </span>
        </>
      )}
    </div>
  )
}

export const columnsWith = (withStats: boolean) =>
  column.columns([
    column.display({
      id: "health",
      header: "Health",
      meta: { width: "6.25rem" },
      cell: ({ row: { original } }) => (
        <>
          <Status of={original.health.state} />
          <span className={`${classes["second"]} ${classes["indent"]}`}>
            <For since={original.health.since} />
          </span>
        </>
      )
    }),
    column.display({
      id: "name",
      header: "Webhook",
      cell: ({ row: { original } }) => (
        <>
          <Link to="/webhooks/$id" params={{ id: original.id }} title={original.url}>
            <PlainText>{original.description ?? withoutScheme(original.url)}</PlainText>
          </Link>
          <span className={`${classes["second"]} ${classes["url"]}`}>
            <PlainText>
              {original.description === null ? original.network : withoutScheme(original.url)}
            </PlainText>
          </span>
        </>
      )
    }),
    column.display({
      id: "wants",
      header: "Wants",
      meta: { width: "11.25rem", from: "md" },
      cell: ({ row: { original } }) => <Wants {...original} />
    }),
    ...(withStats ? statsColumns : []),
    column.display({
      id: "menu",
      header: () => <VisuallyHidden>More</VisuallyHidden>,
      meta: { width: "2.5rem", align: "end" },
      cell: ({ row: { original } }) => <WebhookMenu webhook={original} short />
    })
  ])
