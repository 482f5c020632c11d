/**
 * Combines waiting transactions into one write (group commit), as pure functions: `accept` gives the records their
 * offsets, and `batchOf` builds the rows to write.
 */
import { type Deferred, Exit } from "effect"
import {
  EventLogError,
  type LogRecord,
  type Partition,
  type Position,
  type Transaction
} from "../EventLog.ts"
import { byPartition, type PlacedTransaction, partitionKey, placeRecords } from "../PlaceRecords.ts"
import { kindOf } from "../Topics.ts"
import { rowsOf } from "./Rows.ts"
import type { Batch, Fence, GroupCommit } from "./Tables.ts"

export type WriteResult = Exit.Exit<ReadonlyArray<Position>, EventLogError>

export interface Request {
  readonly transaction: Transaction
  readonly answer: Deferred.Deferred<ReadonlyArray<Position>, EventLogError>
}

export interface Bounds {
  readonly start: number
  readonly end: number
}

/** This process's copy of what the tables contain. */
export interface LogState {
  readonly fence: Fence
  readonly partitions: Map<string, Bounds>
  readonly commits: Map<string, number>
}

export interface Accepted {
  readonly request: Request
  readonly placed: PlacedTransaction
}

const NOTHING: Bounds = { start: 0, end: 0 }

export const commitKey = (group: string, { topic, partition }: Partition): string =>
  `${group} ${partitionKey(topic, partition)}`

export const failed = (operation: EventLogError["operation"], { transaction }: Request, cause: unknown) =>
  new EventLogError({
    operation,
    topic: transaction.append[0]?.topic ?? transaction.commit?.positions[0]?.topic ?? "",
    cause
  })

/** Gives offsets to the records of each transaction. A transaction that throws is refused and takes no offsets. */
export const accept = (requests: ReadonlyArray<Request>, known: LogState, nowMs: number) => {
  const ends = new Map<string, number>()
  const accepted: Array<Accepted> = []
  const refused: Array<readonly [Request, WriteResult]> = []
  for (const request of requests) {
    const own = new Map<string, number>()
    try {
      const placed = placeRecords(
        request.transaction,
        nowMs,
        (topic, partition) => {
          const key = partitionKey(topic, partition)
          return own.get(key) ?? ends.get(key) ?? known.partitions.get(key)?.end ?? 0
        },
        (topic, partition, end) => void own.set(partitionKey(topic, partition), end)
      )
      for (const [key, end] of own) ends.set(key, end)
      accepted.push({ request, placed })
    } catch (defect) {
      refused.push([request, Exit.die(defect)])
    }
  }
  return { accepted, refused }
}

/**
 * If several transactions commit an offset of one partition, the last one counts, as if each had been written alone.
 */
const commitsOf = (requests: ReadonlyArray<Request>): ReadonlyMap<string, GroupCommit> => {
  const commits = new Map<string, GroupCommit>()
  for (const { transaction } of requests) {
    for (const position of transaction.commit?.positions ?? []) {
      const { group } = transaction.commit!
      commits.set(commitKey(group, position), { ...position, group })
    }
  }
  return commits
}

interface Group {
  readonly key: string
  /** Not empty. */
  readonly records: ReadonlyArray<LogRecord>
  readonly after: Bounds
}

/** The batch to write, and what it adds to each partition. */
export const batchOf = (
  accepted: ReadonlyArray<Accepted>,
  known: LogState
): { readonly batch: Batch; readonly groups: ReadonlyArray<Group> } => {
  const records = accepted.flatMap(({ placed }) => placed.records)
  const groups = [...byPartition(records)].map(([key, own]): Group => {
    const before = known.partitions.get(key) ?? NOTHING
    return { key, records: own, after: { ...before, end: own.at(-1)!.offset + 1 } }
  })
  const plain = groups.filter((group) => kindOf(group.records[0]!.topic) !== "compacted")
  const batch: Batch = {
    rows: plain.flatMap((group) => rowsOf(group.records)),
    compacted: records.filter(({ topic }) => kindOf(topic) === "compacted"),
    ends: groups.map((group) => {
      const { topic, partition } = group.records[0]!
      return { topic, partition, offset: group.after.end }
    }),
    commits: [...commitsOf(accepted.map(({ request }) => request)).values()]
  }
  return { batch, groups }
}
