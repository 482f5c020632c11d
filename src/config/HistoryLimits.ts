/** Limits of fetching ledgers from before the service's first one; part of `Limits`. */
export const historyLimits = {
  /** Ledgers of before the service's first one that a replay may reach back: some three weeks, hours of fetching. */
  historyLedgers: 500_000,
  /** Ledgers fetched, and events of them, in one range, which is held in memory and appended as one: some seconds' work. */
  historyRangeLedgers: 256,
  historyRangeEvents: 5_000,
  /** Rounds over the servers for a ledger that none of them serves: what they do not have they will not get. */
  historyRounds: 3,
  /** A ledger that no server has answered for by then, rate limits and reconnections included, ends the fetching. */
  historyAnswerMs: 300_000,
  /** Between looks at who wants history: a cancelled job stops the fetching within that. */
  historyPollMs: 500,
  /** The events of a time nobody has seen are taken to be as frequent as in this long after it. */
  historySampleMs: 24 * 3_600_000
} as const
