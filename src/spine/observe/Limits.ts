/** Limits of clocks, and of what lasts. */

export const observeLimits = {
  /**
   * How long the wall clock must have run evenly before anything is deleted because of its age: NTP corrects a clock
   * within minutes of a start.
   */
  clockTrustedMs: 30 * 60_000,
  /** How long a loop must have failed without a success before its part is degraded: a restart of a store is over then. */
  lastingMs: 5 * 60_000
} as const
