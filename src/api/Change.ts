/**
 * The change that a request makes, as one effect of its handler. With an `Idempotency-Key` the change runs in a
 * transaction that also records the response (api/Idempotency.ts). Everything else runs outside: lookups, estimates,
 * reads of the log, waits for a permit. So no transaction waits for anything but the database. A handler makes at most
 * one change, and waits for nothing between it and its response. The request of a handler that makes none is not
 * recorded.
 */
import { Context, Effect } from "effect"

class Changing extends Context.Reference<{
  readonly change: <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly afterCommit: (wait: Effect.Effect<void>) => Effect.Effect<void>
}>("ledgerhook/api/Changing", {
  // Without a surrounding transaction the change commits itself.
  defaultValue: () => ({ change: (change) => change, afterCommit: (wait) => wait })
}) {}

export const change = <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Changing, (changing) => changing.change(change))

/** Runs `wait` after the change is committed and before the response is sent. */
export const afterCommit = (wait: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(Changing, (changing) => changing.afterCommit(wait))

export const provideChanging = Effect.provideService(Changing)
