/**
 * Deadlines that are all the same time ahead: the oldest is always due first, so a queue and one sleeping fiber do for
 * all of them, and one that is taken back costs nothing. A timer of its own for each attempt was a tenth of its CPU.
 */
import { Clock, Effect, Latch, type Scope } from "effect"

const NANOS_PER_MS = 1_000_000

interface Deadline {
  readonly atMs: number
  readonly passed: () => void
}

/** The function calls `passed` after `afterMs`, unless what it returns was called before. */
export const makeDeadlines = (
  afterMs: number
): Effect.Effect<(passed: () => void) => () => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    // A wall clock that jumps must not end attempts.
    const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS
    /** In the order in which they were added, which is that of their times. */
    const waiting = new Set<Deadline>()
    const some = Latch.makeUnsafe()

    const watch = Effect.gen(function* () {
      yield* Latch.await(some)
      const [first] = waiting
      if (first === undefined) return some.closeUnsafe()
      const waitMs = first.atMs - nowMs()
      if (waitMs > 0) return yield* Effect.sleep(Math.ceil(waitMs))
      waiting.delete(first)
      first.passed()
    })
    yield* Effect.forkScoped(Effect.forever(watch))

    return (passed) => {
      const deadline: Deadline = { atMs: nowMs() + afterMs, passed }
      waiting.add(deadline)
      some.openUnsafe()
      return () => void waiting.delete(deadline)
    }
  })
