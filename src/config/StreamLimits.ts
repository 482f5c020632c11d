/** Bounds of event streams, of one process; a stream reads them from its context, and a test may provide smaller ones. */
import { Context } from "effect"

const streamLimits = {
  /** Open streams of one account: a few programs and a developer or two. */
  perAccount: 10,
  /** Open streams in all: a quarter of the connections (`connections`), which a flood of other callers cannot end. */
  inAll: 250,
  /** A stream that has sent nothing for this long sends a comment: well within the 60 s after which proxies hang up. */
  heartbeatMs: 15_000,
  /** Between reads of a network's newest events, one for all streams. Ledgers close every 3 to 5 s. */
  pollMs: 200,
  /** Newest events of a network that its streams share in memory, and their characters: some minutes of mainnet. */
  recentEvents: 5_000,
  recentChars: 8 * 1024 * 1024,
  /**
   * Records read at once, for all streams or for one that is further behind, which keeps them until its reader has taken them;
   * and how many of the latter read at once.
   */
  readRecords: 200,
  readsAtOnce: 4,
  /** Characters written at once; more wait until the reader has taken these. */
  pieceChars: 32 * 1024,
  /** A reader that takes nothing of what was written for this long is cut. */
  stalledMs: 30_000,
  /** So is one that had all events and has not had all of them for this long: it is slower than the ledger. */
  behindMs: 60_000,
  /** How long a stream that has been ended may take to say so before its connection is closed. */
  endingMs: 2_000,
  /** Between checks of the keys of all streams, and of the readers that are to be cut. */
  checkMs: 1_000,
  /** A stream whose key could not be checked for this long, since the database is away, ends. */
  uncheckedMs: 30_000,
  /** How long the newest events of a network are kept after its last stream: for readers that connect again. */
  idleMs: 30_000
}

export const StreamLimits = Context.Reference<Readonly<typeof streamLimits>>(
  "ledgerhook/config/StreamLimits",
  { defaultValue: () => streamLimits }
)
