/** Limits of reading ledgers from servers (src/ledger); part of `Limits`. */
const REQUESTS_AT_ONCE = 4

export const ledgerLimits = {
  /**
   * How long a ledger server may take to connect, TLS included, to answer, or to announce the next ledger. A full ledger
   * takes well under a second, and one closes every 3 to 5 s.
   */
  ledgerAnswerMs: 20_000,
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
  /** What a server may send unasked in 10 s. An announcement has 0.4 kB and comes every 3 to 5 s. */
  ledgerUnaskedBytes: 1024 * 1024,
  /** First and longest wait between attempts to reach a ledger server. */
  ledgerReconnectMs: { first: 250, longest: 15_000 },
  /** First and longest wait after a server limits our requests. Public servers ban for a minute or more. */
  ledgerRateLimitedMs: { first: 10_000, longest: 120_000 },
  /**
   * First and longest wait after a server sent what no sound server sends, or is one of another network or chain, or too
   * old. Each time may cost a second of CPU, or delay a ledger by `ledgerAnswerMs`; mostly only an operator can repair it.
   */
  ledgerUnfitServerMs: { first: 60_000, longest: 600_000 },
  /**
   * Waits between rounds over all servers for a ledger that none of them has, and before `listen --forward` reconnects.
   */
  remoteRetryMs: { first: 1_000, longest: 15_000 },
  /** `/readyz` says "degraded" if an announced ledger has not been taken for this long: two to three ledgers. */
  ledgerStandingMs: 10_000,
  /** Announced hashes and counts kept for checking, newest first: about an hour. */
  ledgerAnnouncementsKept: 1_024,
  /**
   * A server may answer `lgrNotFound` for one of its newest ledgers because it does not have it yet. It is asked again.
   */
  ledgerNearHead: 5,
  /**
   * Requests that are in flight at a time to one ledger server, to receivers of notices, and to the local address of
   * `listen --forward`. Public ledger servers allow 2 to 4. The number is halved if one warns of load.
   */
  requestsAtOnce: REQUESTS_AT_ONCE,
  /**
   * Reads that one task does concurrently: of ledgers over all servers (as many as both connected ones accept), of
   * single ledgers for a replay, and of positions in the log for the report.
   */
  readsAtOnce: 2 * REQUESTS_AT_ONCE,
  /**
   * No further ledger is fetched while fetched ones take more memory than this. Forty busy ledgers take about 80 MB.
   */
  catchUpWaitingBytes: 256 * 1024 * 1024,
  /**
   * Records of one partition that are in memory at a time: events in one transaction of several ledgers (the ledger
   * that reaches this number is the last in it), newest records that the embedded log caches, so that readers at its
   * end need no table, and records fetched from Kafka that wait for their reader. With 2,000, a process with ten busy
   * webhooks took 30 MB more.
   */
  partitionRecords: 1_000
} as const
