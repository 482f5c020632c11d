/**
 * A clock for simulations. It stands still while anything can happen without time (fibers that are ready, statements
 * under way on a real database), and then jumps to the next moment for which a fiber sleeps. So an hour passes in
 * seconds, and a slow machine changes nothing.
 */
import { setImmediate } from "node:timers/promises"
import { Clock, Duration, Effect, Fiber } from "effect"

/** After so many event-loop iterations without a statement under way, every fiber waits for time. */
const CALM_TURNS = 8
const NANOS_PER_MS = 1_000_000n

interface Sleeper {
  readonly atMs: number
  readonly wake: () => void
}

export interface VirtualClock {
  readonly nowMs: () => number
  /** Stops time while the effect runs. For effects that wait for something outside the simulation. */
  readonly outside: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Runs the effect with this clock. Dies if it does not end within `limitMs` of virtual time. */
  readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>, limitMs: number) => Effect.Effect<A, E, R>
}

export const makeVirtualClock = (startMs: number): VirtualClock => {
  let now = startMs
  let sleepers: Array<Sleeper> = []
  let open = 0
  let closed = () => {}

  const nanos = () => BigInt(now) * NANOS_PER_MS
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.callback((resume) => {
        const sleeper = {
          atMs: now + Math.ceil(Duration.toMillis(duration)),
          wake: () => resume(Effect.void)
        }
        sleepers.push(sleeper)
        return Effect.sync(() => {
          sleepers = sleepers.filter((one) => one !== sleeper)
        })
      })
  }

  const calm = async () => {
    for (let turns = 0; turns < CALM_TURNS; turns++) {
      await setImmediate()
      if (open === 0) continue
      await new Promise<void>((resolve) => {
        closed = resolve
      })
      turns = 0
    }
  }

  const jump = () => {
    now = Math.max(now, Math.min(...sleepers.map(({ atMs }) => atMs)))
    const due = sleepers.filter(({ atMs }) => atMs <= now)
    sleepers = sleepers.filter(({ atMs }) => atMs > now)
    for (const { wake } of due) wake()
  }

  return {
    nowMs: () => now,
    outside: (effect) =>
      Effect.suspend(() => {
        open++
        return Effect.ensuring(
          effect,
          Effect.sync(() => {
            if (--open === 0) closed()
          })
        )
      }),
    run: (effect, limitMs) =>
      Effect.gen(function* () {
        const end = now + limitMs
        const fiber = yield* Effect.forkChild(effect)
        const ended = () => fiber.pollUnsafe() !== undefined
        while (!ended()) {
          yield* Effect.promise(calm)
          if (ended()) break
          if (sleepers.length === 0) throw new Error("no fiber waits for time, and none runs")
          if (now > end) throw new Error(`not over after ${limitMs} ms`)
          jump()
        }
        return yield* Fiber.join(fiber)
      }).pipe(Effect.provideService(Clock.Clock, clock))
  }
}
