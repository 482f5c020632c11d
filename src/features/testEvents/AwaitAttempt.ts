/** The wait for the first attempt of a test delivery. */
import { Effect, Option, Semaphore } from "effect"
import { monotonicNow } from "../../spine/words/Monotonic.ts"
import { DeliveryQueries } from "../deliveries/DeliveryQueries.ts"
import { testEventLimits } from "./Limits.ts"

/** Pauses between two looks at the database, each twice the one before: at most 25 looks in 10 s. */
const POLL_MS = { first: 50, most: 500 }

/**
 * Waits until the delivery's first attempt has ended, for `waitMs` at most, without a database connection between two
 * looks. If too many requests wait already, it does not wait.
 */
export const makeAwaitAttempt = Effect.gen(function* () {
  const deliveries = yield* DeliveryQueries
  const waiting = yield* Semaphore.make(testEventLimits.testsWaiting)

  const poll = Effect.fnUntraced(function* (deliveryId: string, waitMs: number) {
    const end = (yield* monotonicNow) + waitMs
    for (let pauseMs = POLL_MS.first; ; pauseMs = Math.min(2 * pauseMs, POLL_MS.most)) {
      const left = end - (yield* monotonicNow)
      if (left <= 0) return undefined
      yield* Effect.sleep(Math.min(pauseMs, left))
      const [first] = yield* deliveries.attempts(deliveryId)
      if (first !== undefined) return first
    }
  })

  return (deliveryId: string, waitMs: number) =>
    Effect.map(waiting.withPermitsIfAvailable(1)(poll(deliveryId, waitMs)), Option.getOrUndefined)
})
