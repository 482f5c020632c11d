/**
 * Stage 5: back when due. One fiber per partition of the delay topics; a topic's delay is constant, so its head is due
 * first and the others wait behind it (jitter included, a record waits at most 1.1 times its delay). Moving work back
 * and the commit are one transaction of the log: nothing returns twice, nothing is lost.
 */
import { Clock, Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { DELIVERIES_TOPIC, type DeliveryWork, delayTopic } from "../domain/Delivery.ts"
import { type AssignedPartition, EventLog, type LogRecord, type NewRecord } from "../log/EventLog.ts"

const GROUP = "delay"
/** Attempts 2 to 10 of a series have a topic each (topics/topics.json). */
const topics = Array.from({ length: 9 }, (_, index) => delayTopic(index + 2))

/** Unix milliseconds; what cannot be read goes back at once, for the actor to report. */
const dueAt = (record: LogRecord): number => {
  try {
    // Written by deliver in this shape.
    const { due_at } = JSON.parse(record.value ?? "") as DeliveryWork
    return typeof due_at === "number" ? due_at : 0
  } catch {
    return 0
  }
}

const back = (record: LogRecord): NewRecord => ({
  topic: DELIVERIES_TOPIC,
  key: record.key,
  value: record.value,
  headers: record.headers
})

const run = Effect.fnUntraced(function* (partition: AssignedPartition) {
  const log = yield* EventLog
  const { topic, partition: number } = partition

  while (true) {
    let waiting = yield* partition.take(Limits.delayBatchRecords)
    while (waiting.length > 0) {
      const now = yield* Clock.currentTimeMillis
      const waitMs = dueAt(waiting[0]!) - now
      if (waitMs > 0) {
        yield* Effect.sleep(Math.min(waitMs, Limits.delaySleepMs))
        continue
      }
      const notDue = waiting.findIndex((record) => dueAt(record) > now)
      const due = notDue === -1 ? waiting : waiting.slice(0, notDue)
      yield* log.transaction({
        append: due.map(back),
        commit: { group: GROUP, positions: [{ topic, partition: number, offset: due.at(-1)!.offset + 1 }] }
      })
      waiting = waiting.slice(due.length)
    }
  }
})

/** Never ends by itself. */
export const delay = Effect.flatMap(EventLog, (log) => log.consume({ group: GROUP, topics }, run))
