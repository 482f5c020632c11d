/**
 * `EventLog` in memory, for tests and simulations. It behaves as the other adapters do, but loses its records on exit.
 */
import { Effect, Layer } from "effect"
import { Settings } from "../../config/Config.ts"
import { makeConsume } from "../Consume.ts"
import { EventLog } from "../EventLog.ts"
import { makeMemoryRecords } from "./MemoryRecords.ts"

export const layer: Layer.Layer<EventLog, never, Settings> = Layer.effect(
  EventLog,
  Effect.map(Settings, (settings) => {
    const records = makeMemoryRecords(settings)
    return EventLog.of({ ...records, consume: makeConsume(records) })
  })
)
