/** The retry schedule as a pure function of the attempt and of chance; docs/architecture.md shows it as a table. */
export interface RetryPolicy {
  /** Delay before attempt 2, 3, …: n delays make n + 1 attempts. */
  readonly delaysMs: ReadonlyArray<number>
  /** Each delay is stretched or shrunk by up to this part of itself. */
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

/** What the receiver asks for lengthens a delay, never shortens it, and adds at most `mostAddedMs`. */
export const lengthened = (delayMs: number, askedMs: number, mostAddedMs: number): number =>
  Math.min(Math.max(delayMs, askedMs), delayMs + mostAddedMs)

/** Pieces of a long wait are no shorter: each costs a record. */
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
 * In whose delay topic (an attempt, from 2) work of `seriesAttempt` waits that is due in `waitMs`: its own, unless it
 * is due later than that one's work is. A topic's delay is constant, so that no head holds others back: a longer wait
 * is made of pieces, and this is the longest that fits.
 */
export const delayOf = (policy: RetryPolicy, seriesAttempt: number, waitMs: number): number => {
  if (waitMs <= longestStayMs(policy, seriesAttempt)) return seriesAttempt
  const { delaysMs, jitter } = policy
  let longest = seriesAttempt - 2
  for (const [i, delayMs] of delaysMs.entries()) {
    if (delayMs > delaysMs[longest]! && delayMs * (1 - jitter) <= waitMs) longest = i
  }
  return longest + 2
}
