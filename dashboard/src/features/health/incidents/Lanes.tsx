/** The deliveries of an incident as lanes on the axis of its chart: failed attempts, the answer, the next attempt dotted. */
import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../../../api/call.ts"
import { type Delivery, getDelivery, type IncidentDetail, listDeliveries } from "../../../api/ledgerhook.ts"
import { PAGE_ROWS } from "../../../api/list.ts"
import { autoRefresh } from "../../../api/refresh.ts"
import { NarrowOnly } from "../../../ui/list/Narrow.tsx"
import { Table } from "../../../ui/list/Table.tsx"
import { Loading } from "../../../ui/page/Loading.tsx"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { Section } from "../../../ui/page/Page.tsx"
import { EventTypeName } from "../../../ui/value/EventTypeName.tsx"
import { useNow } from "../../../ui/value/now.ts"
import { clockTime, count, duration, hourMinute, plural } from "../../../words/format.ts"
import classes from "./Incident.module.css"

/** Lanes that are shown at first, and that "more" adds: each is a request. */
const SHOWN = 8
/** A delivery is a little older than its failed attempt. */
const EARLIER_MS = 10_000
/** The part of a page that is asked for, because deliveries come unevenly. */
const SPARE = 0.8

export interface Axis {
  readonly from: number
  readonly to: number
}

const isOpen = ({ status }: Delivery) => status === "pending" || status === "retrying"

const waitedOf = (delivery: Delivery, now: number) =>
  (isOpen(delivery) ? now : Date.parse(delivery.updated_at)) - Date.parse(delivery.created_at)

interface LaneProps extends Axis {
  readonly delivery: Delivery
  readonly began: number
  readonly ended: number | undefined
}

const Lane = ({ began, delivery, ended, from, to }: LaneProps) => {
  const now = useNow()
  const found = useQuery({
    queryKey: ["deliveries", "lane", delivery.id, delivery.updated_at],
    queryFn: () => call(getDelivery(delivery.id)),
    staleTime: Number.POSITIVE_INFINITY
  })
  const at = (time: number) =>
    `${(100 * (Math.min(Math.max(time, from), to) - from)) / Math.max(to - from, 1)}%`
  const width = (begin: number, end: number) => `calc(${at(end)} - ${at(begin)})`
  const attempts = found.data?.attempt_history ?? []
  const next = found.data?.next_attempt_at
  const created = Date.parse(delivery.created_at)
  const last = isOpen(delivery) ? now : Date.parse(delivery.updated_at)
  return (
    <div
      className={classes["lane"]}
      role="img"
      aria-label={`${plural(attempts.length, "attempt")}: ${attempts
        .map(({ attempted_at, status }) => `${status} at ${clockTime(Date.parse(attempted_at))}`)
        .join(", ")}.`}
    >
      <i className={classes["shade"]} style={{ left: at(began), width: width(began, ended ?? to) }} />
      <i className={classes["life"]} style={{ left: at(created), width: width(created, last) }} />
      {attempts.map(({ attempt, attempted_at, status }) => (
        <i
          key={attempt}
          className={classes["dot"]}
          data-status={status}
          style={{ left: at(Date.parse(attempted_at)) }}
          title={`${status} at ${clockTime(Date.parse(attempted_at))}`}
        />
      ))}
      {next != null && Date.parse(next) < to && (
        <i
          className={classes["dot"]}
          data-status="next"
          style={{ left: at(Date.parse(next)) }}
          title={`the next attempt, ${clockTime(Date.parse(next))}`}
        />
      )}
    </div>
  )
}

const Row = (props: LaneProps) => {
  const { attempts, created_at, event_type, id } = props.delivery
  const waited = duration(Math.max(waitedOf(props.delivery, useNow()), 1_000), true)
  return (
    <tr>
      <td data-narrow="hidden">{clockTime(new Date(created_at))}</td>
      <td>
        <Link to="/deliveries/$id" params={{ id }}>
          <EventTypeName>{event_type}</EventTypeName>
        </Link>
        <NarrowOnly>{waited}</NarrowOnly>
      </td>
      <td data-align="end" data-narrow="hidden">
        {count(attempts)}
      </td>
      <td data-align="end" data-narrow="hidden">
        {waited}
      </td>
      <td className={classes["laneCell"]}>
        <Lane {...props} />
      </td>
    </tr>
  )
}

interface LanesProps {
  readonly incident: IncidentDetail
  readonly axis: Axis
}

export const Lanes = ({ incident, axis }: LanesProps) => {
  const { began_at, ended_at, waited, webhook_id } = incident
  const [shown, setShown] = useState(SHOWN)
  const now = useNow()
  const [began, ended] = [Date.parse(began_at), ended_at === null ? undefined : Date.parse(ended_at)]
  const bounds = {
    since: new Date(began - EARLIER_MS).toISOString(),
    ...(ended_at === null ? {} : { until: ended_at })
  }
  // The API lists the newest first, and the first ones have waited for longest: a page of them are in this time.
  const isPart = waited > PAGE_ROWS
  const firstMs = (((ended ?? now) - began) * PAGE_ROWS) / waited
  const [until] = useState(() => (isPart ? new Date(began + firstMs * SPARE).toISOString() : bounds.until))
  const list = useQuery({
    queryKey: ["deliveries", "incident", incident.id, until],
    queryFn: () =>
      call(listDeliveries({ webhookId: webhook_id, since: bounds.since, until, limit: PAGE_ROWS })),
    refetchInterval: ended_at === null ? autoRefresh : false
  })
  const found = list.data?.data
    .filter(({ attempts, status }) => status !== "delivered" || attempts > 1)
    .toSorted((a, b) => waitedOf(b, now) - waitedOf(a, now))
  const part = isPart ? "the first of them" : undefined
  return (
    <Section
      title={plural(waited, "delivery waited", "deliveries waited")}
      note={
        <>
          <span className={classes["keys"]}>
            <i className={classes["dot"]} data-status="failed" /> failed attempt
            <i className={classes["dot"]} data-status="delivered" /> delivered
          </span>
          {part && <span className={classes["part"]}>{part}</span>}
        </>
      }
      actions={
        <Button
          component={Link}
          to={`/deliveries?${new URLSearchParams({ webhook_id, ...bounds })}`}
          size="xs"
          variant="default"
        >
          In the list of deliveries
        </Button>
      }
    >
      {list.isError ? (
        <FailureNotice failure={list.error} onRetry={() => list.refetch()} />
      ) : found === undefined ? (
        <Loading lines={6} height={20} />
      ) : found.length === 0 ? (
        <p className="quiet">
          {incident.outcome === null ? "They are no longer kept." : "None of them waited."}
        </p>
      ) : (
        <>
          <Table
            label="Deliveries that waited"
            heads={[
              "Created",
              "Event",
              "Attempts",
              "Waited",
              `${hourMinute(axis.from)} – ${hourMinute(axis.to)}`
            ]}
            ends={[2, 3]}
            hidden={[0, 2, 3]}
          >
            {found.slice(0, shown).map((delivery) => (
              <Row key={delivery.id} delivery={delivery} {...axis} began={began} ended={ended} />
            ))}
          </Table>
          {found.length > shown && (
            <Button size="xs" variant="subtle" mt="sm" onClick={() => setShown(shown + SHOWN)}>
              {count(found.length - shown)} more
            </Button>
          )}
        </>
      )}
    </Section>
  )
}
