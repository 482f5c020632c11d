/**
 * What the stages from events to deliveries read while they run. They take it from their context (`yield*
 * StageLimits`), where a test may put smaller numbers; nothing has to be provided in the program.
 */
import { Context } from "effect"

export const stageLimits = {
  /** Records a stage takes at once: enough to fill one SQL statement, small enough to hold in memory. */
  takeBatchRecords: 500,
  /** Deliveries one transaction of route queues. */
  routeBatchDeliveries: 2_000,
  /** Records a delay partition holds while it waits: there are 54 such partitions. */
  delayBatchRecords: 100,
  /** Longest sleep of a delay partition: after it the clock is read again, so that a jump is noticed. */
  delaySleepMs: 60_000,
  /**
   * Deliveries queued or in flight per delivery partition, but for `laneLeast`; what is beyond waits in PostgreSQL (24
   * partitions of 1 to 2 KB each).
   */
  partitionDeliveries: 2_000,
  /**
   * Part of a partition's free room that one webhook may hold, so that a lone one has half and many the same each; and
   * what each may always hold, on top of the bound: no number of webhooks that hang can keep another waiting.
   */
  lanes: { laneShare: 0.5, laneLeast: 4 },
  /**
   * Records taken after one that still waits in a queue, before that queue goes back to its rows: a webhook that hangs
   * does not keep the partition's offsets from being committed. In flight a delivery stays for one attempt at most.
   */
  partitionOpenRecords: 10_000,
  /**
   * What a crash repeats, beside the windows of webhooks: a webhook sends on beyond outcomes of its own that wait to be
   * recorded while, over all webhooks, fewer than this wait.
   */
  unrecordedMost: 40,
  /**
   * Or while these and all that is in flight are fewer than this part of what was recorded within these milliseconds,
   * and than this number: where much is delivered statements may be large, and a crash repeats at most the promised 1 %
   * of it. A lone webhook is a third faster with it.
   */
  repeatedPart: 0.01,
  repeatedOfMs: 10_000,
  repeatedMost: 400,
  /** How long to wait before re-offering work whose previous attempt has not been recorded yet. */
  earlyWorkMs: 5_000,
  /** Rows a lane pages from PostgreSQL at once; with half a page more it is what a lane of a large backlog queues. */
  lanePageRows: 100,
  /** Events read at once for such rows, and how many such pieces are kept, over all lanes: some ten MB. */
  eventPieceRecords: 100,
  eventPieces: 32,
  /** How often an actor commits what it has done: a restart reads again at most what was done since. */
  commitEveryMs: 100,
  /** How long a stopping actor waits for attempts in flight: one attempt takes up to 10 s by default. */
  drainMs: 11_000,
  /**
   * Connections in use to one origin, over all webhooks that point there: a lone webhook has a quarter, which is the widest
   * window (ConnectionLimiter.ts).
   */
  connectionsPerOrigin: 1_024,
  /** Connections in use in one process: one takes 10 to 50 KB. */
  connectionsInUse: 8_192,
  /** While more are open, in use or idle, none stays open when its request has ended. */
  connectionsKept: 8_192,
  /**
   * A webhook's first connections, as many as its window has by default, may use all of a bound and count as many times
   * against it; those beyond them may use this part of it. `tried`: webhooks that are tried when a connection is free.
   */
  connectionShares: { least: 16, shared: 0.75, tried: 16 },
  /** An idle connection is closed after this. */
  connectionIdleMs: 15_000,
  /** Outcomes written in one statement. */
  recorderBatch: 500,
  /** Outcomes for which a statement is worth its while, whatever else is under way. */
  recorderEnough: 128,
  /** How long a statement waits for more outcomes: it costs as much as some fifty of its rows. */
  recorderGatherMs: 8,
  /** How often deliveries that wait for disabled webhooks are checked. */
  disabledSweepMs: 3_600_000,
  /** Replayed deliveries queued or in flight per delivery partition, apart from the live ones. */
  partitionReplays: 500,
  /** Replayed deliveries an actor takes at once: reading them holds up the live ones behind. */
  replayTakeRecords: 100,
  /** How long replays of a partition wait for room in a webhook's lane: one that is stuck is put aside after this. */
  replayMemoryWaitMs: 1_000,
  /** Replayed deliveries that a process starts before everything else has its turn, while no live ones leave it. */
  replayIdleStarts: 32,
  /** Live ones are taken to go on for this long after the last: they come with ledgers, every 3 to 5 s. */
  replayLiveMs: 10_000,
  /** Replayed deliveries that start at once while live ones are sent, and the time between such starts. */
  replayStarts: 4,
  replayStartsEveryMs: 2,
  /** Pause after that many, as a multiple of how late the event loop came back to them, and its most; after fewer, less. */
  replayYield: 2,
  replayPauseMs: 100
}

export const StageLimits = Context.Reference<Readonly<typeof stageLimits>>("ledgerhook/config/StageLimits", {
  defaultValue: () => stageLimits
})
