/** Why a webhook got an event or did not, with a link to the delivery if there is one. */
import { Link } from "@tanstack/react-router"
import type { ExplainedWebhook } from "../../api/ledgerhook.ts"
import { reasonOf } from "./reasons.ts"

export const Reason = ({ webhook }: { readonly webhook: ExplainedWebhook }) => (
  <div className="quiet">
    {reasonOf(webhook)}{" "}
    {webhook.delivery !== null && (
      <Link to="/deliveries/$id" params={{ id: webhook.delivery.id }}>
        See the delivery
      </Link>
    )}
  </div>
)
