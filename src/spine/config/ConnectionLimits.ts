/** Limits of what callers can use, with and without a key; part of `Limits`. */
export const connectionLimits = {
  /**
   * Connections to PORT. One more connection ends the connection whose last request is the oldest and which has no
   * event stream, so a new caller always gets in. Each holds at most one unsent answer and 160 KiB of unread requests
   * (twice `connectionBytes` and a read of 64 KiB).
   */
  connections: 1_000,
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
  /**
   * A stream of events sends a comment after this long without an event. Many proxies close a connection after 60 s of
   * silence.
   */
  heartbeatMs: 15_000,
  /** Bytes of large bodies in memory. Each takes up to three times its size while it is parsed. */
  bodyBytes: 64 * 1024 * 1024,
  /** A connection whose request or response makes no progress for this long is closed. */
  connectionStallMs: 60_000,
  /**
   * Requests of one account that run at once in a process, and those that wait for their turn. More than `atOnce` are
   * no faster: a request takes a few ms, most of it in the database. A request takes its turn when its body has been
   * read. More than `waiting` are a fault of the client; they are refused.
   */
  accountRequests: { atOnce: 20, waiting: 200 },
  /**
   * Requests for test events that wait for the first attempt, in one process: up to 200 looks at the database in a
   * second. Others are answered at once. One account has at most `accountRequests.atOnce` of them.
   */
  testsWaiting: 100
} as const
