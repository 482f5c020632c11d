/** Limits of fetching ledgers from before the service's first one, and of skipping ledgers; part of `Limits`. */
export const backfillLimits = {
  /**
   * How many ledgers before the service's first one a replay may ask for: about three weeks, which take hours to fetch.
   */
  backfillLedgers: 500_000,
  /** Ledgers in one history range, and its events. A range is held in memory and appended in one transaction. */
  backfillRangeLedgers: 256,
  backfillRangeEvents: 5_000,
  /** How often all servers are asked for a ledger that none of them has. They will not get it later. */
  backfillRounds: 3,
  /** Fetching fails if no server has sent a ledger within this time, rate limits and reconnections included. */
  backfillAnswerMs: 300_000,
  /** How often open history requests are checked. If a job is cancelled, fetching stops within this time. */
  backfillPollMs: 500,
  /**
   * The events of a time before the kept events are estimated from the rate of the kept events in this much time
   * after it.
   */
  backfillSampleMs: 24 * 3_600_000,

  // --- skipped ledgers
  /**
   * How many rounds over all servers must fail before a ledger is skipped by an operator's order: about 7 s, so that an
   * order for a wrong ledger does not skip one that is only late.
   */
  skipRounds: 3,
  /** Orders to skip ledgers, of one network. Mainnet has four such ledgers. */
  skipOrders: 1_000,
  /** Characters of an operator's reason for skipping a ledger. */
  skipReasonLength: 200
} as const
