/** An attempt as the API shows it, and the wait for the first attempt of a test delivery. */

import { Effect, Option, Semaphore } from "effect"
import { iso } from "../../spine/words/IsoTime.ts"
import { monotonicNow } from "../../spine/words/Monotonic.ts"
import { type AttemptRow, DeliveryQueries } from "./DeliveryQueries.ts"
import { deliveryLimits } from "./Limits.ts"

export const attemptOf = ({ details, error, ...row }: AttemptRow) => ({
  attempt: row.attempt,
  status: row.status,
  response_status: row.response_status,
  response_time_ms: row.response_time_ms,
  response_headers: details?.responseHeaders ?? null,
  response_body: row.response_body,
  connect_ms: details?.connectMs ?? null,
  first_byte_ms: details?.firstByteMs ?? null,
  total_ms: details?.totalMs ?? null,
  batch_id: details?.batchId ?? null,
  ...(error === null ? {} : { error }),
  attempted_at: iso(row.attempted_at)
})

/** Pauses between two looks at the database, each twice the one before: at most 25 looks in 10 s. */
const POLL_MS = { first: 50, most: 500 }

/**
 * Waits until the delivery's first attempt has ended, for `waitMs` at most, without a database connection between two
 * looks. If too many requests wait already, it does not wait.
 */
export const makeAwaitAttempt = Effect.gen(function* () {
  const deliveries = yield* DeliveryQueries
  const waiting = yield* Semaphore.make(deliveryLimits.testsWaiting)

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
