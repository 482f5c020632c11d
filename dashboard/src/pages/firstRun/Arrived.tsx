/** The first event that was sent, how the receiver answered it, and where to go from there. */
import { Button } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import type { DeliveryDetail, Webhook } from "../../api/ledgerhook.ts"
import { EventTypeName } from "../../parts/EventTypeName.tsx"
import { AttemptAnswer } from "../webhooks/AttemptAnswer.tsx"
import { SendTest } from "../webhooks/SendTest.tsx"
import classes from "./FirstRun.module.css"

interface ArrivedProps {
  readonly delivery: DeliveryDetail
  readonly webhook: Webhook
}

export const Arrived = ({ delivery, webhook }: ArrivedProps) => {
  const attempt = delivery.attempt_history.at(-1)
  const delivered = delivery.status === "delivered"
  return (
    <div className="stack-small" role="status">
      <p>
        <EventTypeName>{delivery.event_type}</EventTypeName>
        <Link to="/deliveries/$id" params={{ id: delivery.id }}>
          See the delivery
        </Link>
      </p>
      {attempt && <AttemptAnswer attempt={attempt} url={webhook.url} />}
      {!delivered && <p className="quiet">It is retried. Start the receiver, and send a test event.</p>}
      <div className={classes["actions"]}>
        {delivered ? (
          <Button component={Link} to={`/webhooks/${webhook.id}`}>
            Go to the webhook
          </Button>
        ) : (
          <SendTest webhook={webhook} label="Send a test event" />
        )}
      </div>
    </div>
  )
}
