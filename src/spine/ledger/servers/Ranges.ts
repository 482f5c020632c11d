/**
 * Parses the ledger ranges that a server claims to have, from its `complete_ledgers` or `validated_ledgers`: `empty`,
 * `7` or `32570-32590,32595-32600`. Claims can be wrong, so they only order the servers and never exclude one. Pure.
 */

/** Ranges that a server may claim. Servers with complete history have one, others a few. */
const MOST_RANGES = 1_000

export interface Range {
  readonly from: number
  readonly to: number
}

/** Disjoint, in ascending order. */
export type Ranges = ReadonlyArray<Range>

const RANGE = /^(\d{1,10})(?:-(\d{1,10}))?$/
/** Of a range in the text: two indexes, the dash, the comma and a space. */
const RANGE_CHARACTERS = 23

/** Undefined: the text cannot be parsed, or has more than `ledgerServerRanges`. */
export const parseRanges = (text: unknown): Ranges | undefined => {
  if (typeof text !== "string" || text.length > MOST_RANGES * RANGE_CHARACTERS) return undefined
  if (text.trim() === "empty" || text.trim() === "") return []
  const found: Array<Range> = []
  const parts = text.split(",")
  if (parts.length > MOST_RANGES) return undefined
  for (const part of parts) {
    const [, from, to] = RANGE.exec(part.trim()) ?? []
    if (from === undefined) return undefined
    const range = { from: Number(from), to: Number(to ?? from) }
    if (range.to < range.from) return undefined
    found.push(range)
  }
  return merged(found)
}

const merged = (ranges: ReadonlyArray<Range>): Ranges => {
  const result: Array<Range> = []
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1)
    if (last !== undefined && range.from <= last.to + 1)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, range.to) }
    else result.push(range)
  }
  return result
}

/** Whether the server claims ledger `index`. Its newest announcement, `head`, extends the ranges it named before. */
export const claims = (ranges: Ranges | undefined, head: number | undefined, index: number): boolean => {
  // A server that named no ranges may have every ledger.
  if (ranges === undefined) return true
  if (ranges.some(({ from, to }) => from <= index && index <= to)) return true
  const newest = ranges.at(-1)?.to ?? 0
  return head !== undefined && index > newest && index <= head
}

export const formatRanges = (ranges: Ranges): string =>
  ranges.length === 0
    ? "empty"
    : ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(",")
