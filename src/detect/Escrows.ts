/** escrow.*: an Escrow entry is created, then finished or cancelled (docs/detection-rules.md 2.7). */
import type { Payload } from "../domain/Payloads.ts"
import { needAmount } from "./Amounts.ts"
import { hexOf, need, needAddress, timeOf, uint32Of } from "./Fields.ts"
import { alert, type Draft, event, type NodeDetector, nothing, type TransactionContext } from "./Finding.ts"
import type { AffectedNode } from "./Nodes.ts"

export const escrow: NodeDetector = (context, node) => {
  if (node.change === "modified") return nothing
  const owner = needAddress(node.fields, "Account")
  const destination = needAddress(node.fields, "Destination")
  if (node.change === "created") {
    // A transaction with a ticket has Sequence 0 (docs/detection-rules.md 1.8).
    const sequence = uint32Of(context.tx, "TicketSequence") ?? uint32Of(context.tx, "Sequence")
    return [event("escrow.created", commonFields(context, node, sequence), [owner, destination])]
  }
  const fields = commonFields(context, node, uint32Of(context.tx, "OfferSequence"))
  if (context.succeeded && context.type === "EscrowFinish") {
    const finished = {
      ...fields,
      finished_by: context.account,
      fulfillment: hexOf(context.tx, "Fulfillment")
    }
    return [event("escrow.finished", finished, [owner, destination, context.account])]
  }
  if (context.succeeded && context.type === "EscrowCancel") {
    const cancelled = { ...fields, cancelled_by: context.account }
    return [event("escrow.cancelled", cancelled, [owner, destination, context.account])]
  }
  return [
    alert(
      "unexpected_deletion",
      null,
      `Escrow ${node.id} was deleted by a ${context.type} that neither finished nor cancelled it.`
    )
  ]
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
