/**
 * Deadlines that are all the same time ahead: the oldest is always due first, so a queue and one sleeping fiber do for
 * all of them, and one that is taken back costs nothing. A timer of its own for each attempt was a tenth of its CPU.
 */
import { Clock, Effect, Latch, type Scope } from "effect"

const NANOS_PER_MS = 1_000_000

interface Deadlines<A> {
  readonly add: (item: A) => void
  readonly remove: (item: A) => void
}

/** Calls `passed` with what was added `afterMs` ago and not removed since. */
export const makeDeadlines = <A>(
  afterMs: number,
  passed: (item: A) => void
): Effect.Effect<Deadlines<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    // A wall clock that jumps must not end attempts.
    const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS
    /** When each is due, in the order in which they were added, which is that of their times. */
    const waiting = new Map<A, number>()
    const some = Latch.makeUnsafe()

    const watch = Effect.gen(function* () {
      yield* Latch.await(some)
      const [first] = waiting
      if (first === undefined) return some.closeUnsafe()
      const [item, atMs] = first
      const waitMs = atMs - nowMs()
      if (waitMs > 0) return yield* Effect.sleep(Math.ceil(waitMs))
      waiting.delete(item)
      passed(item)
    })
    yield* Effect.forkScoped(Effect.forever(watch))

    return {
      add: (item) => {
        waiting.set(item, nowMs() + afterMs)
        some.openUnsafe()
      },
      remove: (item) => void waiting.delete(item)
    }
  })
