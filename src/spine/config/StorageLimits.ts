/** Limits of the code that uses the database; part of `Limits`. */
export const storageLimits = {
  /** First and longest wait between tries while a store or the log is unavailable. */
  storeRetryMs: { first: 50, longest: 2_000 },
  /** How long the embedded server's start (with crash recovery) may take, and how often its state is polled. */
  embeddedStartMs: 60_000,
  embeddedPollMs: 20,
  /** How long PostgreSQL may take for a connection, or for a small statement for which something waits. */
  databaseConnectMs: 5_000,
  /**
   * How long a migration waits for a table's lock: statements of the service on that table wait as long. Then it lets
   * them run for as long, and tries again.
   */
  migrationLockMs: 2_500,
  /**
   * How long a statement of a service waits for its answer: six times as long as the slowest read may take. Longer
   * statements are split into batches.
   */
  databaseAnswerMs: 60_000,
  /** PostgreSQL connections of one process. */
  databaseConnections: 10,
  /** How many of them requests to the API use at once. The stages always have the others. */
  databaseRequestConnections: 4,
  /** Connections for reads of an API process, such as pages and counts. Each takes a millisecond or two. */
  databaseReadConnections: 6,
  /** Concurrent reads on one of those connections. A slow read delays only the others on its connection. */
  databaseReadsPerConnection: 16,
  /**
   * A read that takes longer is cancelled and answered with 503: its caller may have left long ago.
   */
  databaseReadMs: 10_000,
  /**
   * Rows that one statement or transaction takes, or a command prints at once, if each may have 0.1 to 1 MB: filters,
   * ids, records of the log.
   */
  largeRows: 50,
  /** Other rows that one statement takes: ending as many deliveries takes about 0.1 s, and locks them as long. */
  statementRows: 1_000,
  /**
   * How often work that has no notification (store/outbox/WorkNotices.ts) is polled for: a mail whose retry is due, a
   * job whose worker died, a queue of a deleted webhook. Together with a lease that must end first, such a job is taken
   * over within 15 s.
   */
  workPollMs: 3_000,
  /**
   * After so long without a sign of life a process counts as silent, in Kafka too, if the cluster allows so short a
   * time: another process takes over its jobs and partitions, and its open transactions are aborted. Two renewals may
   * fail.
   */
  leaseMs: 10_000,
  /** How often a process renews its leases, and says that it runs. */
  leaseRenewMs: 3_000,
  /** Time between attempts to take a lease that another process has. */
  leaseTakeMs: 1_000,
  /** How long the answer to a request with an `Idempotency-Key` is kept: a day, as customers know it from others. */
  idempotencyKeptMs: 24 * 3_600_000,
  /**
   * How long the wall clock must have run evenly before anything is deleted because of its age: NTP corrects a clock
   * within minutes of a start.
   */
  clockTrustedMs: 30 * 60_000,
  /**
   * Ended replay jobs that an account keeps, and detection alerts, newest first. Each has some 300 bytes. A bug here
   * could raise an alert per transaction.
   */
  newestKept: 10_000,
  /** How often table partitions are made ahead and retention is applied. */
  maintenanceMs: 3_600_000,
  /** How much longer than RETENTION_DELIVERIES a waiting delivery is kept. A quota is used up for one month at most. */
  waitingKeptMs: 31 * 24 * 3_600_000,
  /** Dead letters kept, newest first: a few MB. */
  deadLetters: 1_000,
  /** How often changes of deliveries are added to the totals. Until then readers of counts also scan the changes. */
  deliveryChangesMs: 2_000
} as const
