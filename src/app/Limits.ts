/** Limits of the process and of what it serves. */

export const appLimits = {
  /** Characters of one path segment. The longest id is an event's, about 110. */
  pathSegmentLength: 256,
  /** Sampling and sending of traces and metrics. A span has about 1 KB, so a few MB wait while the endpoint hangs. */
  telemetry: {
    tracesPerSecond: 5,
    spansPerSecond: 100,
    tracesEveryMs: 5_000,
    metricsEveryMs: 10_000,
    requestMs: 5_000,
    /** After all other parts have ended, within `shutdownMs`. */
    lastRequestMs: 1_000
  },
  /**
   * How long the API of one of several processes serves on after `/readyz` says that it stops: two checks of a load
   * balancer that asks every second. With `drainMs` it fits into `shutdownMs`.
   */
  stopNoticeMs: 3_000
} as const
