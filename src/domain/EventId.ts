/** Names of events: `xrpl:<ledger_index>:<tx_hash>:<event_type>`, and `:<sub_index>` where one transaction causes several. */

export const EVENT_ID_PATTERN = /^xrpl:[1-9][0-9]*:[A-F0-9]{64}:[a-z_]+\.[a-z_]+(?::[0-9]+)?$/u

export const isEventId = (text: string): boolean => EVENT_ID_PATTERN.test(text)

/** The ledger that a well-formed id names; it may be one that cannot exist. */
export const ledgerOfEventId = (eventId: string): number => Number(eventId.split(":")[1])
