/**
 * The event log: events → rows that GET /v1/events reads. For each batch of the watched networks' events: write the
 * rows, then commit the offsets. A crash in between writes the same rows again, which changes nothing.
 */
import { Clock, Effect } from "effect"
import { Limits } from "../config/Limits.ts"
import { patiently } from "../config/Retrying.ts"
import { EVENT_LOG_GROUP, eventsTopic, type LedgerEvent, parseLedgerEvent } from "../domain/LedgerEvent.ts"
import type { Network } from "../domain/Network.ts"
import { type AssignedPartition, EventLog } from "../log/EventLog.ts"
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
    yield* Clock.currentTimeMillis.pipe(
      Effect.flatMap((nowMs) => store.insert(events, nowMs)),
      patiently("writing the event log")
    )
    yield* partition.commit(records.at(-1)!.offset + 1)
  }
})

/** Never ends by itself. */
export const events = (networks: ReadonlyArray<Network>) =>
  Effect.flatMap(EventLog, (log) =>
    log.consume({ group: EVENT_LOG_GROUP, topics: networks.map(eventsTopic) }, run)
  )
