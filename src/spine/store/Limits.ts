/** Limits of the code that uses the database. */

const DATABASE_READ_MS = 10_000

export const storeLimits = {
  /** How long incidents and gaps of webhooks are kept: a year can be compared with the one before. */
  incidentsKeptMs: 400 * 24 * 3_600_000,
  /** Gaps that are kept of a webhook, newest first. */
  gapsKept: 100,
  /** How long the embedded server's start (with crash recovery) may take, and how often its state is polled. */
  embeddedStartMs: 60_000,
  embeddedPollMs: 20,
  /**
   * How long a migration waits for a table's lock: statements of the service on that table wait as long. Then it lets
   * them run for as long, and tries again.
   */
  migrationLockMs: 2_500,
  /**
   * How long a statement of a service waits for its answer: six times as long as the slowest read may take. Longer
   * statements are split into batches.
   */
  databaseAnswerMs: 6 * DATABASE_READ_MS,
  /**
   * The same for a request to the API, which is answered within 15 s: the driver waits another 5 s for the end of the
   * statement that it cancels.
   */
  databaseRequestMs: 8_000,
  /** PostgreSQL connections of one process. */
  databaseConnections: 10,
  /** How many of them requests to the API use at once. The stages always have the others. */
  databaseRequestConnections: 4,
  /** Connections for reads of an API process, such as pages and counts. Each takes a millisecond or two. */
  databaseReadConnections: 6,
  /** Concurrent reads on one of those connections. A slow read delays only the others on its connection. */
  databaseReadsPerConnection: 16,
  /** A read that takes longer is cancelled and answered with 503: its caller may have left long ago. */
  databaseReadMs: DATABASE_READ_MS,
  /** Dead letters kept, newest first: a few MB. */
  deadLetters: 1_000
} as const
