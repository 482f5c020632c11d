/** Every bound of the program in one table: a name, a unit and the reason. */
export const Limits = {
  // --- the log
  /** Records a stage takes at once: enough to fill one SQL statement, small enough to hold in memory. */
  takeBatchRecords: 500,
  /** Records one group commit of the embedded log writes: keeps a transaction under some 10 ms. */
  embeddedLogBatchRecords: 2_000,
  /** Recent records per partition that the embedded log serves from memory. */
  embeddedLogTailRecords: 2_000,
  /** Bytes (values) per partition of that tail, so that large events cannot fill the memory. */
  embeddedLogTailBytes: 4 * 1024 * 1024,

  // --- ledgers in
  /** A ledger closes every 3 to 5 s: silence for this long means the server or the connection is stuck. */
  ledgerSilenceMs: 20_000,
  /** Answer to one request to a ledger server; a full ledger takes well under a second. */
  ledgerRequestMs: 20_000,
  /** First and longest wait between attempts to reach a ledger server. */
  ledgerReconnectMs: { first: 250, longest: 15_000 },
  /** Tries for a ledger the server does not have yet, before another server is asked. */
  ledgerNotFoundTries: 5,
  /** Ledgers fetched ahead of the one being committed while catching up (public servers allow 2 to 4 at once). */
  catchUpParallel: 4,

  // --- deliveries
  /** Records in flight or queued per delivery partition; past it the actor stops taking from the log. */
  partitionInFlight: 2_000,
  /** Records queued per webhook; past it the lane lets its rows wait in PostgreSQL. */
  laneMailbox: 256,
  /** Rows a lane pages from PostgreSQL at once. */
  lanePageRows: 200,
  /** Bytes of a response kept; the rest is not read. */
  responseBodyBytes: 16 * 1024,
  /** Connections to one origin, over all webhooks that point there. */
  connectionsPerOrigin: 256,
  /** An idle connection is closed after this. */
  connectionIdleMs: 15_000,
  /** Outcomes written in one statement. */
  recorderBatch: 500,
  /** Deliveries queued for a disabled webhook end `failed` after this. */
  disabledQueueMs: 7 * 24 * 3_600_000,

  // --- storage
  /** PostgreSQL connections of one process. */
  databaseConnections: 10,
  /** Days of table partitions made ahead, so that midnight never meets a missing one. */
  partitionsAheadDays: 3,
  /** Outbox rows published in one transaction of the log. */
  outboxBatch: 500,

  // --- API
  /** A request body. */
  requestBodyBytes: 1024 * 1024,
  /** Account addresses in one webhook's filter. */
  accountFilters: 10_000,
  /** Characters of an endpoint's address. */
  urlLength: 2_048,
  /** Characters of a webhook's description. */
  descriptionLength: 500,
  /** Headers of its own that a webhook may add, and the length of each value. */
  webhookHeaders: 20,
  webhookHeaderLength: 1_024,

  // --- process
  /** From SIGTERM to the end, at most. */
  shutdownMs: 15_000
} as const
