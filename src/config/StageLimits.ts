/**
 * Limits that the stages from events to deliveries read while they run. The stages read them from their context
 * (`yield* StageLimits`), where a test may provide smaller numbers. The program provides nothing: the defaults apply.
 */
import { Context } from "effect"

export const stageLimits = {
  /** Records that a stage reads at a time: enough to fill one SQL statement, few enough for memory. */
  takeBatchRecords: 500,
  /** Deliveries that route queues in one transaction. An event for more webhooks is routed in parts. */
  routeBatchDeliveries: 2_000,
  /** Deliveries of such a part. Events behind it wait for one part at a time. */
  routePartDeliveries: 500,
  /** While more deliveries than this wait for their part, no further events are read. Each takes up to 100 bytes. */
  routeDeferredMost: 200_000,
  /** Events that are routed while one before them has parts left. A restart reads them again. */
  routeAheadRecords: 10_000,
  /** How often route asks whether the last `deliver` of release 0.2 has stopped. */
  olderDeliverEveryMs: 1_000,
  /** Records that a delay partition keeps in memory while it waits. There are 54 such partitions. */
  delayBatchRecords: 100,
  /**
   * The longest sleep of a delay partition: a part of its topic's delay, within bounds. After it, the partition notes
   * where the log ends (delay/Wait.ts). If the clock is set back, a retry that waits behind others may be as much later.
   */
  delaySleep: { part: 1 / 16, leastMs: 5_000, mostMs: 60_000 },
  /**
   * Live deliveries queued or in flight per delivery partition, not counting `laneLeast`. Further ones wait in
   * PostgreSQL. There are 24 partitions, and a delivery has 1 to 2 KB.
   */
  partitionDeliveries: 2_000,
  /** Live deliveries that an actor reads at a time. */
  feedRecords: 100,
  /**
   * Nothing more is offered to a lane that has sent `manyPerSecond` in the last second, or is younger than `beginMs`, if it
   * has `queuedPart` of what it sends in a second queued, and at least `queuedLeast`, or a backlog that will be gone
   * within `drainsWithinMs`. The feed waits, and looks every `feedPollMs`, until its oldest record was in the log for
   * `feedWaitMs`: others are behind it. So deliveries to endpoints that are fast enough get no row before their outcome.
   */
  manyPerSecond: 50,
  beginMs: 100,
  queuedPart: 0.5,
  queuedLeast: 32,
  drainsWithinMs: 5_000,
  feedPollMs: 5,
  feedWaitMs: 1_000,
  /** A feed that has taken nothing for this long has nothing before it: it takes every few milliseconds. */
  feedIdleMs: 2_000,
  /**
   * `laneShare`: the part of a partition's free memory that one webhook may use, so one webhook alone gets half of it.
   * `laneLeast`: deliveries that each webhook may always have in memory, beyond that bound, so that webhooks that hang
   * cannot block others.
   */
  lanes: { laneShare: 0.5, laneLeast: 4 },
  /**
   * A delivery that has been queued in memory for longer than this gets its row, so the API shows it, and its offset may
   * be committed. Deliveries of healthy endpoints are faster, so they are written once, with their outcome.
   */
  unshownMs: 1_000,
  /** How often an actor looks for such deliveries while some are queued, and how many rows one statement writes. */
  showEveryMs: 250,
  showAtOnce: 500,
  /**
   * While fewer outcomes than this, over all webhooks, wait to be recorded, a webhook may send beyond its own. This is
   * what a crash repeats, besides the windows of webhooks.
   */
  unrecordedMost: 40,
  /**
   * Also while outcomes that wait plus attempts under way are fewer than this part of the outcomes recorded in
   * `repeatedOfMs`, and fewer than `repeatedMost`. Statements are then larger, and a crash repeats at most 1 % of the
   * deliveries. A single webhook is a third faster with it.
   */
  repeatedPart: 0.01,
  repeatedOfMs: 10_000,
  repeatedMost: 400,
  /** How long to wait before re-offering work whose previous attempt has not been recorded yet. */
  earlyWorkMs: 5_000,
  /** Backlog rows that a lane reads at a time. With a large backlog a lane queues one and a half pages. */
  lanePageRows: 100,
  /**
   * Deliveries that a lane queues from its backlog before it begins at the start again. A retry that came back
   * meanwhile is behind the place where it reads. So the retry waits for about 2,000 deliveries, and not for the end of
   * a backlog that may grow faster than its receiver answers. Rows in memory are read again, so it is no smaller than
   * `partitionDeliveries`.
   */
  laneWalkDeliveries: 2_000,
  /** Events read at a time for backlog rows, and how many such pieces are cached over all lanes: about 10 MB. */
  eventPieceRecords: 100,
  eventPieces: 32,
  /**
   * Bytes of the body of a batch, before compression; a single larger event is sent alone. nginx accepts 1 MiB unless
   * its `client_max_body_size` says otherwise. Batches take their events from a lane's memory, which is bounded.
   */
  batchBodyBytes: 1024 * 1024,
  /** A batch that may not wait for events still waits this long: a feed offers what it has read within it. */
  batchLeastWaitMs: 1,
  /** How often an actor commits its offset. A restart reads again what came after the last commit. */
  commitEveryMs: 100,
  /** How long a stopping actor waits for attempts in flight. An attempt takes up to 10 s by default. */
  drainMs: 11_000,
  /**
   * Connections in use to one origin, over all webhooks there. A single webhook gets a quarter, which is the largest
   * window (deliver/send/ConnectionLimiter.ts).
   */
  connectionsPerOrigin: 1_024,
  /** Connections in use in one process. One takes 10 to 50 KB. */
  connectionsInUse: 8_192,
  /** While more connections than this are open, in use or idle, each is closed when its request ends. */
  connectionsKept: 8_192,
  /**
   * Parts of the two bounds above that a webhook may use: deliver/send/ConnectionLimiter.ts has the formulas. `tried`: how
   * many waiting webhooks are tried when a connection becomes free.
   */
  connectionShares: { least: 16, shared: 0.75, tried: 16 },
  /**
   * An idle connection is closed after this: before the 5 s after which Node, Apache and uvicorn close theirs. A
   * response's `Keep-Alive: timeout` changes it, up to `connectionLifeMs`, less `connectionIdleMarginMs`.
   */
  connectionIdleMs: 4_500,
  connectionIdleMarginMs: 500,
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
  /** How long `/readyz` shows such a request. */
  shortageShownMs: 60_000,
  /** Outcomes written in one statement. */
  recorderBatch: 500,
  /** With this many outcomes a statement is worth its cost, whatever else is under way. */
  recorderEnough: 128,
  /** How long a statement waits for more outcomes. It costs as much as about fifty of its rows. */
  recorderGatherMs: 8,
  /**
   * Unfinished work of a partition of which a webhook's progress knows every single one, from the committed offset on.
   * One takes about 300 bytes in memory, in processes that are asked for progress.
   */
  progressRecords: 10_000,
  /**
   * How often upkeep looks for the beginnings and ends of webhooks' gaps. One is as many ledgers too wide as close in up to
   * two passes. It is much longer than `accountHoldsMs`: by the next pass, route knows of an end.
   */
  gapSweepMs: 5_000,
  /** How often secrets are tried that could not be opened: the key file may have been replaced. */
  openSecretsMs: 10_000,
  /** How often deliveries that wait for disabled webhooks are checked. */
  disabledSweepMs: 3_600_000,
  /** Replayed deliveries queued or in flight per delivery partition, in addition to live ones. */
  partitionReplays: 500,
  /** Replayed deliveries that an actor reads at a time. Live ones behind them wait for the read. */
  replayTakeRecords: 100,
  /** Replayed deliveries that a process starts before it yields, while no live ones are being sent. */
  replayIdleStarts: 32,
  /** Live deliveries count as being sent for this long after the last one. They come with ledgers, every 3 to 5 s. */
  replayLiveMs: 10_000,
  /** Replayed deliveries that start together while live ones are sent, and the time between such starts. */
  replayStarts: 4,
  replayStartsEveryMs: 2,
  /**
   * The pause after `replayStarts` starts, as a multiple of how late the event loop was, and its maximum. After fewer
   * starts it is shorter.
   */
  replayYield: 2,
  replayPauseMs: 100
}

export const StageLimits = Context.Reference<Readonly<typeof stageLimits>>("ledgerhook/config/StageLimits", {
  defaultValue: () => stageLimits
})
