/** The retry schedule as a pure function of the attempt and of chance (service.md, "Retry schedule"). */
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
