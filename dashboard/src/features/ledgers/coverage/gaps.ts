/** What is missing of a network's ledgers: gaps between ranges, and skipped ledgers. Pure. */
import type { LedgerRange, NetworkCoverage } from "../../../api/ledgerhook.ts"

export interface Gap {
  /** The first and the last missing ledger. */
  readonly first: number
  readonly last: number
  readonly missing: number
  /** When the ledgers before and after it closed, in Unix milliseconds. Of a skipped ledger: when it was skipped. */
  readonly began: number
  readonly ended: number
  /** The operator's reason, if the operator skipped it. */
  readonly skipped?: string
}

const closed = ({ close_time }: LedgerRange["first"]): number => Date.parse(close_time)

/**
 * Newest first. Ranges that overlap in time leave no gap, nor does a network that was reset and starts again with a
 * lower index, or a simulated one that got servers. The service counts missing ledgers by hour in the same way.
 */
export const gapsOf = ({
  ranges,
  skipped = []
}: Pick<NetworkCoverage, "ranges" | "skipped">): ReadonlyArray<Gap> => {
  const gaps: Array<Gap> = skipped.map(({ ledger_index, reason, skipped_at }) => ({
    first: ledger_index,
    last: ledger_index,
    missing: 1,
    began: Date.parse(skipped_at),
    ended: Date.parse(skipped_at),
    skipped: reason
  }))
  for (const simulated of [false, true]) {
    let end: LedgerRange["last"] | undefined
    const chain = ranges.filter((range) => range.simulated === simulated)
    for (const { first, last } of chain.toSorted((a, b) => closed(a.first) - closed(b.first))) {
      const missing = end === undefined ? 0 : first.ledger_index - end.ledger_index - 1
      if (end !== undefined && missing > 0 && closed(first) > closed(end))
        gaps.push({
          first: end.ledger_index + 1,
          last: first.ledger_index - 1,
          missing,
          began: closed(end),
          ended: closed(first)
        })
      if (end === undefined || closed(last) > closed(end)) end = last
    }
  }
  return gaps.toSorted((a, b) => b.began - a.began)
}

export const missingIn = (gaps: ReadonlyArray<Gap>): number =>
  gaps.reduce((sum, { missing }) => sum + missing, 0)
