/**
 * A read lease. Once a view is confirmed to contain everything that was committed by a moment, it may be used for
 * `leaseMs` from that moment; later callers wait for the next confirmation. So a writer that waits for longer than the
 * lease knows that its change is in use on every process. Using the view costs one confirmation every `leaseMs` / 2,
 * and none while it is not used. While it cannot be confirmed, nobody may use it.
 */
import { Effect, Latch, type Scope } from "effect"
import { monotonicClock } from "../domain/Monotonic.ts"
import { retryUntilSuccess } from "../observability/RetryUntilSuccess.ts"

/**
 * Calls `use` as soon as the view may be used, usually at once. Waiting calls run in their order; a call that one of
 * them makes need not wait for the others. `use` must not throw.
 */
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
    // After a failure the confirmation is still wanted.
    const again = Effect.tapError(renew, () => Effect.sync(() => wanted.openUnsafe()))
    yield* Effect.forkScoped(
      Effect.forever(again.pipe(retryUntilSuccess("confirming what is known of webhooks")))
    )

    return (use) => {
      const ageMs = nowMs() - confirmedAt
      const isHeld = ageMs < leaseMs && waiting.length === 0
      // This runs before the confirmation is requested, because the confirmation may have ended when `openUnsafe`
      // returns.
      if (!isHeld) waiting.push(use)
      if (!isHeld || ageMs >= leaseMs / 2) wanted.openUnsafe()
      if (isHeld) use()
    }
  })
