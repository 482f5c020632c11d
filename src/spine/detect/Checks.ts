/** check.*: a Check entry is created, then cashed or cancelled (docs/detection-rules.md 2.8). */
import type { Payload } from "../event/Payloads.ts"
import { needAmount } from "./Amounts.ts"
import { deliveredAmount } from "./DeliveredAmount.ts"
import {
  type Cause,
  type Draft,
  event,
  type Findings,
  type NodeDetector,
  nothing,
  type TransactionContext,
  Undecided
} from "./Detector.ts"
import { hashOf, needAddress, timeOf, uint32Of } from "./Fields.ts"
import { type AffectedNode, nameOf, sequenceOf } from "./Nodes.ts"

const readCreated = (context: TransactionContext, node: AffectedNode): Findings => {
  const check = commonFields(context, node)
  return [event("check.created", check, [check.account, check.destination])]
}

const readCashed = (context: TransactionContext, node: AffectedNode): Findings => {
  const check = commonFields(context, node)
  const amount = deliveredAmount(context, context.account)
  if (amount === undefined)
    throw new Undecided(
      "delivered_amount_unknown",
      `What ${nameOf(node)} delivered is neither in the metadata nor derivable from the nodes.`
    )
  return [event("check.cashed", { ...check, amount }, [check.account, check.destination])]
}

const readCancelled = (context: TransactionContext, node: AffectedNode): Findings => {
  const check = commonFields(context, node)
  const { account, destination } = check
  const by = context.account
  // The ledger lets a stranger cancel a check only after it has expired.
  const reason = by === account || by === destination ? "cancelled" : "expired"
  return [event("check.cancelled", { ...check, cancelled_by: by, reason }, [account, destination, by])]
}

const created: ReadonlyArray<Cause> = [{ type: "check.created", read: readCreated }]
const cashed: ReadonlyArray<Cause> = [{ type: "check.cashed", read: readCashed }]
const cancelled: ReadonlyArray<Cause> = [{ type: "check.cancelled", read: readCancelled }]

export const check: NodeDetector = ({ succeeded, type }, node) => {
  if (node.change === "modified") return nothing
  if (node.change === "created") return created
  if (succeeded && type === "CheckCash") return cashed
  if (succeeded && type === "CheckCancel") return cancelled
  throw new Undecided(
    "unexpected_deletion",
    `${nameOf(node)} was deleted by a ${type} that neither cashed nor cancelled it.`
  )
}

const commonFields = (context: TransactionContext, node: AffectedNode): Draft<Payload<"check.created">> => {
  const { fields } = node
  return {
    tx_hash: context.hash,
    check_id: node.id,
    account: needAddress(fields, "Account"),
    destination: needAddress(fields, "Destination"),
    send_max: needAmount(fields, "SendMax"),
    sequence: sequenceOf(node),
    destination_tag: uint32Of(fields, "DestinationTag"),
    source_tag: uint32Of(fields, "SourceTag"),
    invoice_id: hashOf(fields, "InvoiceID"),
    expiration: timeOf(fields, "Expiration")
  }
}
