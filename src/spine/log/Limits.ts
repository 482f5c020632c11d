/** Limits of the log and of its adapters. */

export const logLimits = {
  /**
   * Bytes of one partition in a request to Kafka, whose default limit is 1 MB, and value bytes of one row of the
   * embedded log.
   */
  logBatchBytes: 900 * 1024,
  /**
   * Records of one partition that are in memory: the newest ones that the embedded log caches, so that readers at its
   * end need no table, and those fetched from Kafka that wait for their reader. With 2,000, a process with ten busy
   * webhooks took 30 MB more.
   */
  partitionRecords: 1_000,
  /** Transactions queued for the log's writer. Further callers wait. */
  logQueuedTransactions: 1_000,
  /** Records in one group commit of the embedded log. A transaction then takes less than about 10 ms. */
  embeddedLogBatchRecords: 2_000,
  /** The waits between tries of one step of a transaction, while its coordinator is busy or moving. */
  kafkaStepWaitMs: { first: 4, longest: 250 },
  /** The timeout of a request to Kafka, or to the schema registry at the start. */
  kafkaRequestMs: 15_000,
  /** The timeout of a connection to Kafka. */
  kafkaConnectMs: 5_000,
  /** How long a member may take to release a partition. It first finishes the attempts in flight (`drainMs`). */
  kafkaRebalanceMs: 60_000,
  /**
   * Covered ledger ranges that are listed for one network. There is one, unless an operator started again elsewhere.
   */
  ledgerRanges: 100,
  /** How long a tombstone is kept before compaction removes it, for readers that lag. It is Kafka's default. */
  tombstoneKeptMs: 24 * 3_600_000,
  /** Events read at a time for backlog rows, and how many such pieces are cached over all lanes: about 10 MB. */
  eventPieceRecords: 100,
  eventPieces: 32
} as const
