/** The retry schedule, as pure functions of the attempt and a random number. docs/architecture.md says where it is used. */
export interface RetryPolicy {
  /** Delay before attempt 2, 3, …: n delays make n + 1 attempts. */
  readonly delaysMs: ReadonlyArray<number>
  /** Each delay is lengthened or shortened at random, by at most this share of it. */
  readonly jitter: number
}

/**
 * Milliseconds to wait after attempt `seriesAttempt` (from 1) failed, or undefined when it was the last.
 * `chance` is uniform in [0, 1).
 */
export const delayAfter = (
  policy: RetryPolicy,
  seriesAttempt: number,
  chance: number
): number | undefined => {
  const base = policy.delaysMs[seriesAttempt - 1]
  return base === undefined ? undefined : Math.round(base * (1 + policy.jitter * (2 * chance - 1)))
}

/** Applies the receiver's `Retry-After` (`askedMs`): it only lengthens a delay, by at most `mostAddedMs`. */
export const lengthened = (delayMs: number, askedMs: number, mostAddedMs: number): number =>
  Math.min(Math.max(delayMs, askedMs), delayMs + mostAddedMs)

/** The attempt of a series that the first delay precedes. */
const FIRST_DELAYED = 2

/** The shortest piece of a long wait. Each piece costs a record. */
const SHORTEST_PIECE_MS = 1_000

/**
 * The longest time that work stays in the delay topic of attempt `seriesAttempt` (from 2): the delay plus the largest
 * jitter. If the schedule has no such delay any more, work that is still in the topic stays there until it is due.
 */
export const longestStayMs = ({ delaysMs, jitter }: RetryPolicy, seriesAttempt: number): number => {
  const base = delaysMs[seriesAttempt - 2]
  return base === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(SHORTEST_PIECE_MS, Math.ceil(base * (1 + jitter)))
}

/**
 * Chooses the delay topic for work of `seriesAttempt` that is due in `waitMs`, named by an attempt from 2. It is the
 * attempt's own topic unless `waitMs` is longer than that topic's delay. All work of a topic has the same delay, so the
 * first record is always due first. A longer wait passes through several topics, the longest that fits first.
 */
export const delayOf = (policy: RetryPolicy, ofSeries: number, waitMs: number): number => {
  // No delay comes before a first attempt. One that must wait uses the first delay topic.
  const seriesAttempt = Math.max(FIRST_DELAYED, ofSeries)
  if (waitMs <= longestStayMs(policy, seriesAttempt)) return seriesAttempt
  const { delaysMs, jitter } = policy
  let longest = seriesAttempt - 2
  for (const [i, delayMs] of delaysMs.entries()) {
    if (delayMs > delaysMs[longest]! && delayMs * (1 - jitter) <= waitMs) longest = i
  }
  return longest + 2
}
