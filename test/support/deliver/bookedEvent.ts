/** An event whose record has what a webhook may include. */
import type { LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { event } from "./sending.ts"

export const booked = {
  memos: [{ type: "61", data: "62" }],
  balance_changes: [
    { account: "rA", asset: "XRP", change: "-11" },
    { account: "rB", asset: { currency: "USD", issuer: "rA" }, change: "0.5" }
  ]
} satisfies Partial<LedgerEvent>

export const bookedEvent: LedgerEvent = { ...event, ...booked }
