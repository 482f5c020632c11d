/**
 * A read lease: how long a process may use its view of the webhooks without checking it. A check confirms that the view
 * contains everything that was committed when the check began. From that moment on the view may be used for `leaseMs`;
 * after that, callers wait for the next check. A writer that waits for `leaseMs` after its commit therefore knows that
 * every process uses its change. A view that is used is checked every `leaseMs` / 2, and one that is not used is not
 * checked. While a check fails, callers wait.
 */
import { Effect, Latch, type Scope } from "effect"
import { retryUntilSuccess } from "../observe/RetryUntilSuccess.ts"
import { monotonicClock } from "../words/Monotonic.ts"

/** Calls `use` once the view may be used, usually at once. Calls that wait run in their order. `use` must not throw. */
export type Lease = (use: () => void) => void

/** `confirm` ends once the view contains everything that was committed when it began. */
export const makeReadLease = <E, R>(
  confirm: Effect.Effect<void, E, R>,
  leaseMs: number
): Effect.Effect<Lease, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    // Only durations are used: the clocks of processes are not compared.
    const nowMs = yield* monotonicClock
    const wanted = Latch.makeUnsafe()
    let waiting: Array<() => void> = []
    let confirmedAt = Number.NEGATIVE_INFINITY

    const renew = Effect.gen(function* () {
      yield* Latch.await(wanted)
      wanted.closeUnsafe()
      const beganAt = nowMs()
      yield* confirm
      confirmedAt = beganAt
      const due = waiting
      waiting = []
      for (const use of due) use()
    })
    // After a failure the check is still wanted.
    const again = Effect.tapError(renew, () => Effect.sync(() => wanted.openUnsafe()))
    yield* Effect.forkScoped(
      Effect.forever(again.pipe(retryUntilSuccess("confirming what is known of webhooks")))
    )

    return (use) => {
      const ageMs = nowMs() - confirmedAt
      const isHeld = ageMs < leaseMs && waiting.length === 0
      // Added before the check is requested: the check may have ended when `openUnsafe` returns.
      if (!isHeld) waiting.push(use)
      if (!isHeld || ageMs >= leaseMs / 2) wanted.openUnsafe()
      if (isHeld) use()
    }
  })
