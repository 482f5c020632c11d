/**
 * Limits of deliver. Those of `DeliverLimits` are read from the context, so a test can lower them.
 */
import { Context } from "effect"

export const responseLimits = {
  /** Bytes of a response body that are kept. The rest is not read. */
  responseBodyBytes: 16 * 1024,
  /**
   * How many headers of the response of a success are kept, and the characters of their names and values together: its
   * row must find room on its page (deliveries/Partitions.ts).
   */
  deliveredHeaders: { headers: 16, characters: 192 },
  /** Bytes of a response outside its body: headers, earlier responses, chunk extensions. */
  responseOverheadBytes: 64 * 1024,
  /** The longest time that `Retry-After` can add to a delay of the schedule. */
  retryAfterAddsMs: 10 * 60_000
} as const

export const deliverLimits = {
  /**
   * Live deliveries queued or in flight per delivery partition, not counting `laneLeast`. Further ones wait in
   * PostgreSQL. There are 24 partitions, and a delivery has 1 to 2 KB. A lane also reads so many rows of a backlog before
   * it begins at its start again, where retries that came back meanwhile are.
   */
  partitionDeliveries: 2_000,
  /** Replayed deliveries queued or in flight per delivery partition, in addition to live ones. */
  partitionReplays: 500,
  /** Deliveries that each webhook may always have in memory, so that webhooks that hang cannot block others. */
  laneLeast: 4,
  /** Records that an actor reads at a time. Others of the partition wait for the read. */
  feedRecords: 100,
  /**
   * A delivery that has been queued in memory for longer than this gets its row, so the API shows it, and its offset may
   * be committed.
   */
  rowAfterMs: 1_000,
  /** How long to wait before re-offering work whose previous attempt has not been recorded yet. */
  earlyWorkMs: 5_000,
  /** Backlog rows that a lane reads at a time. With a large backlog a lane queues one and a half pages. */
  lanePageRows: 100,
  /**
   * Bytes of the body of a batch, before compression; a single larger event is sent alone. nginx accepts 1 MiB unless
   * its `client_max_body_size` says otherwise. Batches take their events from a lane's memory, which is bounded.
   */
  batchBodyBytes: 1024 * 1024,
  /** How often an actor commits its offset. A restart reads again what came after the last commit. */
  commitEveryMs: 100,
  /** How long a stopping actor waits for attempts in flight. An attempt takes up to 10 s by default. */
  drainMs: 11_000,
  /**
   * Connections in use to one origin, over all webhooks there. A single webhook gets a quarter (ConnectionLimiter.ts),
   * which is the largest concurrency limit.
   */
  connectionsPerOrigin: 1_024,
  /** Connections in use in one process. One takes 10 to 50 KB. While more are open, each closes after its request. */
  connectionsInUse: 8_192,
  /**
   * An idle connection is closed after this: before the 5 s after which Node, Apache and uvicorn close theirs. A
   * response's `Keep-Alive: timeout` changes it, up to `connectionLifeMs`.
   */
  connectionIdleMs: 4_500,
  /**
   * No request begins on a connection that is older than this, minus up to a quarter by chance, so that connections
   * opened together do not end together. A busy webhook then follows a change of DNS.
   */
  connectionLifeMs: 60_000,
  /**
   * Bytes of long responses that a process stores for an account in a UTC day: 2,000 of the longest. Of further ones it
   * stores this many characters. 30 days of an account then have at most 1 GB.
   */
  longResponses: { bytes: 32 * 1024 * 1024, shortCharacters: 200 },
  /** The pause of a webhook after a request that this machine could not send: it lacked descriptors, ports or memory. */
  lackPauseMs: 1_000,
  /** Rows that a statement of deliver writes: outcomes, or deliveries that move to the backlog. */
  rowsAtOnce: 500,
  /** The recorder begins a statement when so many outcomes wait, because it costs as much as so many rows, ... */
  recordAtOnce: 50,
  /** ... or so long after the first of them. */
  recordEveryMs: 10,
  /**
   * While fewer outcomes than this are not recorded, a webhook may send beyond those of its own that fill its
   * concurrency limit. PostgreSQL writes one half while the other is sent. What a crash repeats is at most the sum of the
   * concurrency limits and this.
   */
  unrecordedMost: 100
}

export const DeliverLimits = Context.Reference<Readonly<typeof deliverLimits>>(
  "ledgerhook/deliver/DeliverLimits",
  {
    defaultValue: () => deliverLimits
  }
)
