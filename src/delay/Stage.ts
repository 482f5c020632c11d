/**
 * Stage 5: moves waiting retries back when they are due. One fiber for each partition of the delay topics. Each topic
 * has one delay, so its first record is due first; with jitter a record stays at most 1.1 times the delay. Work that
 * is due later (`Retry-After`) moves to another delay topic, so it does not hold up records behind it. The move and
 * the commit are one transaction of the log, so a crash neither loses nor repeats work.
 */
import { Clock, Effect } from "effect"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { StageLimits } from "../config/StageLimits.ts"
import { DELIVERIES_TOPIC, type DeliveryWork, delayTopic, parseWork, workTopic } from "../domain/Delivery.ts"
import { delayOf, longestStayMs, type RetryPolicy } from "../domain/RetryPolicy.ts"
import { type AssignedPartition, EventLog, type LogRecord, type NewRecord } from "../log/EventLog.ts"

const GROUP = "delay"
/** Attempts 2 to 10 of a series have a topic each (topics/topics.json). */
const attemptOf = new Map(
  Array.from({ length: 9 }, (_, index): [string, number] => [delayTopic(index + 2), index + 2])
)

interface Waiting {
  readonly record: LogRecord
  /** Undefined if the record cannot be read: it returns at once, and the delivery actor reports it. */
  readonly work: DeliveryWork | undefined
  /** Unix milliseconds at which it leaves the topic. */
  readonly leavesAt: number
}

const waitingOf = (record: LogRecord, longestMs: number): Waiting => {
  const read = parseWork(record.value ?? "")
  // No stage makes work wait for longer. It would block the partition, so it counts as due.
  const isForged = read !== undefined && read.due_at > record.timestamp + Limits.workWaitsMostMs
  const work = isForged ? { ...read, due_at: 0 } : read
  return {
    record,
    work,
    leavesAt: work === undefined ? 0 : Math.min(work.due_at, record.timestamp + longestMs)
  }
}

/** The work topic if the work is due, otherwise the delay topic for the rest of its wait. */
const nextTopic = (policy: RetryPolicy, work: DeliveryWork | undefined, nowMs: number): string => {
  if (work === undefined) return DELIVERIES_TOPIC
  const waitMs = work.due_at - nowMs
  return waitMs > 0 ? delayTopic(delayOf(policy, work.series_attempt, waitMs)) : workTopic(work)
}

const run = Effect.fnUntraced(function* (partition: AssignedPartition) {
  const log = yield* EventLog
  const { retryPolicy } = yield* Settings
  const { delayBatchRecords, delaySleepMs } = yield* StageLimits
  const { topic, partition: number } = partition
  const longestMs = longestStayMs(retryPolicy, attemptOf.get(topic)!)

  while (true) {
    const records = yield* partition.take(delayBatchRecords)
    let waiting = records.map((record) => waitingOf(record, longestMs))
    while (waiting.length > 0) {
      const now = yield* Clock.currentTimeMillis
      const waitMs = waiting[0]!.leavesAt - now
      if (waitMs > 0) {
        yield* Effect.sleep(Math.min(waitMs, delaySleepMs))
        continue
      }
      const notDue = waiting.findIndex(({ leavesAt }) => leavesAt > now)
      const due = notDue === -1 ? waiting : waiting.slice(0, notDue)
      yield* log.transaction({
        append: due.map(
          ({ record: { key, value, headers }, work }): NewRecord => ({
            topic: nextTopic(retryPolicy, work, now),
            key,
            value,
            headers
          })
        ),
        commit: {
          group: GROUP,
          positions: [{ topic, partition: number, offset: due.at(-1)!.record.offset + 1 }]
        }
      })
      waiting = waiting.slice(due.length)
    }
  }
})

export const delay = Effect.flatMap(EventLog, (log) =>
  log.consume({ group: GROUP, topics: [...attemptOf.keys()] }, run)
)
