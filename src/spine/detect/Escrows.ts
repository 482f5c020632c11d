/** escrow.*: an Escrow entry is created, then finished or cancelled (docs/detection-rules.md 2.7). */
import type { Payload } from "../event/Payloads.ts"
import { needAmount } from "./Amounts.ts"
import { deliveredByEscrow } from "./DeliveredAmount.ts"
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
import { hexOf, need, needAddress, timeOf, uint32Of } from "./Fields.ts"
import { type AffectedNode, nameOf } from "./Nodes.ts"

const readCreated = (context: TransactionContext, node: AffectedNode): Findings => {
  // A transaction with a ticket has Sequence 0 (docs/detection-rules.md 1.8).
  const sequence = uint32Of(context.tx, "TicketSequence") ?? uint32Of(context.tx, "Sequence")
  const escrow = commonFields(context, node, sequence)
  return [event("escrow.created", escrow, [escrow.owner, escrow.destination])]
}

const readFinished = (context: TransactionContext, node: AffectedNode): Findings => {
  const escrow = commonFields(context, node, uint32Of(context.tx, "OfferSequence"))
  const { destination, owner } = escrow
  const finished_by = context.account
  const finished = {
    ...escrow,
    finished_by,
    fulfillment: hexOf(context.tx, "Fulfillment"),
    delivered_amount: deliveredByEscrow(context, destination, needAmount(node.fields, "Amount"))
  }
  return [event("escrow.finished", finished, [owner, destination, finished_by])]
}

const readCancelled = (context: TransactionContext, node: AffectedNode): Findings => {
  const escrow = commonFields(context, node, uint32Of(context.tx, "OfferSequence"))
  const cancelled_by = context.account
  const { destination, owner } = escrow
  return [event("escrow.cancelled", { ...escrow, cancelled_by }, [owner, destination, cancelled_by])]
}

const created: ReadonlyArray<Cause> = [{ type: "escrow.created", read: readCreated }]
const finished: ReadonlyArray<Cause> = [{ type: "escrow.finished", read: readFinished }]
const cancelled: ReadonlyArray<Cause> = [{ type: "escrow.cancelled", read: readCancelled }]

export const escrow: NodeDetector = ({ succeeded, type }, node) => {
  if (node.change === "modified") return nothing
  if (node.change === "created") return created
  if (succeeded && type === "EscrowFinish") return finished
  if (succeeded && type === "EscrowCancel") return cancelled
  throw new Undecided(
    "unexpected_deletion",
    `${nameOf(node)} was deleted by a ${type} that neither finished nor cancelled it.`
  )
}

const commonFields = (
  context: TransactionContext,
  node: AffectedNode,
  sequence: number | undefined
): Draft<Payload<"escrow.created">> => {
  const { fields } = node
  return {
    tx_hash: context.hash,
    escrow_id: node.id,
    owner: needAddress(fields, "Account"),
    destination: needAddress(fields, "Destination"),
    amount: needAmount(fields, "Amount"),
    sequence: need(sequence, "the sequence that made the escrow"),
    destination_tag: uint32Of(fields, "DestinationTag"),
    source_tag: uint32Of(fields, "SourceTag"),
    condition: hexOf(fields, "Condition"),
    finish_after: timeOf(fields, "FinishAfter"),
    cancel_after: timeOf(fields, "CancelAfter")
  }
}
