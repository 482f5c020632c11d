/**
 * Copies topics from one log to another. How far a topic is copied is committed in the transaction that appends the
 * copies, so a copy that was killed continues without a gap or a duplicate. The position belongs to the group `move`
 * of the target; `finishCopies` resets it, so that a later move into the same log does not take it for its own.
 */
import { Effect } from "effect"
import { Limits } from "../../../spine/config/Limits.ts"
import { makeCursor } from "../../../spine/log/Cursor.ts"
import {
  type Log,
  type LogReader,
  type LogRecord,
  type Partition,
  type Position,
  sourceOf,
  type Transaction
} from "../../../spine/log/Log.ts"
import { failed } from "../../../terminal/Failure.ts"
import { makeOffsetMap, type OffsetMap } from "./OffsetMap.ts"

/** How often a transaction of the other log is tried, and the wait in between. */
const TRIES = 5
const RETRY_MS = 1_000

type Source = LogReader["Service"]
type Target = Pick<Log["Service"], "transaction" | "committed" | "offsets" | "read">

const GROUP = "move"

/** Records that must stay consecutive: they are appended in one transaction. */
export interface Unit {
  readonly offset: number
  readonly records: number
}

export interface CopyOptions {
  readonly partition: Partition
  /** The first source offset to copy. */
  readonly from: number
  /** Ascending, without overlap. */
  readonly units?: ReadonlyArray<Unit>
  readonly rewrite?: (value: string | null) => string | null
  readonly onCopied: (records: number) => Effect.Effect<void>
}

const unchanged = (value: string | null) => value

/** Fails if the target has records that are not of an interrupted move. */
const startOf = Effect.fnUntraced(function* (target: Target, { partition, from }: CopyOptions) {
  const copied = yield* target.committed(GROUP, partition)
  const { end, start } = yield* target.offsets(partition)
  if (copied === 0 && end > start) {
    return yield* failed(
      `the topic ${partition.topic} of the other log contains records already; set KAFKA_TOPIC_PREFIX to an unused prefix, or choose another log.`
    )
  }
  return Math.max(from, copied)
})

/** The records of the next transaction. Empty at the end. */
const nextRecords = Effect.fnUntraced(function* (
  source: Source,
  partition: Partition,
  offset: number,
  units: ReadonlyArray<Unit>
) {
  const page = yield* source.read({ ...partition, offset }, Limits.logReadRecords)
  const first = page[0]
  if (first === undefined) return []
  const inUnit = ({ offset: at, records }: Unit) => at <= first.offset && first.offset < at + records
  const unit = units.find(inUnit)
  if (unit === undefined) {
    const before = units.find(({ offset: at }) => at > first.offset)?.offset ?? Number.POSITIVE_INFINITY
    return page.filter((record) => record.offset < before)
  }
  const end = unit.offset + unit.records
  const records: Array<LogRecord> = []
  for (let next = first.offset; next < end; ) {
    const more = yield* source.read(
      { ...partition, offset: next },
      Math.min(end - next, Limits.logReadRecords)
    )
    const last = more.at(-1)
    if (last === undefined) break
    records.push(...more.filter((record) => record.offset < end))
    next = last.offset + 1
  }
  return records
})

/** Tries until the transaction has landed once. After a failure its commit shows whether it has. */
const landOnce = (target: Target, transaction: Transaction, to: Position) =>
  target.transaction(transaction).pipe(
    Effect.asVoid,
    Effect.catchTag("LogError", (error) =>
      Effect.gen(function* () {
        yield* Effect.logWarning("copying records failed", error)
        yield* Effect.sleep(RETRY_MS)
        if ((yield* target.committed(GROUP, to)) < to.offset) return yield* error
      })
    ),
    Effect.retry({ times: TRIES - 1 })
  )

/** Copies what is not copied yet. */
export const copyPartition = Effect.fnUntraced(function* (
  source: Source,
  target: Target,
  options: CopyOptions
) {
  const { partition, units = [], rewrite = unchanged, onCopied } = options
  let offset = yield* startOf(target, options)
  while (true) {
    const records = yield* nextRecords(source, partition, offset, units)
    const last = records.at(-1)
    if (last === undefined) return
    offset = last.offset + 1
    const append = records.map(({ topic, key, value, headers, timestamp }) => ({
      topic,
      key,
      value: rewrite(value),
      headers,
      timestamp
    }))
    const to = { ...partition, offset }
    yield* landOnce(target, { append, commit: { group: GROUP, positions: [to] } }, to)
    yield* onCopied(records.length)
  }
})

/** A cursor at the first record that is kept, and where the partition begins and ends. */
const cursorOf = Effect.fnUntraced(function* (log: Pick<Source, "read" | "offsets">, partition: Partition) {
  const ends = yield* log.offsets(partition)
  return { ends, next: makeCursor(log, { ...partition, offset: ends.start }).next }
})

/** Compares the copies with their originals, record by record, and returns where each is. */
export const compareCopies = Effect.fnUntraced(function* (
  source: Source,
  target: Target,
  partition: Partition,
  rewrite: (value: string | null) => string | null = unchanged
): Effect.fn.Return<OffsetMap, Effect.Error<ReturnType<Source["read"]>> | ReturnType<typeof failed>> {
  const [originals, copies] = [yield* cursorOf(source, partition), yield* cursorOf(target, partition)]
  const { add, finish } = makeOffsetMap(originals.ends, copies.ends)
  while (true) {
    const [original, copy] = [yield* originals.next, yield* copies.next]
    if (original === undefined && copy === undefined) return finish()
    if (
      original === undefined ||
      copy === undefined ||
      original.key !== copy.key ||
      rewrite(original.value) !== copy.value
    ) {
      const at = copy ?? original
      return yield* failed(
        `the copy differs from the original at ${at === undefined ? partition.topic : sourceOf(at)}: the log that is moved has changed since the move began, or the other log is in use. Set KAFKA_TOPIC_PREFIX to an unused prefix, or choose another log, and begin anew.`
      )
    }
    add(original.offset, copy.offset)
  }
})

/** Call it once everything is moved. */
export const finishCopies = (target: Target, partitions: ReadonlyArray<Partition>) =>
  target.transaction({
    append: [],
    commit: { group: GROUP, positions: partitions.map((partition) => ({ ...partition, offset: 0 })) }
  })
