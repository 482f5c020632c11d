/** The newest deliveries of a webhook. */
import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { call } from "../../../api/call.ts"
import { type Delivery, listDeliveries } from "../../../api/ledgerhook.ts"
import { autoRefresh } from "../../../api/refresh.ts"
import { Table } from "../../../ui/list/Table.tsx"
import { Loading } from "../../../ui/page/Loading.tsx"
import { FailureNotice } from "../../../ui/page/Notices.tsx"
import { Section } from "../../../ui/page/Page.tsx"
import { EventTypeName } from "../../../ui/value/EventTypeName.tsx"
import { Status } from "../../../ui/value/Status.tsx"
import { Time } from "../../../ui/value/Time.tsx"
import { count } from "../../../words/format.ts"
import { LastAnswer, ledgerOf } from "../../deliveries/list/columns.tsx"

const SHOWN = 8

const Row = (delivery: Delivery) => {
  const ledger = ledgerOf(delivery.event_id)
  return (
    <tr>
      <td>
        <Time at={delivery.created_at} />
      </td>
      <td>
        <Link to="/deliveries/$id" params={{ id: delivery.id }}>
          <EventTypeName>{delivery.event_type}</EventTypeName>
        </Link>
      </td>
      <td data-narrow="hidden">{ledger === undefined ? "–" : count(ledger)}</td>
      <td>
        <Status of={delivery.status} />
      </td>
      <td data-narrow="hidden">
        <LastAnswer {...delivery} />
      </td>
      <td data-align="end" data-narrow="hidden">
        {count(delivery.attempts)}
      </td>
    </tr>
  )
}

export const NewestDeliveries = ({ id }: { readonly id: string }) => {
  const deliveries = useQuery({
    queryKey: ["deliveries", "newest", id],
    queryFn: () => call(listDeliveries({ webhookId: id, limit: SHOWN })),
    refetchInterval: autoRefresh
  })
  return (
    <Section
      title="Newest deliveries"
      actions={
        <Button component={Link} to={`/deliveries?webhook_id=${id}`} size="xs" variant="default">
          All deliveries
        </Button>
      }
    >
      {deliveries.isError ? (
        <FailureNotice failure={deliveries.error} onRetry={() => deliveries.refetch()} />
      ) : deliveries.data === undefined ? (
        <Loading lines={6} height={20} />
      ) : deliveries.data.data.length === 0 ? (
        <p className="quiet">
          None yet. A delivery is made when a ledger has an event that the webhook asks for; a test event
          makes one now.
        </p>
      ) : (
        <Table
          label="Newest deliveries"
          heads={["Created", "Event", "Ledger", "Status", "Last answer", "Attempts"]}
          ends={[5]}
          hidden={[2, 4, 5]}
        >
          {deliveries.data.data.map((delivery) => (
            <Row key={delivery.id} {...delivery} />
          ))}
        </Table>
      )}
    </Section>
  )
}
