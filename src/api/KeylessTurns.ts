/**
 * Requests without a key take turns: a few start, then everything else in the process has the event loop. How long both
 * took tells how busy the process is; where it also delivers, the next few wait for a multiple of it. So a flood of them
 * takes what is free and leaves deliveries and requests with a key their share. Waiting are at most as many as there are
 * connections, since each has one request at a time.
 */
import { Clock, Effect, Latch, Semaphore } from "effect"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"

const NANOS_PER_MS = 1_000_000
/** Timers know no less. */
const SHORTEST_SLEEP_MS = 1

interface TurnLimits {
  readonly starts: number
  readonly pauseMs: number
}

/** Returns the effect that passes when its turn has come. Each takes a permit, which comes back after the others' turn. */
const makeTurns = Effect.fnUntraced(function* ({ starts, pauseMs }: TurnLimits) {
  const { roles } = yield* Settings
  const clock = yield* Clock.Clock
  const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS
  const shares = roles.some((role) => role !== "api")
  const permits = Semaphore.makeUnsafe(starts)
  const someStarted = Latch.makeUnsafe()
  let started = 0
  let began = 0

  const othersTurn = Effect.gen(function* () {
    yield* Latch.await(someStarted)
    // The first ends with this turn of the event loop, the second with a whole one.
    yield* Effect.yieldNow
    yield* Effect.yieldNow
    const wantedMs = (nowMs() - began) * Limits.keylessYield
    if (shares && wantedMs >= SHORTEST_SLEEP_MS) yield* Effect.sleep(Math.min(wantedMs, pauseMs))
    const back = started
    started = 0
    someStarted.closeUnsafe()
    yield* permits.release(back)
  })
  yield* Effect.forkScoped(Effect.forever(othersTurn))

  return Effect.map(permits.take(1), () => {
    if (started === 0) began = nowMs()
    started++
    someStarted.openUnsafe()
  })
})

/** Probes wait for one another only: a flood of other requests must not make the service look dead. */
export const keylessTurns = Effect.all({
  probe: makeTurns(Limits.keylessProbes),
  other: makeTurns(Limits.keylessOthers)
})
