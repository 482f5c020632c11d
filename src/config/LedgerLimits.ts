/** Limits of reading ledgers from servers (src/ledger); part of `Limits`. */
export const ledgerLimits = {
  /** A ledger closes every 3 to 5 s. If nothing arrives for this long, the server or the connection is stuck. */
  ledgerSilenceMs: 20_000,
  /** The timeout of a request to a ledger server. A full ledger takes well under a second. */
  ledgerRequestMs: 20_000,
  /**
   * The largest message from a ledger server. Of 42 real ledgers the largest has 0.39 MB as JSON (134 transactions, at
   * most 4.3 kB each on average), and the largest real transaction alone 1.5 MB. So 32 MiB is 22 times the largest real
   * message, or a ledger of 7,800 such transactions.
   */
  ledgerMessageBytes: 32 * 1024 * 1024,
  /**
   * Opening brackets, commas and colons outside strings in one message. Each takes up to 57 bytes once it is parsed, so
   * a message takes up to 125 MB. The same ledgers have at most 22,130, the transaction has 88,463 (a 25th of the
   * limit), and large real messages have up to 63,000 per MB. So a real ledger reaches the limit of bytes first.
   */
  ledgerMessageTokens: 2_200_000,
  /** Nested brackets in one message. Real ledgers have up to 11, and the answer around them 2 more. */
  ledgerMessageDepth: 64,
  /**
   * Ranges that a server may claim. Servers with complete history have one, others a few. Of a server that names more,
   * it is not known what it has.
   */
  ledgerServerRanges: 1_000,
  /**
   * What a server may send unasked in `ledgerUnaskedWindowMs`. An announcement has 0.4 kB and comes every 3 to 5 s. A
   * message counts as at least `ledgerUnaskedLeastBytes`, because each costs time.
   */
  ledgerUnaskedBytes: 1024 * 1024,
  ledgerUnaskedLeastBytes: 1024,
  ledgerUnaskedWindowMs: 10_000,
  /** Requests given up whose late answers do not count as unasked. After as many, the server hardly answers any. */
  ledgerAbandonedKept: 1_000,
  /** Characters of a ledger server's error text that are kept. */
  ledgerErrorLength: 300,
  /** First and longest wait between attempts to reach a ledger server. */
  ledgerReconnectMs: { first: 250, longest: 15_000 },
  /** The timeout of a connection to a ledger server, TLS included. */
  ledgerConnectMs: 10_000,
  /** First and longest wait after a server limits our requests. Public servers ban for a minute or more. */
  ledgerRateLimitedMs: { first: 10_000, longest: 120_000 },
  /**
   * The longest backoff while no server of a network is connected: ingest stands still, and servers may have recovered.
   */
  ledgerAllAwayMs: 30_000,
  /** The backoff for a server that lost the network. It needs about this long to synchronise. */
  ledgerNotSyncedMs: 30_000,
  /** The backoff for a server of another network, or one that is too old: only its operator can fix that. */
  ledgerUnfitServerMs: 60_000,
  /** First and longest wait after a server sent what no sound server sends. Each time may cost a second of CPU. */
  ledgerMisbehavingMs: { first: 10_000, longest: 600_000 },
  /** The same for a server of another chain. Its announcements may delay a ledger by `ledgerRequestMs`. */
  ledgerOtherChainMs: { first: 60_000, longest: 600_000 },
  /** How often one server is asked for a ledger that it does not have yet, before another server is asked. */
  ledgerNotFoundTries: 5,
  /** Waits between those tries. Servers behind one load balancer differ by up to a second. */
  ledgerNotFoundWaitMs: { first: 250, longest: 1_000 },
  /** Waits between rounds over all servers for a ledger that none of them has. */
  ledgerRoundMs: { first: 1_000, longest: 15_000 },
  /** The longest wait before a ledger whose parent hash does not match the ledger before it is fetched again. */
  brokenChainRetryMs: 60_000,
  /** `/readyz` fails if the head is older than this, or if catching up has not progressed for this long. */
  ledgerHeadAgeMs: 60_000,
  /** It says "degraded" if an announced ledger has not been taken for this long: two to three ledgers. */
  ledgerStandingMs: 10_000,
  /**
   * A network was reset if all servers are more ledgers than this below the last one taken: about an hour. A server that
   * was restored from a backup may be some minutes behind.
   */
  ledgerResetGap: 1_000,
  /**
   * How often what is known of a network may be written for other processes, and how often at least. A ledger closes
   * every 3 to 5 s. A row that is older than `leaseMs` is of a process that is gone.
   */
  networkWrittenMs: { shortest: 1_000, longest: 3_000 },
  /** The timeout of that write. Newer facts wait for it. */
  networkWriteMs: 5_000,
  /** Announced hashes and counts kept for checking, newest first: about an hour. */
  ledgerAnnouncementsKept: 1_024,
  /** Servers that are connected at a time: the active one and a hot standby. */
  ledgerServersConnected: 2,
  /** How long an additional server, connected because the others lack a ledger, stays connected after its last use. */
  ledgerExtraServerMs: 60_000,
  /**
   * A server may answer `lgrNotFound` for one of its newest ledgers because it does not have it yet. It is asked again.
   */
  ledgerNearHead: 5,
  /** Concurrent requests to one server. Public ones allow 2 to 4. The number is halved if the server warns of load. */
  ledgerRequestsPerServer: 4,
  /** If a server has not warned of load for this long, the number grows by one. */
  ledgerLoadRecoveryMs: 60_000,
  /** Ledgers that are fetched concurrently, over all servers: as many as both connected ones accept. */
  catchUpParallel: 8,
  /** Fetched ledgers that may additionally wait for their commit. A busy ledger has a few MB. */
  catchUpWaiting: 32,
  /** No further ledger is fetched while fetched ones take more memory than this. Forty busy ledgers take about 80 MB. */
  catchUpWaitingBytes: 256 * 1024 * 1024,
  /** Events in one transaction of several ledgers. The ledger that reaches this number is the last in it. */
  catchUpBatchEvents: 1_000,
  /** The time over which the catch-up rate is averaged. */
  catchUpRateWindowMs: 30_000,
  /** How often catch-up progress is logged, and the smallest lag in ledgers at which it is logged. */
  catchUpReportMs: 5_000,
  catchUpReportedFrom: 20,

  /** A command gives up a ledger server after this many failures in a row. */
  ledgerClientTries: 5,
  /** A command's pause before its next request to a server that warns of load. */
  ledgerClientPauseMs: 2_000
} as const
