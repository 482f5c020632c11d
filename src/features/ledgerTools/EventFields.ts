/** The fields of an event as `ledger detect` prints them (docs/detection-rules.md 1.4), in their order. Pure. */
import type { DetectedEvent } from "../../spine/event/LedgerEvent.ts"

export const eventFields = (event: DetectedEvent) => ({
  event_id: event.event_id,
  event_type: event.event_type,
  ledger_index: event.ledger_index,
  timestamp: event.timestamp,
  payload: event.payload,
  accounts: event.accounts,
  // JSON.stringify leaves out what the transaction does not have.
  memos: event.memos,
  memos_truncated: event.memos_truncated,
  balance_changes: event.balance_changes
})
