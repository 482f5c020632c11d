/** An `EventLog` whose next transactions fail as told: before they land (nothing is written), or after (all is). */
import { Effect, Layer } from "effect"
import { EventLog, EventLogError } from "../../src/log/EventLog.ts"

export type Fault = "before" | "after"

/** Transactions take the faults from the front of the list; reads are sound. */
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
