/** The event types, by family. Pure. */
import type { Event, EventPattern } from "../api/ledgerhook.ts"

export type EventType = Event["event_type"]

/** The compiler refuses this table if the API knows a type that it lacks. */
const known: Record<EventType, true> = {
  "payment.xrp": true,
  "payment.issued": true,
  "dex.offer_created": true,
  "dex.offer_partial": true,
  "dex.offer_filled": true,
  "dex.offer_cancelled": true,
  "nft.minted": true,
  "nft.burned": true,
  "nft.offer_created": true,
  "nft.offer_accepted": true,
  "nft.offer_cancelled": true,
  "trustline.created": true,
  "trustline.modified": true,
  "trustline.deleted": true,
  "account.created": true,
  "account.settings_changed": true,
  "account.deleted": true,
  "escrow.created": true,
  "escrow.finished": true,
  "escrow.cancelled": true,
  "check.created": true,
  "check.cashed": true,
  "check.cancelled": true
}

/** Types, families and `*` for the API. A wrong one, such as from the page's address, is refused by the API by name. */
export const patternsIn = (texts: ReadonlyArray<string>) => [...texts] as Array<EventPattern>

export const eventTypes = Object.keys(known) as ReadonlyArray<EventType>

/** A family with its types: `nft.*` and `nft.minted`, `nft.burned` and so on. */
export interface Family {
  readonly pattern: string
  readonly types: ReadonlyArray<EventType>
}

export const families: ReadonlyArray<Family> = [
  ...Map.groupBy(eventTypes, (type) => `${type.slice(0, type.indexOf("."))}.*`)
].map(([pattern, types]) => ({ pattern, types }))

/** What people call a family: "Trust lines" of `trustline.*`. */
const familyNames: Readonly<Record<string, string>> = {
  payment: "Payments",
  dex: "DEX offers",
  nft: "NFTs",
  trustline: "Trust lines",
  account: "Accounts",
  escrow: "Escrows",
  check: "Checks"
}

const familyOf = (pattern: string): string => pattern.split(".")[0]!

/** Of a type or a pattern. A family that a later version has added is called what the API calls it. */
export const familyName = (pattern: string): string => familyNames[familyOf(pattern)] ?? familyOf(pattern)

/** Grouped by family, in the order that pictures have, with families of a later version at the end. */
export const byFamily = <One>(
  all: ReadonlyArray<One>,
  typeOf: (one: One) => string
): ReadonlyArray<readonly [family: string, ReadonlyArray<One>]> => {
  const groups = Map.groupBy(all, (one) => familyOf(typeOf(one)))
  return [...new Set([...Object.keys(familyNames), ...groups.keys()])].flatMap((family) => {
    const group = groups.get(family)
    return group === undefined ? [] : [[family, group] as const]
  })
}
