/** Divides a network's ledgers into the parts of the coverage strip. Pure. */
import type { NetworkCoverage } from "../../api/ledgerhook.ts"

export interface Segment {
  readonly kind: "taken" | "gap" | "coming"
  /** Ledger indexes, both included. */
  readonly first: number
  readonly last: number
  /** The part of the strip in percent. The parts add up to 100. */
  readonly percent: number
}

/** A part that is smaller could not be seen or pointed at. */
const LEAST_PERCENT = 1.5

/**
 * The taken ranges, the gaps between them and the ledgers still to be taken, oldest first. A part's width is in
 * proportion to its ledgers, but none is narrower than 1.5 % of the strip.
 */
export const segmentsOf = ({
  ranges,
  catching_up
}: Pick<NetworkCoverage, "ranges" | "catching_up">): ReadonlyArray<Segment> => {
  const parts: Array<Omit<Segment, "percent">> = []
  for (const { first, last } of ranges) {
    const before = parts.at(-1)
    if (before !== undefined)
      parts.push({ kind: "gap", first: before.last + 1, last: first.ledger_index - 1 })
    parts.push({ kind: "taken", first: first.ledger_index, last: last.ledger_index })
  }
  if (catching_up !== null) parts.push({ kind: "coming", first: catching_up.from, last: catching_up.to })
  const sizes = parts.map(({ first, last }) => last - first + 1)
  const all = sizes.reduce((sum, size) => sum + size, 0)
  const widths = sizes.map((size) => Math.max((100 * size) / all, LEAST_PERCENT))
  const width = widths.reduce((sum, one) => sum + one, 0)
  return parts.map((part, at) => ({ ...part, percent: (100 * widths[at]!) / width }))
}
