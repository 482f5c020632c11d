/** The newest deliveries of a webhook. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { call } from "../../api/call.ts"
import { type Delivery, listDeliveries } from "../../api/ledgerhook.ts"
import { autoRefresh } from "../../api/refresh.ts"
import { Loading } from "../../parts/Loading.tsx"
import { FailureNotice } from "../../parts/Notices.tsx"
import { Section } from "../../parts/Page.tsx"
import { PlainText } from "../../parts/PlainText.tsx"
import { Status } from "../../parts/Status.tsx"
import { Time } from "../../parts/Time.tsx"
import classes from "./NewestDeliveries.module.css"

const SHOWN = 8

const Row = ({ id, status, event_type, last_error, created_at }: Delivery) => (
  <li className={classes["row"]}>
    <Status>{status}</Status>
    <span className={classes["what"]}>
      <Link to="/deliveries/$id" params={{ id }}>
        {event_type}
      </Link>{" "}
      {last_error !== null && (
        <span className="quiet">
          <PlainText>{last_error}</PlainText>
        </span>
      )}
    </span>
    <span className="quiet">
      <Time at={created_at} />
    </span>
  </li>
)

export const NewestDeliveries = ({ id }: { readonly id: string }) => {
  const deliveries = useQuery({
    queryKey: ["deliveries", "newest", id],
    queryFn: () => call(listDeliveries({ webhookId: id, limit: SHOWN })),
    refetchInterval: autoRefresh
  })
  return (
    <Section title="Newest deliveries">
      {deliveries.isError ? (
        <FailureNotice failure={deliveries.error} onRetry={() => deliveries.refetch()} />
      ) : deliveries.data === undefined ? (
        <Loading />
      ) : deliveries.data.data.length === 0 ? (
        <p style={{ margin: 0 }}>
          None yet. A delivery is made when a ledger has an event that the webhook asks for; a test event
          makes one now.
        </p>
      ) : (
        <>
          <ul className={classes["rows"]}>
            {deliveries.data.data.map((delivery) => (
              <Row key={delivery.id} {...delivery} />
            ))}
          </ul>
          <div className="row">
            <Link to="/deliveries" search={{ webhook_id: id }}>
              All deliveries
            </Link>
            <Link to="/deliveries" search={{ webhook_id: id, status: "failed" }}>
              Failed ones
            </Link>
          </div>
        </>
      )}
    </Section>
  )
}
