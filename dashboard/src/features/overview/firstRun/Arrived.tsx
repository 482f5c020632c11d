/** The first event that was sent, and how the receiver answered it. */
import { Link } from "@tanstack/react-router"
import type { DeliveryDetail, Webhook } from "../../../api/ledgerhook.ts"
import { EventTypeName } from "../../../ui/value/EventTypeName.tsx"
import { AttemptAnswer } from "../../webhooks/webhook/AttemptAnswer.tsx"

interface ArrivedProps {
  readonly delivery: DeliveryDetail
  readonly webhook: Webhook
}

export const Arrived = ({ delivery, webhook }: ArrivedProps) => {
  const attempt = delivery.attempt_history.at(-1)
  return (
    <div className="stack-small" role="status">
      <p>
        <EventTypeName>{delivery.event_type}</EventTypeName>
        <Link to="/deliveries/$id" params={{ id: delivery.id }}>
          See the delivery
        </Link>
      </p>
      {attempt && <AttemptAnswer attempt={attempt} url={webhook.url} />}
      {delivery.status !== "delivered" && (
        <p className="quiet">It is retried. Start the receiver, and send a test event.</p>
      )}
    </div>
  )
}
