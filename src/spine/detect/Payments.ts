/**
 * payment.xrp and payment.issued: a successful Payment, by the asset that arrived (docs/detection-rules.md 2.1, 2.2).
 */
import type { EventType } from "../event/EventType.ts"
import { isJsonObject } from "../event/NormaliseLedger.ts"
import { deliveredAmount, isDoubtful } from "./DeliveredAmount.ts"
import {
  alert,
  event,
  type Findings,
  type TransactionContext,
  type TransactionDetector,
  Undecided
} from "./Detector.ts"
import { hashOf, needAddress, uint32Of } from "./Fields.ts"

const read = (context: TransactionContext): Findings => {
  const { account: sender, hash: tx_hash, tx } = context
  const receiver = needAddress(tx, "Destination")
  const amount = deliveredAmount(context, receiver)
  if (amount === undefined)
    throw new Undecided(
      "delivered_amount_unknown",
      "The delivered amount is neither in the metadata nor derivable from the nodes."
    )
  const parties = [sender, receiver]
  const tags = {
    destination_tag: uint32Of(tx, "DestinationTag"),
    source_tag: uint32Of(tx, "SourceTag"),
    invoice_id: hashOf(tx, "InvoiceID")
  }
  if (typeof amount === "string")
    return [event("payment.xrp", { tx_hash, sender, receiver, amount, ...tags }, parties)]
  const issued = event("payment.issued", { tx_hash, sender, receiver, amount, ...tags }, parties)
  if (!isDoubtful(context, amount)) return [issued]
  const reason = "The nodes show less than the maximum, and the metadata do not say what was delivered."
  return [issued, alert("delivered_amount_doubtful", "payment.issued", reason)]
}

/** By the first amount that is named. All amounts of a Payment are of one asset. */
const typeOf = ({ meta, tx }: TransactionContext): EventType | null => {
  const amount = meta["DeliveredAmount"] ?? tx["Amount"] ?? tx["DeliverMax"]
  if (typeof amount === "string") return "payment.xrp"
  return isJsonObject(amount) ? "payment.issued" : null
}

export const payment: TransactionDetector = { typeOf, read }
