/** Limits of commands on recorded ledgers. */

export const ledgerToolsLimits = {
  /** Characters of a line or document of recorded ledgers: about 20 of the largest. V8's limit is 512 Mi. */
  recordedTextLength: 128_000_000,
  /** Characters of a line with which a command answers `conformance`; the largest right answer has 8,000. */
  conformanceAnswerLength: 1_000_000
} as const
