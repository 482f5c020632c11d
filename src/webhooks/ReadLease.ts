/**
 * A read lease: a view that was confirmed to hold everything committed by some moment may be used for `leaseMs` from
 * that moment; who comes later waits for the next confirmation. Whoever changes something and waits for longer than the
 * lease, and than a confirmation takes, may then say that it holds everywhere, on every process, without knowing who
 * they are. Using the view costs nothing but one confirmation in `leaseMs` / 2, and none while it is not used. While it
 * cannot be confirmed nobody may use it.
 */
import { Clock, Effect, Latch, type Scope } from "effect"
import { patiently } from "../config/Retrying.ts"

const NANOS_PER_MS = 1_000_000

/** The effect that waits until the view may be used; `confirm` ends once the view holds all that was there when it began. */
export const makeReadLease = <E, R>(
  confirm: Effect.Effect<void, E, R>,
  leaseMs: number
): Effect.Effect<Effect.Effect<void>, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    // Durations only: no two clocks are compared, and a wall clock that jumps does no harm.
    const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS
    const wanted = Latch.makeUnsafe()
    let renewed = Latch.makeUnsafe()
    let confirmedAt = Number.NEGATIVE_INFINITY

    const renew = Effect.gen(function* () {
      yield* Latch.await(wanted)
      wanted.closeUnsafe()
      const beganAt = nowMs()
      yield* confirm
      confirmedAt = beganAt
      const waiting = renewed
      renewed = Latch.makeUnsafe()
      waiting.openUnsafe()
    })
    // A try that failed is wanted still.
    const again = Effect.tapError(renew, () => Effect.sync(() => wanted.openUnsafe()))
    yield* Effect.forkScoped(Effect.forever(again.pipe(patiently("confirming what is known of webhooks"))))

    return Effect.suspend(() => {
      const ageMs = nowMs() - confirmedAt
      // Taken before it is asked for: the confirmation may be over when `openUnsafe` returns.
      const next = renewed
      if (ageMs >= leaseMs / 2) wanted.openUnsafe()
      return ageMs < leaseMs ? Effect.void : Latch.await(next)
    })
  })
