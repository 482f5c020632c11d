/** Limits of the code that uses the database; part of `Limits`. */
export const storageLimits = {
  /** First and longest wait between tries while a store or the log is unavailable. */
  storeRetryMs: { first: 50, longest: 2_000 },
  /** Connections that the embedded PostgreSQL accepts: both pools of this process, other commands, tests. */
  embeddedConnections: 100,
  /**
   * How long the embedded server's start (with crash recovery) and stop may take, and the wait for another process to
   * stop it.
   */
  embeddedStartMs: 60_000,
  embeddedStopMs: 10_000,
  embeddedTakeOverMs: 4_000,
  /** Time between attempts to restart it after it died. */
  embeddedRestartMs: 1_000,
  /** How often its state is polled meanwhile. */
  embeddedPollMs: 20,
  /** The timeout for the first connection at the start. */
  databaseConnectMs: 5_000,
  /**
   * How long a migration waits for a table's lock: statements of the service on that table wait as long. Then it lets
   * them run, and tries again. A dump may hold its locks for minutes: 60 tries take five.
   */
  migrationLockMs: 2_000,
  migrationRetryMs: 3_000,
  migrationTries: 60,
  /**
   * A connection to DATABASE_URL over which nothing came for this long is probed. If the peer is gone without a word (a
   * machine that lost its power, a firewall that forgot the connection), a statement that waits for its result fails
   * some 10 s later. Otherwise it would wait for ever.
   */
  databaseKeepAliveMs: 10_000,
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
  /** A read that takes longer is cancelled and answered with 503: its caller may have left long ago. */
  databaseReadMs: 10_000,
  /**
   * How often work is polled that has no notification (storage/outbox/WorkNotices.ts): a mail whose retry is due, or a
   * job whose worker died. Together with a lease that must end first, such a job is taken over within 15 s.
   */
  workPollMs: 3_000,
  /**
   * Rows that a backup or a move reads and writes at once. The largest are those of the embedded log, of which a
   * hundred have some ten MB.
   */
  copiedRows: 100,
  /** Runs of moved records that one statement stores. A run is three numbers and a topic's name. */
  movedRuns: 10_000,
  /**
   * How long retention waits for a table partition that a backup is reading. Writers wait behind it, so it gives up
   * soon and drops the partition an hour later.
   */
  partitionDropMs: 500,
  /** A lease that is not renewed ends after this. Another process then takes over the job. */
  leaseMs: 10_000,
  /** How often a process says that it runs, after how long without that it counts as silent, and how long its row stays. */
  processSeenMs: 3_000,
  processSilentMs: 10_000,
  processKeptMs: 86_400_000,
  /** Time between renewals. Two may fail before the lease is given up. */
  leaseRenewMs: 3_000,
  /** Time between attempts to take a lease that another process has. */
  leaseTakeMs: 1_000,
  /** How long the answer to a request with an `Idempotency-Key` is kept: a day, as customers know it from others. */
  idempotencyKeptMs: 24 * 3_600_000,
  /**
   * How long the wall clock must have run evenly before anything is deleted because of its age: NTP corrects a clock
   * within minutes of a start. It counts as set if it moved by more than `clockSetMs` against the monotonic clock.
   */
  clockTrustedMs: 30 * 60_000,
  clockSetMs: 60_000,
  /** Ended replay jobs that an account keeps, newest first. Each has some 300 bytes. */
  endedJobsKept: 10_000,
  /** Rows of ended jobs and deleted webhooks that one statement clears or deletes: each may have had 1 MB of ids. */
  endedRowsBatch: 100,
  /** How often table partitions are made ahead and retention is applied. */
  maintenanceMs: 3_600_000,
  /** How much longer than RETENTION_DELIVERIES a waiting delivery is kept. A quota is used up for one month at most. */
  waitingKeptMs: 31 * 24 * 3_600_000,
  /** Days of table partitions made ahead, so that the next day always has one. */
  partitionsAheadDays: 3,
  /** Days in one table partition of the event index: see storage/migrations/0006_events.ts. */
  eventPartitionDays: 30,
  /** Pauses between checks whether a committed change has been published from the outbox. They double. */
  outboxCatchUpMs: { first: 10, longest: 100 },
  /** Webhooks whose secrets one transaction encrypts again. A record of each contains its filters: up to 350 KB. */
  secretsResealed: 50,
  /** Webhooks that are disabled in one transaction, for the same reason. */
  webhooksDisabled: 50,
  /** Webhooks whose secrets one statement checks. */
  secretsExamined: 1_000,
  /** Outbox rows published in one transaction of the log. */
  outboxBatch: 500,
  /** Stored bytes after which such a transaction ends. One row may have 370 KB of filters. */
  outboxBatchBytes: 4 * 1024 * 1024,

  /** Deliveries that one statement ends: about 0.1 s, which bounds how long rows stay locked. */
  queueEndBatch: 1_000,
  /** Deliveries that the deletion of a webhook ends before its response, and how many each later pass ends. */
  deletedQueueAtOnce: 2_000,
  deletedQueuePass: 10_000,
  /** Deleted webhooks in one pass, and the time between passes when little is left. */
  deletedQueues: 100,
  deletedQueuesMs: 5_000,
  /**
   * How long after a webhook's deletion its attempts may still end: an attempt takes up to 10 s, recording it a few
   * seconds more.
   */
  deletedQueueSettledMs: 30_000,

  /** Detection alerts kept, newest first. A bug here could raise one per transaction. */
  detectionAlerts: 10_000,
  /** Dead letters kept, newest first, and the characters kept of source and text: a few MB. */
  deadLetters: 1_000,
  deadLetterSourceLength: 300,
  deadLetterRecordLength: 2_000,
  /** How often changes of deliveries are added to the totals. Until then readers of counts also scan the changes. */
  deliveryChangesMs: 2_000,
  /** Webhooks with the largest backlogs that are searched for the oldest due delivery: 6 ms. */
  oldestDueWebhooks: 100,
  /** If the table of changes is larger than this, its free end is returned to the file system. */
  deliveryChangesBytes: 4 * 1024 * 1024
} as const
