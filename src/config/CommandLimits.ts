/** Limits of the commands; part of `Limits`. */
import { stageLimits } from "./StageLimits.ts"

export const commandLimits = {
  /** Rows that a command reads and prints at once. The filters of one webhook may have 350 KB. */
  commandPageRows: 100,
  /** Characters of an account's name. */
  accountNameLength: 100,
  /** The largest limit that an account may have of its own. The database column holds no more. */
  ownLimit: 1_000_000_000,
  /** How often a command's progress line and the demo's view are refreshed. */
  progressRefreshMs: 250,
  /**
   * Characters of events that `events export` keeps in memory until it writes a group of them, and the events of one
   * group. A group of Parquet takes about five times its characters while it is encoded.
   */
  exportBufferedChars: 32 * 1024 * 1024,
  exportGroupEvents: 100_000,
  /** The largest request body, or event of a stream, that `listen` accepts: a batch of the largest size. */
  listenBodyBytes: stageLimits.batchBodyBytes,
  /** The deepest nesting in JSON that a command reads. A ledger has 10 levels, an event 5. */
  commandJsonDepth: 100,
  /** Characters of a line or document of recorded ledgers: about 20 of the largest. V8's limit is 512 Mi. */
  recordedTextLength: 128_000_000,
  /** Faults in one file of recorded ledgers after which reading stops. */
  recordedFaults: 10_000,
  /** How many requests to the local address may be in flight, and how long one may take: as a delivery attempt. */
  forwardParallel: 4,
  forwardAnswerMs: 10_000,
  /** If nothing arrives for this long, `listen --forward` reconnects: three heartbeats (StreamLimits). */
  forwardSilenceMs: 45_000,
  /** First and longest wait before it reconnects. */
  forwardWaitMs: { first: 1_000, longest: 30_000 },
  /** The timeout of one check of `doctor`. */
  doctorCheckMs: 5_000,
  /** How long `doctor` waits for a server that is a few ledgers behind. A ledger closes every 3 to 4 s. */
  doctorHeadMs: 4_000,
  /** Signals within this time of the first count as one: npm forwards what its process group got as well. */
  signalRepeatMs: 1_000,
  /**
   * How long the demo waits after the last ledger: twice the first delays of the schedule, plus reserve for slow
   * machines.
   */
  demoSettleMs: 60_000
} as const
