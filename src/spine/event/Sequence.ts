/**
 * The order of a network's events as text. A ledger has fewer than 340,000 events, because its message has at most
 * 32 MiB (`ledgerMessageBytes`) and the part of each event in it has more than 100 bytes. Pure.
 */
const LEDGER_DIGITS = 10
const POSITION_DIGITS = 6

export const SEQUENCE_PATTERN = /^[0-9]{10}\.[0-9]{6}$/u

/** Unique within a network. Sequences sort as text in the order of the events. */
export const sequenceOf = (event: { readonly ledger_index: number; readonly position: number }): string =>
  `${String(event.ledger_index).padStart(LEDGER_DIGITS, "0")}.${String(event.position).padStart(POSITION_DIGITS, "0")}`
