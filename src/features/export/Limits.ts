/** Limits of `events export`. */

export const exportLimits = {
  /**
   * Characters of events in memory until a group of them is written. A group of Parquet takes about five times its
   * characters while it is encoded.
   */
  bufferedChars: 32 * 1024 * 1024,
  /** How often `--follow` asks the log for closed hours. */
  pollMs: 30_000,
  /** How long `--follow` waits after a failure, and how many failures in a row end it: after about an hour. */
  firstRetryMs: 1_000,
  longestRetryMs: 60_000,
  retries: 64,
  /** How often a request to S3-compatible storage is sent, and how long each time may take. */
  attempts: 4,
  connectMs: 5_000,
  requestMs: 120_000,
  /** A file is uploaded in parts of this size, of which so many are in memory. S3 takes 10,000 parts: 160 GB. */
  partBytes: 16 * 1024 * 1024,
  partsAtOnce: 2
} as const
