/** Limits of the rows of deliveries. */

export const deliveryRowLimits = {
  /** How much longer than RETENTION_DELIVERIES a waiting delivery is kept. A quota is used up for one month at most. */
  waitingKeptMs: 31 * 24 * 3_600_000
} as const
