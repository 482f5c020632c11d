/**
 * The monotonic clock: milliseconds since an arbitrary moment. Whatever waits or expires within a process is measured
 * with it, because the wall clock may be set at any time. Only times that are shown or stored are wall-clock times.
 */
import { Clock, Effect } from "effect"

const NANOS_PER_MS = 1_000_000

/** For code that reads the clock outside an effect. */
export const monotonicClock: Effect.Effect<() => number> = Effect.map(
  Clock.Clock,
  (clock) => () => Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS
)

export const monotonicNow: Effect.Effect<number> = Effect.flatMap(monotonicClock, Effect.sync)

/** The present moment on both clocks. */
export interface BothClocks {
  readonly monotonicMs: number
  readonly wallMs: number
}

export const bothClocks: Effect.Effect<BothClocks> = Effect.all({
  monotonicMs: monotonicNow,
  wallMs: Clock.currentTimeMillis
})
