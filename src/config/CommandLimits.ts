/** Limits of the commands; part of `Limits`. */
export const commandLimits = {
  /** Rows that a command reads and prints at once. The filters of one webhook may have 350 KB. */
  commandPageRows: 100,
  /** Characters of an account's name. */
  accountNameLength: 100,
  /** The largest limit that an account may have of its own. The database column holds no more. */
  ownLimit: 1_000_000_000,
  /** How often a command's progress line is refreshed. */
  progressRefreshMs: 250,
  /**
   * Characters of events that `events export` keeps in memory until it writes a group of them, and the events of one
   * group. A group of Parquet takes about five times its characters while it is encoded.
   */
  exportBufferedChars: 32 * 1024 * 1024,
  exportGroupEvents: 100_000,
  /** How often a watched replay is polled, and over which time its rate is averaged. */
  replayWatchMs: 500,
  replayRateMs: 10_000,
  /** How often `move` tries a transaction of the other log that fails, and how long it waits in between. */
  moveTries: 5,
  moveRetryMs: 1_000,
  /** The largest request body that `listen` accepts: a batch of the largest size (StageLimits.batchBodyBytes). */
  listenBodyBytes: 1024 * 1024,
  /** Age of an attempt whose Standard Webhooks signature `listen` accepts: five minutes, as the libraries do. */
  signatureAgeMs: 300_000,
  /** The deepest nesting in JSON that a command reads. A ledger has 10 levels, an event 5. */
  commandJsonDepth: 100,
  /** Characters of a line or document of recorded ledgers: about 20 of the largest. V8's limit is 512 Mi. */
  recordedTextLength: 128_000_000,
  /** Faults that are shown for one file, and the number after which reading stops. */
  recordedFaultsShown: 100,
  recordedFaults: 10_000,
  /** The longest delay that `listen --delay` accepts: much longer than any delivery timeout. */
  listenDelayMs: 10 * 60_000,
  /** Characters of one event that `listen --forward` reads; events have a few KB. */
  forwardBlockChars: 1024 * 1024,
  /**
   * How many requests to the local address may be under way, and how long one may take: as long as a delivery
   * attempt.
   */
  forwardParallel: 4,
  forwardAnswerMs: 10_000,
  /** If nothing arrives for this long, which is three heartbeats, it reconnects. */
  forwardSilenceMs: 45_000,
  /** First and longest wait before it reconnects. */
  forwardWaitMs: { first: 1_000, longest: 30_000 },
  /** Characters shown of a service's reason for ending a stream. */
  forwardReasonLength: 500,
  /** Newest detection alerts that `doctor` shows. */
  doctorAlerts: 3,
  /** Newest dead letters that `doctor` shows. */
  doctorDeadLetters: 1,
  /** Failing webhooks that `doctor` names. */
  doctorWebhooks: 5,
  /** Failing webhooks and processes that `status` names, so that all fits on one screen. */
  statusWebhooks: 10,
  statusProcesses: 20,
  /** How often `status --watch` reads again: more often than the report is made, because processes say more often how they are. */
  statusWatchMs: 2_000,
  /** The timeout of one check of `doctor`. */
  doctorCheckMs: 5_000,
  /** How long `doctor` waits for a server that is a few ledgers behind. A ledger closes every 3 to 4 s. */
  doctorHeadMs: 4_000,

  /** Signals within this time of the first count as one: npm forwards what its process group got as well. */
  signalRepeatMs: 1_000,
  /**
   * How long to wait after a part fails before the failure is reported. If a signal caused it, the signal has arrived
   * by then.
   */
  signalArrivesMs: 50,

  // --- the demo
  /**
   * How long the demo waits after the last ledger: twice the first delays of the schedule, plus reserve for slow
   * machines.
   */
  demoSettleMs: 60_000,
  demoRefreshMs: 250
} as const
