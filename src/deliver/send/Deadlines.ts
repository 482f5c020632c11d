/**
 * Deadlines of equal length. The oldest is always due first, so one map and one sleeping fiber serve all of them, and
 * removing one is cheap. A timer for each attempt cost a tenth of an attempt's CPU.
 */
import { Effect, Latch, type Scope } from "effect"
import { monotonicClock } from "../../domain/Monotonic.ts"

interface Deadlines<A> {
  readonly add: (item: A) => void
  readonly remove: (item: A) => void
}

/** Calls `passed` with each item that is not removed within `afterMs`. */
export const makeDeadlines = <A>(
  afterMs: number,
  passed: (item: A) => void
): Effect.Effect<Deadlines<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const nowMs = yield* monotonicClock
    /** When each item is due. Insertion order is the order of due times. */
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
