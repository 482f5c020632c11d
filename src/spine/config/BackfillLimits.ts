/** Limits of fetching ledgers from before the service's first one, and of skipping ledgers; part of `Limits`. */
export const backfillLimits = {
  /**
   * How many ledgers before the service's first one a replay may ask for: about three weeks, which take hours to fetch.
   */
  backfillLedgers: 500_000,
  /**
   * Ledgers in one history range. A range is held in memory and appended in one transaction, with at most
   * `transactionRecords` events.
   */
  backfillRangeLedgers: 256,
  /** Orders to skip ledgers, of one network. Mainnet has four such ledgers. */
  skipOrders: 1_000
} as const
