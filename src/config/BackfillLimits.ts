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
  /**
   * After so many rounds over all servers, about 7 s, a ledger counts as one that none of them has: fetching of history
   * fails, and an operator's order to skip the ledger is obeyed. An order for a wrong ledger does not skip one that is
   * only late.
   */
  ledgerRounds: 3,
  /** Orders to skip ledgers, of one network. Mainnet has four such ledgers. */
  skipOrders: 1_000
} as const
