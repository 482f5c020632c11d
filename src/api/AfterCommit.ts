/**
 * Postpones a handler's waits until its transaction has committed. A request with an `Idempotency-Key` runs in one
 * transaction (api/Idempotency.ts), and a handler that sleeps in it would keep rows locked.
 */
import { Context, Effect } from "effect"

/** Runs `wait` after the handler's changes are committed and before its response is sent. */
export class AfterCommit extends Context.Reference<(wait: Effect.Effect<void>) => Effect.Effect<void>>(
  "ledgerhook/api/AfterCommit",
  // A handler without a surrounding transaction has committed already, so the wait runs at once.
  { defaultValue: () => (wait) => wait }
) {}

/** Provides `AfterCommit` to `handler`. `waits` runs what the handler registered; run it after the commit. */
export const collectingWaits = <A, E, R>(handler: Effect.Effect<A, E, R>) => {
  const waits: Array<Effect.Effect<void>> = []
  return {
    handler: Effect.provideService(handler, AfterCommit, (wait) => Effect.sync(() => void waits.push(wait))),
    waits: Effect.suspend(() => Effect.all(waits, { discard: true }))
  }
}
