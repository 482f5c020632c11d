/**
 * Requests without a key take turns: a few start, then everything else in the process has the event loop. How long both
 * took tells how busy the process is; where it also delivers, the next few wait for a multiple of it. So a flood of them
 * takes what is free and leaves deliveries and requests with a key their share. Waiting are at most as many as there are
 * connections, since each has one request at a time.
 */
import { Clock, Effect, Latch } from "effect"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"

const NANOS_PER_MS = 1_000_000
/** Timers know no less. */
const SHORTEST_SLEEP_MS = 1

interface TurnLimits {
  readonly starts: number
  readonly pauseMs: number
}

/** Returns the effect that passes when its turn has come: first come, first served. */
const makeTurns = Effect.fnUntraced(function* (limits: TurnLimits) {
  const { roles } = yield* Settings
  const clock = yield* Clock.Clock
  const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS
  const shares = roles.some((role) => role !== "api")
  /** In the order in which they came. */
  const waiting = new Set<() => void>()
  const started = Latch.makeUnsafe()
  let free = limits.starts
  let began = 0

  const othersTurn = Effect.gen(function* () {
    // The first ends with this turn of the event loop, the second with a whole one.
    yield* Effect.yieldNow
    yield* Effect.yieldNow
    const pauseMs = (nowMs() - began) * Limits.keylessYield
    if (shares && pauseMs >= SHORTEST_SLEEP_MS) yield* Effect.sleep(Math.min(pauseMs, limits.pauseMs))
  })
  const startNext = Effect.sync(() => {
    free = limits.starts
    began = nowMs()
    if (waiting.size === 0) started.closeUnsafe()
    for (const start of waiting) {
      if (free === 0) return
      free--
      waiting.delete(start)
      start()
    }
  })
  yield* Latch.await(started).pipe(
    Effect.andThen(othersTurn),
    Effect.andThen(startNext),
    Effect.forever,
    Effect.forkScoped
  )

  return Effect.suspend(() => {
    started.openUnsafe()
    if (free > 0 && waiting.size === 0) {
      if (free === limits.starts) began = nowMs()
      free--
      return Effect.void
    }
    return Effect.callback<void>((resume) => {
      const start = () => resume(Effect.void)
      waiting.add(start)
      return Effect.sync(() => waiting.delete(start))
    })
  })
})

/** Probes wait for one another only: a flood of other requests must not make the service look dead. */
export const keylessTurns = Effect.all({
  probe: makeTurns(Limits.keylessProbes),
  other: makeTurns(Limits.keylessOthers)
})
