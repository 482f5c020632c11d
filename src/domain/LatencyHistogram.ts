/**
 * Histograms of latencies, as the database adds them up: one number with twelve decimal digits for each bucket, so that
 * adding numbers adds histograms (migration 0006). Buckets are log-spaced, ten per decade from 1 ms to a minute: a
 * percentile read from one is off by an eighth at most. Pure.
 */

/** Lower bounds of the buckets, in ms: those of the database's `latency_histogram`. */
// biome-ignore format: a row is a decade
export const latencyBounds: ReadonlyArray<number> = [
  0, 1, 2, 3, 4, 5, 6, 8,
  10, 13, 16, 20, 25, 32, 40, 50, 63, 79,
  100, 126, 158, 200, 251, 316, 398, 501, 631, 794,
  1_000, 1_259, 1_585, 1_995, 2_512, 3_162, 3_981, 5_012, 6_310, 7_943,
  10_000, 12_589, 15_849, 19_953, 25_119, 31_623, 39_811, 50_119, 63_096
]

const DIGITS = 12

/** Where the digits of one histogram are read, four at a time, the last ones at its end. */
const text = Buffer.alloc(DIGITS * latencyBounds.length)
const words = new Uint32Array(text.buffer, text.byteOffset, text.length / 4)

/** Of four digits in ASCII, the first in the lowest byte: such are the machines that Node.js runs on. */
const fourDigits = (word: number): number =>
  (word & 15) * 1_000 + ((word >> 8) & 15) * 100 + ((word >> 16) & 15) * 10 + ((word >> 24) & 15)

/**
 * The counts of the buckets, lowest first; those after the last one that has any are left out. Digit by digit, a series of
 * points took as long to read as to find.
 */
export const countsOf = (histogram: string): ReadonlyArray<number> => {
  text.fill("0").write(histogram, text.length - histogram.length, "latin1")
  const counts = new Array<number>(Math.ceil(histogram.length / DIGITS))
  for (let bucket = 0, end = words.length; bucket < counts.length; bucket++, end -= 3) {
    const [high, middle, low] = [words[end - 3]!, words[end - 2]!, words[end - 1]!]
    counts[bucket] = fourDigits(high) * 100_000_000 + fourDigits(middle) * 10_000 + fourDigits(low)
  }
  return counts
}

/** The bucket's geometric middle, off by the same factor towards both ends; the last one is told by its lower bound. */
const middleOf = (bucket: number): number => {
  const from = latencyBounds[bucket] ?? 0
  const to = latencyBounds[bucket + 1] ?? from + 1
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
