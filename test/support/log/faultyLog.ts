/** An `Log` whose next transactions fail as the test says: before anything is written, or after everything is. */
import { Effect, Layer } from "effect"
import { Log, LogError } from "../../../src/spine/log/Log.ts"

export type Fault = "before" | "after"

/** Each transaction removes the first fault of the list and fails that way; reads never fail. */
export const faultyLog = (faults: Array<Fault>): Layer.Layer<Log, never, Log> =>
  Layer.effect(
    Log,
    Effect.gen(function* () {
      const inner = yield* Log
      const error = new LogError({ operation: "append", topic: "test", cause: "injected" })
      const transaction: Log["Service"]["transaction"] = (given) =>
        Effect.suspend(() => {
          const fault = faults.shift()
          if (fault === undefined) return inner.transaction(given)
          if (fault === "before") return Effect.fail(error)
          return Effect.andThen(inner.transaction(given), Effect.fail(error))
        })
      return Log.of({ ...inner, transaction, exclusive: () => Effect.succeed({ transaction }) })
    })
  )
