/** Limits of replay and retry jobs. Those of one request are in domain/Replay.ts. */

export const replayLimits = {
  /** Accounts in one request's filters. */
  replayAccounts: 10_000,
  /** Replay jobs that one process works on at a time. Each has a batch in memory. */
  replayJobs: 8,
  /** Events queued in one batch of a job. A batch ends within about 100 ms. */
  replayBatchEvents: 250,
  /**
   * Deliveries of a job that may wait for their first attempt. The limit allows thousands of deliveries a second and
   * keeps a replay from filling tables and log faster than its receiver accepts.
   */
  replayAhead: 1_000,
  /** The most events that a job may look up: it keeps the list of their ledgers in memory. */
  replayLookups: 50_000
} as const
