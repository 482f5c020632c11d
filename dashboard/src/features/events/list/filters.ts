/** The filters of the list of events, as the page's address has them. Pure. */

import { patternsIn } from "../../../words/eventTypes.ts"
import { oneOf, text, whole } from "../../../words/search.ts"

const networks = ["mainnet", "testnet", "devnet"] as const
export type Network = (typeof networks)[number]

export const networkIn = oneOf(networks)

export interface EventFilters {
  /** Types and families, separated by commas. */
  readonly event_type?: string | undefined
  readonly account?: string | undefined
  readonly ledger_index_min?: number | undefined
  readonly ledger_index_max?: number | undefined
  /** ISO 8601 with an offset, as the API wants it. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly network?: Network | undefined
}

export const typesIn = ({ event_type }: EventFilters): ReadonlyArray<string> => [
  ...new Set((event_type ?? "").split(",").filter((type) => type !== ""))
]

/** The reverse of `typesIn`. */
export const typesText = (types: ReadonlyArray<string>): string | undefined =>
  types.length === 0 ? undefined : types.join(",")

export const eventFilters = (search: Record<string, unknown>): EventFilters => ({
  event_type: typesText(typesIn({ event_type: text(search["event_type"]) })),
  account: text(search["account"]),
  ledger_index_min: whole(search["ledger_index_min"]),
  ledger_index_max: whole(search["ledger_index_max"]),
  since: text(search["since"]),
  until: text(search["until"]),
  network: networkIn(search["network"])
})

/** The filters as the client's parameters. */
export const listQuery = (filters: EventFilters) => ({
  eventType: patternsIn(typesIn(filters)),
  account: filters.account,
  ledgerIndexMin: filters.ledger_index_min,
  ledgerIndexMax: filters.ledger_index_max,
  since: filters.since,
  until: filters.until,
  network: filters.network
})
