/** The first events of the chosen ledger, with the webhooks that have them and those that have them not yet. */
import { Button } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useMay } from "../../../api/account.ts"
import { call } from "../../../api/call.ts"
import { type Event, listDeliveries, listEvents } from "../../../api/ledgerhook.ts"
import { autoRefresh } from "../../../api/refresh.ts"
import { openRow } from "../../../ui/list/rowLinks.ts"
import { Table } from "../../../ui/list/Table.tsx"
import { Loading } from "../../../ui/page/Loading.tsx"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { Section } from "../../../ui/page/Page.tsx"
import { EventTypeName } from "../../../ui/value/EventTypeName.tsx"
import { PlainText } from "../../../ui/value/PlainText.tsx"
import { StatusIcon } from "../../../ui/value/Status.tsx"
import { count, cut, plural } from "../../../words/format.ts"
import { networkIn } from "../../events/list/filters.ts"
import { eventsIn, type Ledger } from "../picture/ledgers.ts"
import classes from "./Live.module.css"
import { sentenceOf } from "./sentence.ts"

const SHOWN_EVENTS = 5
/** A pointer that only passes over a column asks for nothing. */
const SETTLED_MS = 300
const HASH_HEAD = 6

type Payload = Readonly<Record<string, unknown>>

const payloadOf = ({ payload }: Event) => payload as Payload

const Sentence = ({ event }: { readonly event: Event }) =>
  sentenceOf(event.event_type, payloadOf(event)).map(({ kind, text }, at) => {
    const Tag = kind === "id" ? "code" : kind === "amount" ? "b" : "span"
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no identity.
      <Tag key={at}>
        <PlainText>{text}</PlainText>
      </Tag>
    )
  })

/** The cells of an event's deliveries. */
const Deliveries = ({ id }: { readonly id: string }) => {
  const deliveries = useQuery({
    queryKey: ["deliveries", "of event", id],
    queryFn: () => call(listDeliveries({ eventId: id, limit: 100 })),
    enabled: useMay("deliveries:read"),
    refetchInterval: autoRefresh
  }).data?.data
  const delivered = deliveries?.filter(({ status }) => status === "delivered").length
  const waiting =
    deliveries?.filter(({ status }) => status === "retrying" || status === "pending").length ?? 0
  const failed = deliveries?.filter(({ status }) => status === "failed").length ?? 0
  return (
    <>
      <td className="quiet" data-narrow="hidden">
        {delivered === undefined ? "" : delivered === 0 ? "none" : plural(delivered, "webhook")}
      </td>
      <td data-align="end" data-narrow="hidden">
        {waiting > 0 && (
          <span className={classes["waits"]}>
            <StatusIcon of="waiting" size={14} /> {plural(waiting, "waits", "wait")}
          </span>
        )}
        {failed > 0 && (
          <span className={classes["failed"]}>
            <StatusIcon of="failed" size={14} /> {count(failed)} failed
          </span>
        )}
      </td>
    </>
  )
}

const EventRow = ({ event }: { readonly event: Event }) => {
  const hash = payloadOf(event)["tx_hash"]
  return (
    <tr onClick={openRow} onAuxClick={openRow}>
      <td>
        <Link to="/events/$id" params={{ id: event.event_id }} search={{ network: event.network }}>
          <EventTypeName>{event.event_type}</EventTypeName>
        </Link>
      </td>
      <td className={classes["sentence"]}>
        <Sentence event={event} />
      </td>
      <td data-narrow="hidden">
        {typeof hash === "string" && <code title={hash}>{cut(hash, HASH_HEAD)}</code>}
      </td>
      <Deliveries id={event.event_id} />
    </tr>
  )
}

export const LedgerEvents = ({ ledger }: { readonly ledger: Ledger }) => {
  const [{ ledger_index, network }] = useDebouncedValue(ledger, SETTLED_MS)
  const events = useQuery({
    queryKey: ["events", "of ledger", network, ledger_index],
    queryFn: () =>
      call(
        listEvents({
          ledgerIndexMin: ledger_index,
          ledgerIndexMax: ledger_index,
          network: networkIn(network),
          limit: SHOWN_EVENTS
        })
      ),
    placeholderData: keepPreviousData
  })
  const total = eventsIn(ledger)
  const shown = events.data?.data ?? []
  return (
    <Section
      title={`Events of ledger ${count(ledger.ledger_index)}`}
      note={total > shown.length ? `${count(shown.length)} of ${count(total)}` : ""}
      actions={
        total > 0 && (
          <Button
            size="xs"
            variant="default"
            component={Link}
            to={`/events?ledger_index_min=${ledger_index}&ledger_index_max=${ledger_index}&network=${network}`}
          >
            All {count(total)}
          </Button>
        )
      }
    >
      {events.isError ? (
        <FailureNotice failure={events.error} onRetry={() => events.refetch()} />
      ) : events.data === undefined ? (
        <Loading lines={SHOWN_EVENTS} height={20} />
      ) : shown.length === 0 ? (
        <p className="quiet">
          {total === 0 ? "This ledger has no event." : "Its events are not in the list yet."}
        </p>
      ) : (
        <Table
          label={`Events of ledger ${ledger.ledger_index}`}
          heads={["Type", "What happened", "Transaction", "Delivered to", "Not yet"]}
          ends={[4]}
          hidden={[2, 3, 4]}
        >
          {shown.map((event) => (
            <EventRow key={event.event_id} event={event} />
          ))}
        </Table>
      )}
    </Section>
  )
}
