/** Limits of connecting to hosts and of resolving their names. */

export const netLimits = {
  /**
   * Tries of the process beyond the first one of their connection. While there are more, an address is tried only after
   * the one before it has failed. A name may have many addresses that never answer, and each try uses a descriptor.
   */
  connectExtraTries: 1_024,
  /** A resolved address is used for its time to live, but at most for this long. */
  dnsLongestTtlMs: 60_000,
  /** The timeout of a query to one DNS server. */
  dnsTryMs: 2_000,
  /** DNS names that are cached. */
  dnsNames: 10_000
} as const
