/** Limits of connecting to hosts and of resolving their names (src/net); part of `Limits`. */
export const netLimits = {
  /** How long an address has before the next one of its host is tried too (RFC 8305, section 5). */
  connectTryMs: 250,
  /** Addresses of a host that are tried for one connection. */
  connectAddresses: 8,
  /**
   * Tries of the process beyond the first one of their connection. While there are more, an address is tried only after
   * the one before it has failed. A name may have many addresses that never answer, and each try uses a descriptor.
   */
  connectExtraTries: 1_024,
  /**
   * How long the program's other connections (PostgreSQL, Kafka, mail, telemetry) try one address of several. They use
   * Node's connector, which tries one at a time: long enough for a distant host, short enough for a dead one.
   */
  connectAloneMs: 2_500,
  /** A resolved address is used for its time to live, but at most for this long. */
  dnsLongestTtlMs: 60_000,
  /** The time to live of addresses that have none, such as those from the hosts file. They may change. */
  dnsUnknownTtlMs: 5_000,
  /** A name that did not resolve is not queried again within this time. */
  dnsFailureMs: 1_000,
  /** The timeout of a query to one DNS server, and how often it is asked while nobody answers. */
  dnsTryMs: 2_000,
  dnsTries: 3,
  /** How long the first answer, for IPv4 or IPv6, waits for the other (RFC 8305, section 3: "Resolution Delay"). */
  dnsOtherFamilyMs: 50,
  /** DNS names that are cached. */
  dnsNames: 10_000
} as const
