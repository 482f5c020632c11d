/** An `EventLog` whose next transactions fail as the test says: before anything is written, or after everything is. */
import { Effect, Layer } from "effect"
import { EventLog, EventLogError } from "../../src/log/EventLog.ts"

export type Fault = "before" | "after"

/** Each transaction removes the first fault of the list and fails that way; reads never fail. */
export const faultyLog = (faults: Array<Fault>): Layer.Layer<EventLog, never, EventLog> =>
  Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const inner = yield* EventLog
      const error = new EventLogError({ operation: "append", topic: "test", cause: "injected" })
      const transaction: EventLog["Service"]["transaction"] = (given) =>
        Effect.suspend(() => {
          const fault = faults.shift()
          if (fault === undefined) return inner.transaction(given)
          if (fault === "before") return Effect.fail(error)
          return Effect.andThen(inner.transaction(given), Effect.fail(error))
        })
      return EventLog.of({ ...inner, transaction, exclusive: () => Effect.succeed({ transaction }) })
    })
  )
