/** Limits of the event streams of one process. Streams read them from their context, so a test can lower them. */
import { Context } from "effect"
import { Limits } from "../../../spine/config/Limits.ts"

export const streamLimits = {
  /** Open streams of one account and kind: enough for a few programs and developers. One if half of `inAll` are open. */
  perAccount: 10,
  /** Open streams of all accounts: a quarter of `connections`, also where open files bound these. New connections never replace these. */
  inAll: Limits.connections / 4,
  /** Newest events of a network that its streams share in memory, and their characters: a few minutes of mainnet. */
  recentEvents: 5_000,
  recentChars: 8 * 1024 * 1024,
  /**
   * Records in one read of the log. A stream that is behind the shared events reads the log itself and keeps what it
   * has read until its reader has taken it. Of each account one such stream reads at a time, and `readsAtOnce` of all.
   */
  readRecords: 200,
  readsAtOnce: 4,
  /** Characters in one write. The next write waits until the connection has taken this one. */
  pieceChars: 32 * 1024,
  /**
   * A stream ends if its reader takes nothing of a write for this long, or if the database does not say for this long
   * whether its key may be used. A network's newest events stay in memory for as long after its last stream, for readers
   * that reconnect.
   */
  stalledMs: 30_000,
  /**
   * If a stream once had all events, and then was behind for this long, it ends: its reader is slower than the
   * ledger.
   */
  behindMs: 60_000,
  /** Between checks of all streams: whether their keys may still be used, and whether their readers take anything. */
  checkMs: 1_000
}

export const StreamLimits = Context.Reference<Readonly<typeof streamLimits>>(
  "ledgerhook/config/StreamLimits",
  { defaultValue: () => streamLimits }
)
