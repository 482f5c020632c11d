/** Limits of what callers can use, with and without a key. */

export const httpLimits = {
  /** Requests that wait for admission. One statement admits all of them. Any further request gets a 503. */
  admissionQueue: 5_000,
  /** The longest time between a request's first and last byte, so that slow senders cannot block connections. */
  requestReceiveMs: 30_000,
  /** How long the answer to a request with an `Idempotency-Key` is kept: a day, as customers know it from others. */
  idempotencyKeptMs: 24 * 3_600_000,
  /**
   * An idle connection is closed after this long, plus a second. Load balancers close theirs after 60 s: if the service
   * were first, their next request could meet the close.
   */
  apiIdleMs: 75_000,
  /**
   * Bytes that each connection may have in memory without a budget: of a request body, and of later requests that are
   * read ahead (plus or minus one read of 64 KiB). 1,000 connections have 16 MiB of bodies at most. Larger bodies, and
   * those whose length is not known, are `large`.
   */
  connectionBytes: 16 * 1024,
  /** A body where none is used: clients that always send one send `{}`. */
  unusedBodyBytes: 1_024,
  /** Bytes of large bodies in memory. Each takes up to three times its size while it is parsed. */
  bodyBytes: 64 * 1024 * 1024,
  /** A connection whose request or response makes no progress for this long is closed. */
  connectionStallMs: 60_000,
  /**
   * Requests of one account that run at once in a process, and those that wait for their turn. More than `atOnce` are
   * no faster: a request takes a few ms, most of it in the database. A request takes its turn when its body has been
   * read. More than `waiting` are a fault of the client; they are refused.
   */
  accountRequests: { atOnce: 20, waiting: 200 }
} as const
