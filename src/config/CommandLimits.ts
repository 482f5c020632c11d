/** Limits of the commands; part of `Limits`. */
import { stageLimits } from "./StageLimits.ts"

export const commandLimits = {
  /** How long one check of `doctor` may take. */
  doctorCheckMs: 5_000,
  /** The largest request body, or event of a stream, that `listen` accepts: a batch of the largest size. */
  listenBodyBytes: stageLimits.batchBodyBytes,
  /**
   * Characters of events that `events export` keeps in memory until it writes a group of them. A group of Parquet takes
   * about five times its characters while it is encoded.
   */
  exportBufferedChars: 32 * 1024 * 1024,
  /** The deepest nesting in JSON that a command reads. A ledger has 10 levels, an event 5. */
  commandJsonDepth: 100,
  /** Characters of a line or document of recorded ledgers: about 20 of the largest. V8's limit is 512 Mi. */
  recordedTextLength: 128_000_000,
  /** Characters of a line with which a command answers `conformance`; the largest right answer has 8,000. */
  conformanceAnswerLength: 1_000_000
} as const
