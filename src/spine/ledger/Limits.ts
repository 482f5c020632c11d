/** Limits of reading ledgers from servers, and of fetching those from before the service's first one. */
import { Limits } from "../config/Limits.ts"

export const ledgerLimits = {
  /** The timeout of a connection to a ledger server, TLS included. */
  ledgerConnectMs: 10_000,
  /**
   * How long a ledger server may take to answer, or to announce the next ledger. A full ledger takes well under a second,
   * and one closes every 3 to 5 s.
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
  /** First and longest wait after a server sent what no sound server sends. Each time may cost a second of CPU. */
  ledgerMisbehavingMs: { first: 10_000, longest: 600_000 },
  /** The same for a server of another network or chain, or one that is too old: only an operator can repair that. */
  ledgerUnfitServerMs: { first: 60_000, longest: 600_000 },
  /** Waits between rounds over all servers for a ledger that none of them has. */
  ledgerRoundMs: { first: 1_000, longest: 15_000 },
  /** `/readyz` says "degraded" if an announced ledger has not been taken for this long: two to three ledgers. */
  ledgerStandingMs: 10_000,
  /** Announced hashes and counts kept for checking, newest first: about an hour. */
  ledgerAnnouncementsKept: 1_024,
  /** Ledgers that are fetched concurrently, over all servers: as many as both connected ones accept. */
  catchUpParallel: 2 * Limits.ledgerRequestsPerServer,
  /**
   * No further ledger is fetched while fetched ones take more memory than this. Forty busy ledgers take about 80 MB.
   */
  catchUpWaitingBytes: 256 * 1024 * 1024,
  /** Events in one transaction of several ledgers. The ledger that reaches this number is the last in it. */
  catchUpBatchEvents: 1_000,
  /**
   * How many ledgers before the service's first one a replay may ask for: about three weeks, which take hours to fetch.
   */
  backfillLedgers: 500_000,
  /**
   * Ledgers in one history range. A range is held in memory and appended in one transaction, with at most
   * `transactionRecords` events.
   */
  backfillRangeLedgers: 256
} as const
