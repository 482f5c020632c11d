/** Event ids: `xrpl:<ledger_index>:<tx_hash>:<event_type>`, plus `:<sub_index>` if a transaction causes several. */
import type { EventId } from "../words/Ids.ts"

export const EVENT_ID_PATTERN = /^xrpl:[1-9][0-9]*:[A-F0-9]{64}:[a-z_]+\.[a-z_]+(?::[0-9]+)?$/u

export const isEventId = (text: string): boolean => EVENT_ID_PATTERN.test(text)

export const TRANSACTION_HASH_PATTERN = /^[A-Fa-f0-9]{64}$/u

export const isTransactionHash = (text: string): boolean => TRANSACTION_HASH_PATTERN.test(text)

/** The ledger index in a well-formed id. It may be larger than any real index. */
export const ledgerOfEventId = (eventId: EventId): number => Number(eventId.split(":")[1])

/** The hash of the transaction in a well-formed id. */
export const transactionOfEventId = (eventId: EventId): string => eventId.split(":")[2] ?? ""

export const typeOfEventId = (eventId: string): string => eventId.split(":")[3] ?? ""
