/**
 * The event types, in the order in which one transaction's events are emitted (docs/detection-rules.md 1.3), and the
 * patterns by which a webhook asks for them: a type, a family (`nft.*`) or everything (`*`).
 */
export const eventTypes = [
  "account.created",
  "account.settings_changed",
  "trustline.created",
  "trustline.modified",
  "trustline.deleted",
  "nft.minted",
  "nft.burned",
  "nft.offer_created",
  "nft.offer_accepted",
  "nft.offer_cancelled",
  "escrow.created",
  "escrow.finished",
  "escrow.cancelled",
  "check.created",
  "check.cashed",
  "check.cancelled",
  "dex.offer_partial",
  "dex.offer_filled",
  "dex.offer_cancelled",
  "dex.offer_created",
  "payment.xrp",
  "payment.issued",
  "account.deleted"
] as const

export type EventType = (typeof eventTypes)[number]

const ranks: ReadonlyMap<string, number> = new Map(eventTypes.map((type, rank) => [type, rank]))

export const isEventType = (value: string): value is EventType => ranks.has(value)

/** Position in the fixed order of one transaction's events. */
export const rankOf = (type: EventType): number => ranks.get(type)!

/** The event types that match `pattern`; empty if none does. */
export const expandPattern = (pattern: string): ReadonlyArray<EventType> => {
  if (pattern === "*") return eventTypes
  if (pattern.endsWith(".*")) return eventTypes.filter((type) => type.startsWith(pattern.slice(0, -1)))
  return isEventType(pattern) ? [pattern] : []
}

/** `dex.offer_created` → `DexOfferCreated`: the name of the payload's schema and type. */
export const payloadName = (eventType: string): string =>
  eventType.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())
