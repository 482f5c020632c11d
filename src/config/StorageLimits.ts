/** Limits of the code that uses the database; part of `Limits`. */
export const storageLimits = {
  /** First and longest wait while a store or the log is away. */
  storeRetryMs: { first: 50, longest: 2_000 },
  /** Connections the embedded server accepts: this process (both pools), commands beside it, tests. */
  embeddedConnections: 100,
  /** How long its start may take (recovery after a crash included), its stop, and waiting for one that is stopping. */
  embeddedStartMs: 60_000,
  embeddedStopMs: 10_000,
  embeddedTakeOverMs: 4_000,
  /** Between tries to bring it back after it died. */
  embeddedRestartMs: 1_000,
  /** How often its state is checked meanwhile. */
  embeddedPollMs: 20,
  /** How long the database may take to answer at the start. */
  databaseConnectMs: 5_000,
  /** PostgreSQL connections of one process. */
  databaseConnections: 10,
  /** The same for what an API process looks up: pages and counts, a millisecond or two each. */
  databaseReadConnections: 6,
  /** Lookups under way at once on one of them: a slow one holds up no more than these. */
  databaseReadsPerConnection: 16,
  /** A lookup that takes longer is given up, a 503: nobody waits behind one whose caller may long be gone. */
  databaseReadMs: 10_000,
  /**
   * Between looks for work that nobody told of (storage/outbox/WorkNotices.ts): a mail is due again, or a worker died.
   * With a lease that must end before it, its job is taken over within 15 s.
   */
  workLookMs: 3_000,
  /** How long a lease lasts that is not renewed: what its process did is taken over after this. */
  leaseMs: 10_000,
  /** Between renewals: two may fail before the lease is given up. */
  leaseRenewMs: 3_000,
  /** Between tries to take a lease that another process holds. */
  leaseTakeMs: 1_000,
  /** How long the answer to a request with an `Idempotency-Key` is kept: a day, as customers know it from others. */
  idempotencyKeptMs: 24 * 3_600_000,
  /** How often partitions are made ahead and retention is applied. */
  maintenanceMs: 3_600_000,
  /** How much longer than RETENTION_DELIVERIES a delivery is kept that waits: no quota is used up for more than a month. */
  waitingKeptMs: 31 * 24 * 3_600_000,
  /** Days of table partitions made ahead, so that midnight never meets a missing one. */
  partitionsAheadDays: 3,
  /** Days in one table partition of the event log: see storage/migrations/0006_events.ts. */
  eventPartitionDays: 30,
  /** Between looks at whether what the API answered for has been published. */
  outboxCatchUpMs: 10,
  /** Webhooks whose secrets one transaction encrypts again. A record of each contains its filters: up to 350 KB. */
  secretsResealed: 50,
  /** Webhooks that are disabled in one transaction, for the same reason. */
  webhooksDisabled: 50,
  /** Webhooks whose secrets one statement checks. */
  secretsExamined: 1_000,
  /** Outbox rows published in one transaction of the log. */
  outboxBatch: 500,
  /** Bytes, as they are stored, after which such a transaction ends: one row may hold 370 KB of filters. */
  outboxBatchBytes: 4 * 1024 * 1024,

  /** Deliveries ended in one statement: a tenth of a second, and no more rows are locked together. */
  queueEndBatch: 1_000,
  /** Deliveries of a deleted webhook that its deletion ends before it is answered, and that are then ended in one turn. */
  deletedQueueAtOnce: 2_000,
  deletedQueuePass: 10_000,
  /** Deleted webhooks looked at in one turn, and between turns that find little. */
  deletedQueues: 100,
  deletedQueuesMs: 5_000,
  /** After a deletion nothing more is queued and no attempt is under way: an attempt takes 10 s, its record a few more. */
  deletedQueueSettledMs: 30_000,

  /** Detection alerts kept, newest first: they are rare, and one fault of ours could raise one per transaction. */
  detectionAlerts: 10_000,
  /** Characters of an alert's reason. */
  detectionAlertReasonLength: 500,
  /** Records kept in quarantine, newest first, and characters of one's source, reason and text: a few MB in all. */
  quarantineRecords: 1_000,
  quarantineSourceLength: 300,
  quarantineReasonLength: 500,
  quarantineRecordLength: 2_000,
  /** Characters of what a ledger server said, where a job's error repeats it. */
  storedErrorLength: 1_000,
  /** Between moves of what changed in deliveries to their totals: while it waits, readers of counts look through it. */
  deliveryChangesMs: 2_000,
  /** The changes' size above which its end is given back: a few thousand of them beside room for as many. */
  deliveryChangesBytes: 4 * 1024 * 1024
} as const
