/**
 * The partitioned, append-only log through which the stages exchange records. Adapters: memory (tests), PostgreSQL (one
 * process) and Kafka, all tested by test/spine/log/conformance. Guarantees: offsets of a partition only grow, and
 * readers see them in order, but offsets may be missing (compaction, Kafka's transaction markers). A transaction lands
 * whole or not at all, and is never seen in part. Records of one key go to one partition. A committed offset is the
 * next one to read. Reading is at least once: nothing here deduplicates. After an `LogError` of an append the outcome
 * is unknown: read the log before writing again.
 */
import { Context, type Effect, Schema, type Scope } from "effect"
import { errorText } from "../observe/Logging.ts"

/** What the members of consumer groups say of themselves, so that a newer process knows that an older one still runs. */
export type Release = `0.${number}`
export const RELEASE: Release = "0.4"

/** A group that reads nothing: what it commits are ids of rows of the outbox, and no offsets. */
export const OUTBOX_GROUP = "outbox"

/** A record to append. A null value is a tombstone: it deletes its key. */
export interface NewRecord {
  readonly topic: string
  readonly key: string
  readonly value: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Unix milliseconds. Default: the time of the append. */
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
  /** Of the schema that a registry had for the value when it was written. */
  readonly schemaId?: number
}

export interface Partition {
  readonly topic: string
  readonly partition: number
}

/** The position as text: `xrpl.mainnet.events/0@1234`. */
export const sourceOf = ({ topic, partition, offset }: Position): string => `${topic}/${partition}@${offset}`

/** For a commit, `offset` is the next one to read: the last handled one + 1. */
export interface Position extends Partition {
  readonly offset: number
}

export interface Transaction {
  readonly append: ReadonlyArray<NewRecord>
  /** More records of the transaction, built from the positions of `append`. A marker needs the offset of its events. */
  readonly appendThen?: (positions: ReadonlyArray<Position>) => ReadonlyArray<NewRecord>
  readonly commit?: { readonly group: string; readonly positions: ReadonlyArray<Position> }
}

/** One partition while this process owns it in its group. */
export interface AssignedPartition extends Partition {
  /** The offset at which reading starts. Records after it may have been handled by an earlier owner that died. */
  readonly startOffset: number
  /** The partition's end when it was assigned. */
  readonly endOffsetAtStart: number
  /**
   * The next records in order: at least one, at most `max`. Waits at the end. To apply back-pressure, do not call it.
   */
  readonly take: (max: number) => Effect.Effect<ReadonlyArray<LogRecord>, LogError>
  /**
   * Fails with the operation `fence` if the partition belongs, or may belong, to another owner by now. After any other
   * failure the commit may be tried again.
   */
  readonly commit: (offset: number) => Effect.Effect<void, LogError>
}

export interface ConsumeOptions {
  readonly group: string
  readonly topics: ReadonlyArray<string>
  /** Gives partition n of every topic to the same owner. The topics must have equally many partitions. */
  readonly together?: boolean
}

export class LogError extends Schema.TaggedError<LogError>()("LogError", {
  operation: Schema.Literals(["append", "read", "commit", "consume", "retention", "fence"]),
  /** Empty if the error concerns no single topic. */
  topic: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    const { cause, operation, topic } = this
    const reason = errorText(cause)
    return `the log failed to ${operation}${topic === "" ? "" : ` ${topic}`}: ${reason}`
  }
}

export class Log extends Context.Service<
  Log,
  {
    /** Writes all of it or nothing. Returns the positions of `append`, in its order. */
    readonly transaction: (transaction: Transaction) => Effect.Effect<ReadonlyArray<Position>, LogError>
    /**
     * Opens the only writer of this name across all processes. When it has opened, every transaction of earlier writers
     * of the name has been committed or aborted, and their later ones are refused (`LogError`, operation `fence`).
     * After a failure the writer itself may be refused: open another.
     */
    readonly exclusive: (name: string) => Effect.Effect<
      {
        readonly transaction: (transaction: Transaction) => Effect.Effect<ReadonlyArray<Position>, LogError>
      },
      LogError,
      Scope.Scope
    >
    /**
     * Joins `group` and runs `handle` for each partition of `topics` that this process owns, in a fiber of its own. The
     * fiber is interrupted when the partition is lost. If a handler fails or ends, the returned effect fails; otherwise
     * it never ends.
     */
    readonly consume: <E, R>(
      options: ConsumeOptions,
      handle: (partition: AssignedPartition) => Effect.Effect<void, E, R>
    ) => Effect.Effect<never, E | LogError, Exclude<R, Scope.Scope>>
    /** Records from the offset on, in order, at most `max`. Empty at the end. */
    readonly read: (from: Position, max: number) => Effect.Effect<ReadonlyArray<LogRecord>, LogError>
    /** Waits until the partition has a record at `offset` or later. */
    readonly awaitOffset: (position: Position) => Effect.Effect<void, LogError>
    /** The last record of the partition, if any. */
    readonly last: (partition: Partition) => Effect.Effect<LogRecord | undefined, LogError>
    /** The first offset that is kept, and the offset of the next append. */
    readonly offsets: (
      partition: Partition
    ) => Effect.Effect<{ readonly start: number; readonly end: number }, LogError>
    /**
     * What the cluster calls these topics: one that is deleted and made again has another id. Empty if the log is in the
     * database: there a topic is never made again alone. Fails if one of them is missing.
     */
    readonly topicIds: (topics: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, string>, LogError>
    /** Succeeds if the log answers. */
    readonly reachable: Effect.Effect<void, LogError>
    /** The group's committed offset in the partition; 0 if there is none. */
    readonly committed: (group: string, partition: Partition) => Effect.Effect<number, LogError>
    /** Whether a process of a release before this one (`0.4`) is a member of the group. */
    readonly hasMemberBefore: (release: Release, group: string) => Effect.Effect<boolean, LogError>
    /**
     * Drops records that are older than their topic's retention, and superseded records of compacted topics. The newest
     * record of a topic with `keeps_newest` (topics/topics.json) stays, since it is a checkpoint.
     */
    readonly applyRetention: Effect.Effect<void, LogError>
  }
>()("ledgerhook/log/Log") {}

/** Read access, also for a process that does not own the log. */
export class LogReader extends Context.Service<
  LogReader,
  Pick<Log["Service"], "read" | "last" | "offsets" | "committed">
>()("ledgerhook/log/LogReader") {}
