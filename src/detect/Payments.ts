/** payment.xrp and payment.issued: successful Payments, by the asset that arrived (events.md 2.1, 2.2). */
import { deliveredAmount, requestedAmount } from "./DeliveredAmount.ts"
import { hashOf, integerOf, needText, textOf } from "./Fields.ts"
import { alert, event, type TransactionDetector } from "./Finding.ts"

export const payment: TransactionDetector = (context) => {
  const { tx } = context
  const amount = deliveredAmount(context, textOf(tx, "Destination"))
  if (amount === undefined) {
    const type = typeof requestedAmount(tx) === "string" ? "payment.xrp" : "payment.issued"
    return [alert(type, "The delivered amount is neither told by the metadata nor derivable from the nodes.")]
  }
  const sender = needText(tx, "Account")
  const receiver = needText(tx, "Destination")
  const parties = [sender, receiver]
  const tx_hash = context.hash
  const destination_tag = integerOf(tx, "DestinationTag")
  if (typeof amount === "string")
    return [event("payment.xrp", { tx_hash, sender, receiver, amount, destination_tag }, parties)]
  const issued = {
    tx_hash,
    sender,
    receiver,
    amount,
    destination_tag,
    source_tag: integerOf(tx, "SourceTag"),
    invoice_id: hashOf(tx, "InvoiceID")
  }
  return [event("payment.issued", issued, parties)]
}
