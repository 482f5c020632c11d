/** Limits of the commands; part of `Limits`. */
export const commandLimits = {
  /** Rows that a command reads and prints at once: a webhook may hold 350 KB of filters. */
  commandPageRows: 100,
  /** Characters of an account's name. */
  accountNameLength: 100,
  /** The largest limit an account may have of its own: no more than its column holds. */
  ownLimit: 1_000_000_000,
  /** Between writings of the line that shows a command's progress. */
  progressRefreshMs: 250,
  /** Between looks at a replay that is watched, and the time over which its rate is told. */
  replayWatchMs: 500,
  replayRateMs: 10_000,
  /** A request that `listen` takes: envelopes have a few KB. */
  listenBodyBytes: 1024 * 1024,
  /** Arrays and objects within one another in JSON that a command reads: a ledger has 10 levels, an event 5. */
  commandJsonDepth: 100,
  /** Characters of a line or document of recorded ledgers: some 20 of the largest; V8 holds no text of over 512 Mi. */
  recordedTextLength: 128_000_000,
  /** Faults that are shown of one file, and after how many the rest of it is not read. */
  recordedFaultsShown: 100,
  recordedFaults: 10_000,
  /** Longest wait of `listen` before it answers: well past any delivery timeout. */
  listenDelayMs: 10 * 60_000,
  /** Characters of one event that `listen --forward` reads; events have a few KB. */
  forwardBlockChars: 1024 * 1024,
  /** Its requests under way to the local address, and how long one may take: as long as a delivery attempt. */
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
  /** Newest quarantined records that `doctor` shows. */
  doctorQuarantined: 1,
  /** One check of `doctor`. */
  doctorCheckMs: 5_000,

  /** Signals within this time of the first are the same one: npm sends on what its whole process group was sent. */
  signalRepeatMs: 1_000,
  /** From the failure of a part to its being told: a signal that caused it has arrived by then. */
  signalArrivesMs: 50,

  // --- the demo
  /** After the last ledger: the schedule's first delays, twice over, and what a slow machine needs. */
  demoSettleMs: 60_000,
  /** How often the figures are refreshed. */
  demoRefreshMs: 250
} as const
