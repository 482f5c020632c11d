/** The filters of the list of events, as the page's address has them. */
import { oneOf, text } from "../../app/search.ts"

const networks = ["mainnet", "testnet", "devnet"] as const

export interface EventFilters {
  readonly event_type?: string | undefined
  readonly account?: string | undefined
  readonly ledger_index_min?: string | undefined
  readonly ledger_index_max?: string | undefined
  /** ISO 8601 with an offset, as the API wants it. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly network?: (typeof networks)[number] | undefined
}

export const eventFilters = (search: Record<string, unknown>): EventFilters => ({
  event_type: text(search["event_type"]),
  account: text(search["account"]),
  ledger_index_min: text(search["ledger_index_min"]),
  ledger_index_max: text(search["ledger_index_max"]),
  since: text(search["since"]),
  until: text(search["until"]),
  network: oneOf(networks)(search["network"])
})
