/**
 * Steps the wall clock of the test's clock, as NTP or an operator does. Monotonic time and sleeps do not change.
 * (`TestClock.setTime` moves sleeps too.)
 */
import { Clock, Effect } from "effect"

export const stepWallClock = (ms: number): Effect.Effect<void> =>
  Effect.map(Clock.Clock, (clock) => {
    const { currentTimeMillisUnsafe: millis, currentTimeNanosUnsafe: nanos } = clock
    const stepped = {
      currentTimeMillisUnsafe: () => millis() + ms,
      currentTimeNanosUnsafe: () => nanos() + BigInt(ms) * 1_000_000n
    }
    Object.assign(clock, {
      ...stepped,
      currentTimeMillis: Effect.sync(stepped.currentTimeMillisUnsafe),
      currentTimeNanos: Effect.sync(stepped.currentTimeNanosUnsafe)
    })
  })
