/** Limits of what callers without a key can use; part of `Limits`. */
export const connectionLimits = {
  /**
   * Connections to PORT. One more ends the connection whose last request is the oldest and which has no event stream, so
   * a new caller always gets in. Each holds at most one unsent answer and 160 KiB of unread requests (twice
   * `connectionInputBytes` and a read of 64 KiB).
   */
  connections: 1_000,
  /** Bytes of later requests read ahead on one connection, give or take one read of 64 KiB. */
  connectionInputBytes: 16 * 1024,
  /** Bytes of a request's body given to the parser at once: no more than 42 further requests can hide behind its end. */
  connectionBodyPieceBytes: 1_024,
  /** A connection on which nothing moves for this long is closed, also when its answer is not being read. */
  connectionStallMs: 60_000,
  /**
   * `starts`: how many requests without a key may start in a row before other work of the process runs. `pauseMs`: the
   * longest pause after them. Probes are cheap and must not look late: on a machine that is overloaded many times over 100 a second still
   * start. Others may be a large document each.
   */
  keylessProbes: { starts: 20, pauseMs: 20 },
  keylessOthers: { starts: 2, pauseMs: 50 },
  /**
   * In a process that does more than serve the API, that pause: a multiple of how long they and everything else then
   * kept the event loop. Beside deliveries they get a tenth of its time.
   */
  keylessYield: 9,
  /** `/readyz` asks the database at most this often, however many callers ask. */
  readyCheckEveryMs: 100
} as const
