/**
 * Latencies are counted in buckets whose bounds grow by the same factor: a latency of `ms` is in bucket
 * ceil(BUCKETS_PER_DECADE × log10(ms + 1)), which the database computes (store/migrations/0004_delivery_totals.ts). A
 * percentile read from the counts is off by an eighth at most. Pure.
 */
export const BUCKETS_PER_DECADE = 10

const FACTOR = 10 ** (1 / BUCKETS_PER_DECADE)

/** In ms. The relative error is the same at both ends of the bucket. */
const middleOf = (bucket: number): number =>
  Math.max(0, Math.round((2 * FACTOR ** bucket) / (FACTOR + 1) - 1))

/** The latency in ms that `share` (0 to 1) of the latencies do not exceed, by nearest rank; null if there are none. */
export const percentile = (countOf: ReadonlyMap<number, number>, share: number): number | null => {
  const total = [...countOf.values()].reduce((sum, count) => sum + count, 0)
  let left = Math.ceil(share * total)
  for (const [bucket, count] of [...countOf].toSorted(([a], [b]) => a - b)) {
    left -= count
    if (left <= 0 && count > 0) return middleOf(bucket)
  }
  return null
}

/** Classes of answer times: up to each of these, and longer. Each is twice as long as the one before. */
export const answerTimeBoundsMs = [16, 31, 62, 125, 250, 500, 1_000, 2_000] as const

/** The number of latencies in each class of `answerTimeBoundsMs`. A latency near a bound may be in the class beside it. */
export const byAnswerTime = (countOf: ReadonlyMap<number, number>): ReadonlyArray<number> => {
  const counts = Array.from({ length: answerTimeBoundsMs.length + 1 }, () => 0)
  for (const [bucket, count] of countOf) {
    const found = answerTimeBoundsMs.findIndex((bound) => middleOf(bucket) <= bound)
    counts[found === -1 ? answerTimeBoundsMs.length : found]! += count
  }
  return counts
}
