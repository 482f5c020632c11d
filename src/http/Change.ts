/**
 * The change that a request makes, as one effect of its handler. With an `Idempotency-Key` the change runs in a
 * transaction that also records the response (http/Idempotency.ts). Everything else runs outside: lookups, estimates,
 * reads of the log, waits for a permit. So no transaction waits for anything but the database. A handler makes at most
 * one change, and waits for nothing between it and its response. The request of a handler that makes none is not
 * recorded.
 */
import { Context, Effect } from "effect"

class Changing extends Context.Reference<{
  readonly change: <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly afterCommit: (wait: Effect.Effect<void>) => Effect.Effect<void>
  readonly isCommitted: boolean
}>("ledgerhook/api/Changing", {
  // Without a surrounding transaction the change commits itself.
  defaultValue: () => ({ change: (change) => change, afterCommit: (wait) => wait, isCommitted: true })
}) {}

export const change = <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Changing, (changing) => changing.change(change))

/** Runs `wait` after the change is committed and before the response is sent. */
export const afterCommit = (wait: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(Changing, (changing) => changing.afterCommit(wait))

/** Whether the change is committed when it has run. Otherwise nothing of it happens before the handler has answered. */
export const isCommitted: Effect.Effect<boolean> = Effect.map(Changing, (changing) => changing.isCommitted)

export const provideChanging = Effect.provideService(Changing)
