/** Why a webhook got an event or did not, in sentences. Pure. */
import type { ExplainedWebhook } from "../../api/ledgerhook.ts"

const reasons: Record<ExplainedWebhook["reason"], string> = {
  matched:
    "The webhook asks for this event, but no delivery is known. The webhook had other settings when the ledger was taken, or the delivery is no longer kept.",
  queued: "It is about to be sent.",
  network: "The webhook watches another network.",
  type: "The webhook does not ask for this event type.",
  account: "None of the webhook's accounts takes part in this event.",
  payload: "The webhook's payload filter does not match this event.",
  not_yet_created: "The webhook was created after the ledger was taken. A replay can send the event.",
  disabled:
    "The webhook was disabled, or the account suspended, when the ledger was taken. Enable it, then replay the event.",
  quota: "The month's quota was used up. Replay the event when there is quota again.",
  deleted: "The webhook had been deleted."
}

const sent: Record<NonNullable<ExplainedWebhook["delivery"]>["status"], string> = {
  delivered: "The receiver got it.",
  pending: "It is about to be sent.",
  retrying: "An attempt failed. Another one follows.",
  failed: "All attempts failed. Repair the receiver, then retry the delivery."
}

export const reasonOf = ({ delivery, reason }: ExplainedWebhook): string =>
  delivery === null ? reasons[reason] : sent[delivery.status]
