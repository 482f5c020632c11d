/**
 * The event log: events → rows that GET /v1/events reads. For each batch of the watched networks' events, those of their
 * history included: write the rows, then commit the offsets. A crash in between writes the same rows again, which
 * changes nothing.
 */
import { Clock, Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { patiently } from "../config/Retrying.ts"
import { historyEventsTopic } from "../domain/History.ts"
import { EVENT_LOG_GROUP, eventsTopic, type LedgerEvent, parseLedgerEvent } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import { type AssignedPartition, EventLog } from "../log/EventLog.ts"
import { traced } from "../observability/Tracing.ts"
import { EventStore } from "../storage/EventStore.ts"

const run = Effect.fnUntraced(function* (partition: AssignedPartition) {
  const store = yield* EventStore
  while (true) {
    const records = yield* partition.take(Limits.takeBatchRecords)
    const events: Array<LedgerEvent> = []
    for (const record of records) {
      const event = parseLedgerEvent(record.value)
      if (event === undefined) {
        yield* Effect.logError(`${record.topic}@${record.offset} is not an event; passed over`)
      } else events.push(event)
    }
    const write = Clock.currentTimeMillis.pipe(
      Effect.flatMap((nowMs) => store.insert(events, nowMs)),
      patiently("writing the event log"),
      Effect.andThen(partition.commit(records.at(-1)!.offset + 1))
    )
    yield* traced(write, "write events", () => ({ topic: partition.topic, events: events.length }))
  }
})

/** Never ends by itself. */
export const events = (networks: ReadonlyArray<Network>) =>
  Effect.flatMap(EventLog, (log) =>
    log.consume(
      {
        group: EVENT_LOG_GROUP,
        topics: networks.flatMap((network) => [eventsTopic(network), historyEventsTopic(network)])
      },
      run
    )
  )
