/**
 * A read lease: a view that was confirmed to hold everything committed by some moment may be used for `leaseMs` from
 * that moment; who comes later waits for the next confirmation. Whoever changes something and waits for longer than the
 * lease, and than a confirmation takes, may then say that it holds everywhere, on every process, without knowing who
 * they are. Using the view costs nothing but one confirmation in `leaseMs` / 2, and none while it is not used. While it
 * cannot be confirmed nobody may use it.
 */
import { Clock, Effect, Latch, type Scope } from "effect"
import { retryUntilSuccess } from "../observability/RetryUntilSuccess.ts"

const NANOS_PER_MS = 1_000_000

/**
 * Calls `use` as soon as the view may be used, mostly at once: who waits does so in the order of the calls, and nobody
 * passes them. It must not throw.
 */
export type Lease = (use: () => void) => void

/** `confirm` ends once the view holds all that was there when it began. */
export const makeReadLease = <E, R>(
  confirm: Effect.Effect<void, E, R>,
  leaseMs: number
): Effect.Effect<Lease, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    // Durations only: no two clocks are compared, and a wall clock that jumps does no harm.
    const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS
    const wanted = Latch.makeUnsafe()
    let waiting: Array<() => void> = []
    let confirmedAt = Number.NEGATIVE_INFINITY

    const renew = Effect.gen(function* () {
      yield* Latch.await(wanted)
      wanted.closeUnsafe()
      const beganAt = nowMs()
      yield* confirm
      confirmedAt = beganAt
      // Who comes while they have their turn comes after them, and may be too late for this confirmation.
      const due = waiting.slice()
      for (const use of due) use()
      waiting = waiting.slice(due.length)
    })
    // A try that failed is wanted still.
    const again = Effect.tapError(renew, () => Effect.sync(() => wanted.openUnsafe()))
    yield* Effect.forkScoped(
      Effect.forever(again.pipe(retryUntilSuccess("confirming what is known of webhooks")))
    )

    return (use) => {
      const ageMs = nowMs() - confirmedAt
      const isHeld = ageMs < leaseMs && waiting.length === 0
      // Before it is asked for: the confirmation may be over when `openUnsafe` returns.
      if (!isHeld) waiting.push(use)
      if (!isHeld || ageMs >= leaseMs / 2) wanted.openUnsafe()
      if (isHeld) use()
    }
  })
