/**
 * The partitioned, append-only log in which the stages meet: one port, with adapters in memory (tests), in PostgreSQL
 * (one process) and on Kafka, which one suite tests (test/conformance).
 *
 * Promises: within a partition offsets only grow and a reader sees them in order (dense here; Kafka's transaction
 * markers and compaction leave holes, so readers must not assume density); a transaction lands whole or not at all and is
 * never seen in part; records of one key go to one partition; a committed offset is the next one to read. Delivery is
 * at least once: nothing here deduplicates, and a failed write may have landed (`EventLogError` after an append means
 * "unknown"): read back before writing again.
 */
import { Context, type Effect, Schema, type Scope } from "effect"

/** A record to append. A null value is a tombstone: compaction forgets its key. */
export interface NewRecord {
  readonly topic: string
  readonly key: string
  readonly value: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Unix milliseconds; by default the moment of the append. */
  readonly timestamp?: number
}

export interface LogRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: string
  readonly value: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly timestamp: number
}

export interface Partition {
  readonly topic: string
  readonly partition: number
}

/** Where a record is found: `xrpl.mainnet.events/0@1234`. */
export const sourceOf = ({ topic, partition, offset }: Position): string => `${topic}/${partition}@${offset}`

/** As an offset to commit it is the next one to read: last handled + 1. */
export interface Position extends Partition {
  readonly offset: number
}

export interface Transaction {
  readonly append: ReadonlyArray<NewRecord>
  /** More records of the same transaction, made from where `append` landed (a ledger's marker names its events). */
  readonly appendThen?: (positions: ReadonlyArray<Position>) => ReadonlyArray<NewRecord>
  readonly commit?: { readonly group: string; readonly positions: ReadonlyArray<Position> }
}

/** One partition while this process owns it in its group. */
export interface AssignedPartition extends Partition {
  /** Where reading began. Records below the head of that moment may have been handled before, by an owner that died. */
  readonly startOffset: number
  /** The partition's end when it was assigned. */
  readonly endOffsetAtStart: number
  /** The next records in order, at least one and at most `max`; waits at the head. Not calling it is back-pressure. */
  readonly take: (max: number) => Effect.Effect<ReadonlyArray<LogRecord>, EventLogError>
  /** Refused (`EventLogError`, operation `commit`) once the partition belongs to another owner. */
  readonly commit: (offset: number) => Effect.Effect<void, EventLogError>
}

export interface ConsumeOptions {
  readonly group: string
  readonly topics: ReadonlyArray<string>
  readonly together?: boolean
}

export class EventLogError extends Schema.TaggedError<EventLogError>()("EventLogError", {
  operation: Schema.Literals(["append", "read", "commit", "consume", "retention", "fence"]),
  /** Empty where it is of no topic. */
  topic: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    const { cause, operation, topic } = this
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause)
    return `the log failed to ${operation}${topic === "" ? "" : ` ${topic}`}: ${reason}`
  }
}

export class EventLog extends Context.Service<
  EventLog,
  {
    /** All or nothing. Positions are those of `append`, in its order. */
    readonly transaction: (transaction: Transaction) => Effect.Effect<ReadonlyArray<Position>, EventLogError>
    /**
     * A writer of its own for what must have one writer over all processes. Opening it ends every earlier one of that
     * name: what those had under way has been committed or aborted by then, and what they send later is refused
     * (`EventLogError`, operation `fence`). A writer that has failed once may be refused as well: open another.
     */
    readonly exclusive: (name: string) => Effect.Effect<
      {
        readonly transaction: (
          transaction: Transaction
        ) => Effect.Effect<ReadonlyArray<Position>, EventLogError>
      },
      EventLogError,
      Scope.Scope
    >
    /**
     * Owns partitions of `topics` in `group` for the life of the scope and runs `handle` for each, in a fiber that is
     * interrupted when the partition is lost. A handler that fails or ends stops the consumer: the error comes out of
     * the returned effect, which otherwise never ends. `together`: partition n of each topic (they have as many) goes to
     * the same owner, if not at the same moment.
     */
    readonly consume: <E, R>(
      options: ConsumeOptions,
      handle: (partition: AssignedPartition) => Effect.Effect<void, E, R>
    ) => Effect.Effect<never, E | EventLogError, Exclude<R, Scope.Scope>>
    /** Records with `from` <= offset, in order, at most `max`; empty at the head. Records before retention are gone. */
    readonly read: (from: Position, max: number) => Effect.Effect<ReadonlyArray<LogRecord>, EventLogError>
    /** Waits until the partition holds a record at `offset` or beyond. */
    readonly awaitOffset: (position: Position) => Effect.Effect<void, EventLogError>
    /** The last record of the partition, if any. */
    readonly last: (partition: Partition) => Effect.Effect<LogRecord | undefined, EventLogError>
    /** First retained offset and the offset of the next append. */
    readonly offsets: (
      partition: Partition
    ) => Effect.Effect<{ readonly start: number; readonly end: number }, EventLogError>
    /** Offset of the first record whose timestamp is at or after `unixMs`; the end when there is none. */
    readonly offsetAtTime: (partition: Partition, unixMs: number) => Effect.Effect<number, EventLogError>
    /** Fails while the log does not answer. */
    readonly reachable: Effect.Effect<void, EventLogError>
    /** The group's committed position in the partition: 0 when there is none. */
    readonly committed: (group: string, partition: Partition) => Effect.Effect<number, EventLogError>
    /**
     * Drops what the topics' retention no longer keeps, and superseded records of compacted topics. The newest record of
     * a topic that is a checkpoint stays (`keeps_newest` in topics/topics.json).
     */
    readonly applyRetention: Effect.Effect<void, EventLogError>
  }
>()("ledgerhook/log/EventLog") {}

/** What a process may do with a log that it does not own. */
export class EventLogReader extends Context.Service<
  EventLogReader,
  Pick<EventLog["Service"], "read" | "last" | "offsets" | "committed">
>()("ledgerhook/log/EventLogReader") {}
