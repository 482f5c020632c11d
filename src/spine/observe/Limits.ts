/** Limits of clocks. */

export const observeLimits = {
  /**
   * How long the wall clock must have run evenly before anything is deleted because of its age: NTP corrects a clock
   * within minutes of a start.
   */
  clockTrustedMs: 30 * 60_000
} as const
