/**
 * Stage 5: moves waiting retries back when they are due. One fiber for each partition of the delay topics. Each topic
 * has one delay, so its first record is due first; with jitter a record stays at most 1.1 times the delay. Work that
 * is due later (`Retry-After`) moves to another delay topic, so it does not hold up records behind it. The move and
 * the commit are one transaction of the log, so a crash neither loses nor repeats work. Wait.ts says what follows if
 * the wall clock is set.
 */
import { Effect } from "effect"
import { Settings } from "../config/Config.ts"
import { DELIVERIES_TOPIC, type DeliveryWork, delayTopic, parseWork, workTopic } from "../domain/Delivery.ts"
import { delayOf, longestStayMs } from "../domain/RetryPolicy.ts"
import { type AssignedPartition, Log, type LogRecord, type NewRecord } from "../log/Log.ts"
import { showAge } from "../observe/StageAges.ts"
import { type BothClocks, bothClocks, monotonicClock, monotonicNow } from "../words/Monotonic.ts"
import { DelayLimits } from "./Limits.ts"
import { type Sighting, waitOf } from "./Wait.ts"

/**
 * The longest sleep of a delay partition: a part of its topic's delay, within bounds. After it, the partition notes
 * where the log ends (delay/Wait.ts). If the clock is set back, a retry that waits behind others may be as much later.
 */
export const SLEEP = { part: 1 / 16, leastMs: 5_000, mostMs: 60_000 }

const GROUP = "delay"
/** Attempts 2 to 10 of a series have a topic each (topics/topics.json). */
const attemptOf = new Map(
  Array.from({ length: 9 }, (_, index): [string, number] => [delayTopic(index + 2), index + 2])
)

interface WaitingRetry {
  readonly record: LogRecord
  /** Undefined if the record cannot be read: it returns at once, and the delivery actor reports it. */
  readonly work: DeliveryWork | undefined
  /** When the work is due, and when the record leaves the topic, on the monotonic clock. */
  readonly dueAt: number
  readonly leavesAt: number
}

const run = Effect.fnUntraced(function* (partition: AssignedPartition) {
  const log = yield* Log
  const { retryPolicy } = yield* Settings
  const { delayBatchRecords } = yield* DelayLimits
  const { topic, partition: number } = partition
  const longestMs = longestStayMs(retryPolicy, attemptOf.get(topic)!)
  const sleepMs = Math.min(SLEEP.mostMs, Math.max(SLEEP.leastMs, longestMs * SLEEP.part))
  let sightedAt = yield* monotonicNow
  let sightings: ReadonlyArray<Sighting> = [{ end: partition.endOffsetAtStart, atMs: sightedAt }]
  let next = partition.startOffset
  const nowMs = yield* monotonicClock
  let firstLeavesAt: number | undefined
  yield* showAge("delay", () => (firstLeavesAt === undefined ? 0 : Math.max(0, nowMs() - firstLeavesAt)))

  /** Whether no record follows those that were taken. */
  const nothingFollows = Effect.suspend(() => log.read({ topic, partition: number, offset: next }, 1)).pipe(
    Effect.map((records) => records.length === 0),
    Effect.orElseSucceed(() => false)
  )

  /** Notes where the log ends, if it answers, for the records behind those that wait in memory. */
  const sight = Effect.gen(function* () {
    if ((yield* monotonicNow) - sightedAt < sleepMs / 2) return
    const { end } = yield* log.offsets(partition)
    sightedAt = yield* monotonicNow
    sightings = sightings.filter((one) => one.end > next)
    if (end > (sightings.at(-1)?.end ?? next)) sightings = [...sightings, { end, atMs: sightedAt }]
  }).pipe(Effect.ignore)

  /** The record for the work topic if the work is due, otherwise for the delay topic of the rest of its wait. */
  const moved = ({ record, work, dueAt }: WaitingRetry, { monotonicMs, wallMs }: BothClocks): NewRecord => {
    const { headers, key, value } = record
    if (work === undefined) return { topic: DELIVERIES_TOPIC, key, value, headers }
    const waitMs = dueAt - monotonicMs
    if (waitMs <= 0) return { topic: workTopic(work), key, value, headers }
    return {
      topic: delayTopic(delayOf(retryPolicy, work.series_attempt, waitMs)),
      key,
      value: JSON.stringify({ ...work, due_at: Math.ceil(wallMs + waitMs) }),
      headers,
      timestamp: wallMs
    }
  }

  while (true) {
    const isAtEnd = yield* nothingFollows
    const records = yield* partition.take(delayBatchRecords)
    next = records.at(-1)!.offset + 1
    const taken = yield* bothClocks
    let waiting = records.map((record): WaitingRetry => {
      const work = parseWork(record.value ?? "")
      const wait = work && waitOf(work, { ...record, isNew: isAtEnd }, longestMs, sightings, taken)
      return { record, work, dueAt: wait?.dueAt ?? 0, leavesAt: wait?.leavesAt ?? 0 }
    })
    while (waiting.length > 0) {
      yield* sight
      const now = yield* bothClocks
      firstLeavesAt = waiting[0]!.leavesAt
      const waitMs = firstLeavesAt - now.monotonicMs
      if (waitMs > 0) {
        yield* Effect.sleep(Math.min(waitMs, sleepMs))
        continue
      }
      const notDue = waiting.findIndex(({ leavesAt }) => leavesAt > now.monotonicMs)
      const due = notDue === -1 ? waiting : waiting.slice(0, notDue)
      yield* log.transaction({
        append: due.map((one) => moved(one, now)),
        commit: {
          group: GROUP,
          positions: [{ topic, partition: number, offset: due.at(-1)!.record.offset + 1 }]
        }
      })
      waiting = waiting.slice(due.length)
    }
    firstLeavesAt = undefined
  }
})

export const delay = Effect.flatMap(Log, (log) =>
  log.consume({ group: GROUP, topics: [...attemptOf.keys()] }, run)
)
