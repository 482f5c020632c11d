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

const DIGITS = 12

const ZERO = "0".charCodeAt(0)

/**
 * The counts of the buckets, lowest first; those after the last one that has any are left out. Digit by digit: with a
 * piece of text for each bucket, a series of points took longer to read than to find.
 */
export const countsOf = (histogram: string): ReadonlyArray<number> => {
  const counts: Array<number> = []
  for (let end = histogram.length; end > 0; end -= DIGITS) {
    let count = 0
    for (let i = Math.max(0, end - DIGITS); i < end; i++) count = count * 10 + histogram.charCodeAt(i) - ZERO
    counts.push(count)
  }
  return counts
}

/** The bucket's geometric middle, off by the same factor towards both ends; the last one is told by its lower bound. */
const middleOf = (bucket: number): number => {
  const from = bounds[bucket] ?? 0
  const to = bounds[bucket + 1] ?? from + 1
  return Math.round(Math.sqrt(from * (to - 1)))
}

/** Ms up to which that share (above 0, at most 1) of the latencies lies, by nearest rank; null when there are none. */
export const percentile = (counts: ReadonlyArray<number>, share: number): number | null => {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = Math.ceil(share * total)
  const bucket = counts.findIndex((count) => {
    left -= count
    return left <= 0
  })
  return middleOf(bucket)
}
