/**
 * Combines waiting transactions into one write (group commit), as pure functions: `accept` gives the records their
 * offsets, and `writeOf` builds the rows to write.
 */
import { type Deferred, Exit } from "effect"
import {
  LogError,
  type LogRecord,
  OUTBOX_GROUP,
  type Partition,
  type Position,
  type Transaction
} from "../Log.ts"
import { commitKey, partitionKey, placeRecords, type RecordsByPartition } from "../PlaceRecords.ts"
import { kindOf } from "../Topics.ts"
import { type LogRow, rowsOf } from "./Rows.ts"
import type { GroupCommit, LogWrite } from "./Tables.ts"

export type WriteResult = Exit.Exit<ReadonlyArray<Position>, LogError>

export interface Request {
  readonly transaction: Transaction
  readonly answer: Deferred.Deferred<ReadonlyArray<Position>, LogError>
}

export const failed = (operation: LogError["operation"], { transaction }: Request, cause: unknown) =>
  new LogError({
    operation,
    topic: transaction.append[0]?.topic ?? transaction.commit?.positions[0]?.topic ?? "",
    cause
  })

export interface Accepted {
  /** What each request gets if the write succeeds. */
  readonly results: ReadonlyArray<readonly [Request, WriteResult]>
  readonly byPartition: RecordsByPartition
  /** If several requests commit an offset of one partition, the last one counts, as if each was written alone. */
  readonly commits: ReadonlyMap<string, GroupCommit>
}

/**
 * Gives offsets to the records of each transaction. A transaction that throws is refused and takes no offsets. `endOf`
 * returns a partition's end in the tables.
 */
export const accept = (
  requests: ReadonlyArray<Request>,
  endOf: (partition: Partition) => number,
  nowMs: number
): Accepted => {
  const results: Array<readonly [Request, WriteResult]> = []
  const all: RecordsByPartition = new Map()
  const commits = new Map<string, GroupCommit>()
  const nextOf = (partition: Partition, key: string) => {
    const last = all.get(key)?.at(-1)
    return last === undefined ? endOf(partition) : last.offset + 1
  }
  for (const request of requests) {
    try {
      const { commit } = request.transaction
      const { byPartition, positions } = placeRecords(request.transaction, nowMs, nextOf)
      for (const [key, records] of byPartition) {
        const before = all.get(key)
        if (before === undefined) all.set(key, records)
        else for (const record of records) before.push(record)
      }
      for (const position of commit?.positions ?? [])
        commits.set(commitKey(commit!.group, position), { ...position, group: commit!.group })
      results.push([request, Exit.succeed(positions)])
    } catch (defect) {
      results.push([request, Exit.die(defect)])
    }
  }
  return { results, byPartition: all, commits }
}

/** The rows to write. */
export const writeOf = ({ byPartition, commits }: Accepted): LogWrite => {
  const rows: Array<LogRow> = []
  const compacted: Array<LogRecord> = []
  const bases: Array<Position> = []
  const ends: Array<Position> = []
  for (const records of byPartition.values()) {
    const { topic, partition, offset } = records.at(-1)!
    bases.push({ topic, partition, offset: records[0]!.offset })
    if (kindOf(topic) === "compacted") compacted.push(...records)
    else rows.push(...rowsOf(records))
    ends.push({ topic, partition, offset: offset + 1 })
  }
  const committed = [...commits.values()]
  const read = committed.filter(
    ({ group, topic, partition }) =>
      group !== OUTBOX_GROUP && !byPartition.has(partitionKey(topic, partition))
  )
  return { rows, compacted, bases, read, ends, commits: committed }
}
