/**
 * Histograms of latencies, as the database adds them up: one number with twelve decimal digits for each bucket, so that
 * adding numbers adds histograms (migration 0006). Buckets are log-spaced, ten per decade from 1 ms to a minute: a
 * percentile read from one is off by an eighth at most. Pure.
 */

/** Lower bounds of the buckets, in ms. */
// biome-ignore format: a row is a decade
const bounds = [
  0, 1, 2, 3, 4, 5, 6, 8,
  10, 13, 16, 20, 25, 32, 40, 50, 63, 79,
  100, 126, 158, 200, 251, 316, 398, 501, 631, 794,
  1_000, 1_259, 1_585, 1_995, 2_512, 3_162, 3_981, 5_012, 6_310, 7_943,
  10_000, 12_589, 15_849, 19_953, 25_119, 31_623, 39_811, 50_119, 63_096
]

/** What PostgreSQL's digits, of base 10,000, count in their bucket: each has three of them. */
const DIGIT_VALUES = [1, 10_000, 100_000_000]

/** What a bucket counts is below this. */
const COUNT_LIMIT = 1_000_000_000_000

/** The fields before the digits: how many there are, the power of the first, sign and scale; 16 bits each, as they are. */
const FIELDS = 4
const SIGN_FIELD = 2
const POSITIVE = 0

/**
 * The counts of the buckets, lowest first; those after the last one that has any are left out. `sent`: a histogram, or what
 * one has changed by, as PostgreSQL's `numeric_send` gives it: nobody has to write and read hundreds of digits of text.
 */
export const countsOf = (sent: Uint8Array): ReadonlyArray<number> => {
  const wordAt = (i: number) => (sent[2 * i]! << 8) | sent[2 * i + 1]!
  const digits = wordAt(0)
  if (digits === 0) return []
  const highest = wordAt(1)
  const sign = wordAt(SIGN_FIELD) === POSITIVE ? 1 : -1
  const counts = new Array<number>(Math.floor(highest / DIGIT_VALUES.length) + 1).fill(0)
  for (let i = 0; i < digits; i++) {
    const digit = wordAt(FIELDS + i)
    // Most are: each bucket has three, and seldom counts beyond the first.
    if (digit === 0) continue
    const power = highest - i
    counts[Math.floor(power / DIGIT_VALUES.length)]! +=
      sign * digit * DIGIT_VALUES[power % DIGIT_VALUES.length]!
  }
  return counts
}

/**
 * A histogram after it changed by another. A change takes from one bucket and gives to another, so that on its own its
 * digits say neither: they have borrowed from one another, as those of one number do, and are right in the sum.
 */
export const addCounts = (
  one: ReadonlyArray<number>,
  other: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const sums: Array<number> = []
  let carried = 0
  for (let bucket = 0; bucket < Math.max(one.length, other.length); bucket++) {
    const sum = (one[bucket] ?? 0) + (other[bucket] ?? 0) + carried
    carried = Math.floor(sum / COUNT_LIMIT)
    sums.push(sum - carried * COUNT_LIMIT)
  }
  return carried === 0 ? sums : [...sums, carried]
}

/** The bucket's geometric middle, off by the same factor towards both ends; the last one is told by its lower bound. */
const middleOf = (bucket: number): number => {
  const from = bounds[bucket] ?? 0
  const to = bounds[bucket + 1] ?? from + 1
  return Math.round(Math.sqrt(from * (to - 1)))
}

/** Ms up to which that share (above 0, at most 1) of the latencies lies, by nearest rank; null when there are none. */
export const percentile = (counts: ReadonlyArray<number>, share: number): number | null => {
  let total = 0
  for (const count of counts) total += count
  if (total === 0) return null
  let left = Math.ceil(share * total) - counts[0]!
  let bucket = 0
  while (left > 0) left -= counts[++bucket]!
  return middleOf(bucket)
}
