/**
 * The memos of a transaction (docs/detection-rules.md 6.1), in hex as in the ledger: whole ones in their order, up to
 * `memoBytes`. If one of them cannot be read, there are none: what is left would be taken for all.
 */
import { bookingBounds } from "../event/Booking.ts"
import type { Json, JsonObject } from "../event/Ledger.ts"
import type { DetectedEvent, Memo } from "../event/LedgerEvent.ts"
import { HEX } from "../event/LedgerForms.ts"
import { isJsonObject } from "../event/NormaliseLedger.ts"
import { listOf, need, objectOf, textField } from "./Fields.ts"

type Memos = Pick<DetectedEvent, "memos" | "memos_truncated">

const none: Memos = {}

/** Of any length: `memoBytes` bounds all of them. */
const hexOf = textField((text) => HEX.test(text), "bytes in hex")

export const memosOf = (tx: JsonObject): Memos => {
  if (tx["Memos"] === undefined) return none
  try {
    return read(listOf(tx, "Memos") ?? [])
  } catch {
    return none
  }
}

const read = (list: ReadonlyArray<Json>): Memos => {
  const memos: Array<Memo> = []
  let bytes = 0
  for (const entry of list) {
    const fields = need(isJsonObject(entry) ? objectOf(entry, "Memo") : undefined, "Memo")
    const [type, format, data] = [
      hexOf(fields, "MemoType"),
      hexOf(fields, "MemoFormat"),
      hexOf(fields, "MemoData")
    ]
    const size = ((type ?? "").length + (format ?? "").length + (data ?? "").length) / 2
    bytes += size
    if (bytes > bookingBounds.memoBytes) return { ...(memos.length > 0 && { memos }), memos_truncated: true }
    if (size > 0) memos.push({ ...(type && { type }), ...(format && { format }), ...(data && { data }) })
  }
  return memos.length > 0 ? { memos } : none
}
