/**
 * payment.xrp and payment.issued: a successful Payment, by the asset that arrived (docs/detection-rules.md 2.1, 2.2).
 */
import { deliveredAmount, requestedAmount } from "./DeliveredAmount.ts"
import { hashOf, needAddress, uint32Of } from "./Fields.ts"
import { alert, event, type TransactionDetector } from "./Finding.ts"

export const payment: TransactionDetector = (context) => {
  const { account: sender, hash: tx_hash, tx } = context
  const receiver = needAddress(tx, "Destination")
  const amount = deliveredAmount(context, receiver)
  if (amount === undefined) {
    const type = typeof requestedAmount(tx) === "string" ? "payment.xrp" : "payment.issued"
    return [
      alert(
        "delivered_amount_unknown",
        type,
        "The delivered amount is neither in the metadata nor derivable from the nodes."
      )
    ]
  }
  const parties = [sender, receiver]
  const destination_tag = uint32Of(tx, "DestinationTag")
  if (typeof amount === "string")
    return [event("payment.xrp", { tx_hash, sender, receiver, amount, destination_tag }, parties)]
  const issued = {
    tx_hash,
    sender,
    receiver,
    amount,
    destination_tag,
    source_tag: uint32Of(tx, "SourceTag"),
    invoice_id: hashOf(tx, "InvoiceID")
  }
  return [event("payment.issued", issued, parties)]
}
