/** check.*: a Check entry is created, then cashed or cancelled (docs/detection-rules.md 2.8). */
import type { Payload } from "../domain/Payloads.ts"
import { needAmount } from "./Amounts.ts"
import { deliveredAmount } from "./DeliveredAmount.ts"
import { hashOf, needAddress, timeOf, uint32Of } from "./Fields.ts"
import { alert, type Draft, event, type NodeDetector, nothing, type TransactionContext } from "./Finding.ts"
import { type AffectedNode, sequenceOf } from "./Nodes.ts"

export const check: NodeDetector = (context, node) => {
  if (node.change === "modified") return nothing
  const account = needAddress(node.fields, "Account")
  const destination = needAddress(node.fields, "Destination")
  const fields = commonFields(context, node)
  if (node.change === "created") return [event("check.created", fields, [account, destination])]
  if (context.succeeded && context.type === "CheckCash") {
    const amount = deliveredAmount(context, context.account)
    return amount === undefined
      ? [
          alert(
            "delivered_amount_unknown",
            "check.cashed",
            `What Check ${node.id} delivered is neither in the metadata nor derivable from the nodes.`
          )
        ]
      : [event("check.cashed", { ...fields, amount }, [account, destination])]
  }
  if (context.succeeded && context.type === "CheckCancel") {
    const by = context.account
    // The ledger lets a stranger cancel a check only after it has expired.
    const reason = by === account || by === destination ? "cancelled" : "expired"
    return [event("check.cancelled", { ...fields, cancelled_by: by, reason }, [account, destination, by])]
  }
  return [
    alert(
      "unexpected_deletion",
      null,
      `Check ${node.id} was deleted by a ${context.type} that neither cashed nor cancelled it.`
    )
  ]
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
