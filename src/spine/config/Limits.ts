/**
 * Limits that several rooms use, each with a name, a unit and the reason. A limit that one room uses stands in the
 * `Limits.ts` of that room. Limits that a test may want to lower are read from the context (StageLimits, DeliverLimits
 * and others). Pure functions get limits as arguments. Tests never mock these modules. What follows from a limit is
 * computed. A number that is a detail of one algorithm is a constant beside it.
 */
export const Limits = {
  // --- the log
  /** Records that one read of the whole log fetches, and that one row of the embedded log has. */
  logReadRecords: 500,
  /**
   * Bytes of records that are handled at once: of one fetch from Kafka, one read of a compacted topic in the embedded
   * log, one transaction that publishes the outbox, and the transactions of several ledgers (RAW_TRANSACTIONS) in one
   * transaction of the log; and those of a partition that the embedded log caches. One record may have 370 KB of
   * filters, or 8 MiB of metadata.
   */
  recordsBytes: 4 * 1024 * 1024,
  /**
   * Records of one Kafka transaction, and events of one history range. Kafka takes about 10 ms for it, so transactions
   * that wait are joined.
   */
  transactionRecords: 5_000,

  // --- ledgers
  /**
   * A server may answer `lgrNotFound` for one of its newest ledgers because it does not have it yet. It is asked again.
   */
  ledgerNearHead: 5,
  /** Concurrent requests to one server. Public ones allow 2 to 4. The number is halved if the server warns of load. */
  ledgerRequestsPerServer: 4,
  /** Orders to skip ledgers, of one network. Mainnet has four such ledgers. */
  skipOrders: 1_000,

  // --- deliveries
  /** Characters of the body shown for each attempt in a delivery's history, which may have dozens of attempts. */
  attemptBodyCharacters: 2_048,
  /** How long deliveries wait for a webhook that is disabled or paused. Then they end as `failed`. */
  stoppedQueueMs: 7 * 24 * 3_600_000,
  /**
   * How long deliver may use its view of the webhooks after confirming it. It is confirmed again after half of that,
   * but not while idle.
   */
  webhookViewLeaseMs: 1_000,

  // --- upkeep
  /** How often accounts that have reached a part of their quota are looked up. */
  quotaNoticesMs: 10_000,
  /** Spans in which a webhook was failing are one incident if they are less than this apart. */
  incidentGapMs: 5 * 60_000,
  /**
   * How often work is looked up that may be a minute late: failing webhooks, webhooks half-way to being disabled,
   * secrets whose grace has ended, and schemas that the registry lacks (three requests for each).
   */
  sweepMs: 60_000,
  /** How often table partitions are made ahead and retention is applied. */
  maintenanceMs: 3_600_000,
  /**
   * Ended replay jobs that an account keeps, and detection alerts, newest first. Each has some 300 bytes. A bug here
   * could raise an alert per transaction.
   */
  newestKept: 10_000,
  /** How often changes of deliveries are added to the totals. Until then readers of counts also scan the changes. */
  deliveryChangesMs: 2_000,

  // --- database
  /** First and longest wait between tries while a store or the log is unavailable. */
  storeRetryMs: { first: 50, longest: 2_000 },
  /** How long PostgreSQL may take for a connection, or for a small statement for which something waits. */
  databaseConnectMs: 5_000,
  /**
   * Rows that one statement or transaction takes, or a command prints at once, if each may have 0.1 to 1 MB: filters,
   * ids, records of the log.
   */
  largeRows: 50,
  /** Other rows that one statement takes: ending as many deliveries takes about 0.1 s, and locks them as long. */
  statementRows: 1_000,
  /** Rows that one count reads: about 0.2 s. If there are more, it says "at least". */
  countedRows: 100_000,
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

  // --- requests
  /** A request body. */
  requestBodyBytes: 1024 * 1024,
  /** Records that a preview or a replay job parses before other work runs: 1 to 3 ms. */
  parsedRecords: 200,
  /**
   * Requests of one heavy kind that run at the same time. Others wait. A filter preview parses up to 10,000 events:
   * about 0.2 s of a core. A search among 100,000 webhooks takes the database about 0.1 s. An explanation that searches
   * for a transaction among the events of a month reads about 100 MB.
   */
  heavyRequestsAtOnce: 2,
  /**
   * Connections to PORT, or 0.4 of the open files that the process may have, if that is fewer. One more connection ends the connection whose last request is the oldest and which has no
   * event stream, so a new caller always gets in. Each holds at most one unsent answer and 160 KiB of unread requests
   * (twice `connectionBytes` and a read of 64 KiB).
   */
  connections: 1_000,
  /**
   * A stream of events sends a comment after this long without an event. Many proxies close a connection after 60 s of
   * silence.
   */
  heartbeatMs: 15_000,
  /** The deepest nesting in JSON that a command or the API reads: code that walks it recurses. A ledger has 10 levels, an event 5. */
  jsonDepth: 100,
  /** Characters that are kept of an error or of another reason. */
  errorLength: 500,

  // --- process
  /** If the database does not answer `/readyz` within this time, it counts as unavailable. */
  readyCheckMs: 2_000,
  /**
   * How long requests in flight, or the embedded server, may take when the process stops. The rest of `shutdownMs` is
   * for the stages.
   */
  stopPartMs: 10_000,
  /**
   * How often the report is made, and numbers are read that would take too long when `/metrics` is asked. The log may
   * take as long for the report, and the schema registry half of it. It tells nothing any more once three reports are
   * due.
   */
  reportMs: 10_000,
  /** First and longest wait before a failed role, or a start that waits, is tried again. */
  roleRestartMs: { first: 200, longest: 5_000 },
  /**
   * How long something must last before the process reports it as failed or degraded: a role that fails
   * (`/readyz/traffic`), a slow database, a head that is this old, or catching up that has not progressed (`/readyz`).
   */
  troubleMs: 60_000
} as const
