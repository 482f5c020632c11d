/**
 * A `deliver` of release 0.2 drops work whose delivery has no row, which is what route writes. So route waits until the
 * last one has left its group. Meanwhile the `route` of the older processes goes on, if one is left.
 */
import { Effect, Schedule } from "effect"
import { Log } from "../log/Log.ts"
import { Health } from "../observe/Health.ts"
import { retryUntilSuccess } from "../observe/RetryUntilSuccess.ts"

/** How often route asks whether the last `deliver` of release 0.2 has stopped. */
export const EVERY_MS = 1_000

const PART = "route"
const WAITS = "waits until the last process of release 0.2 with the role deliver has stopped"

/** `/readyz` and the log say that route waits. */
export const untilOlderStopped = Effect.gen(function* () {
  const log = yield* Log
  const health = yield* Health
  const hasOlder = log.hasOlderMember("deliver").pipe(retryUntilSuccess("asking for older processes"))
  if (!(yield* hasOlder)) return
  yield* Effect.logWarning(`${PART} ${WAITS}`)
  yield* health.set(PART, { status: "degraded", detail: WAITS })
  yield* Effect.repeat(hasOlder, {
    while: (has) => has,
    schedule: Schedule.spaced(EVERY_MS)
  })
  yield* health.set(PART, { status: "ok", detail: "running" })
})
