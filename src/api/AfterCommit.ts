/**
 * Lets a handler wait without holding its transaction open. A request with an `Idempotency-Key` runs in one transaction
 * (api/Idempotency.ts), which locks rows: what such a handler would sleep for, it hands over here.
 */
import { Context, Effect } from "effect"

/** Runs `wait` when the handler's changes are committed and before its answer is sent. */
export class AfterCommit extends Context.Reference<(wait: Effect.Effect<void>) => Effect.Effect<void>>(
  "ledgerhook/api/AfterCommit",
  // Without a transaction around the handler its changes are committed already.
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
