/**
 * `Log` in memory, for tests and simulations. It behaves as the other adapters do, but loses its records on exit.
 */
import { Effect, Layer } from "effect"
import { Settings } from "../../../../src/spine/config/Config.ts"
import { makeConsume } from "../../../../src/spine/log/ConsumeInProcess.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { makeMemoryRecords } from "./MemoryRecords.ts"

export const layer: Layer.Layer<Log, never, Settings> = Layer.effect(
  Log,
  Effect.map(Settings, (settings) => {
    const records = makeMemoryRecords(settings)
    return Log.of({ ...records, consume: makeConsume(records) })
  })
)
