/** How fast a network closes ledgers. Pure. */
import type { LedgerRange } from "../../../api/ledgerhook.ts"

/** Ledgers that closed in a minute, on average over the range; undefined if the range has no length. */
export const ledgersPerMinute = ({ first, last }: LedgerRange): number | undefined => {
  const minutes = (Date.parse(last.close_time) - Date.parse(first.close_time)) / 60_000
  const ledgers = last.ledger_index - first.ledger_index
  return minutes > 0 ? Math.round((10 * ledgers) / minutes) / 10 : undefined
}
