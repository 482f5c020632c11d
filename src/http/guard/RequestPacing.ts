/**
 * Delays requests without a key, and refusals of keys that have used up their requests, so that a flood of them cannot
 * starve deliveries and other requests. A few start, then all other work of the process runs. If the process has other
 * roles than `api`, a pause follows. It is a multiple of the time that these requests and the other work took. At most
 * one request of each connection waits.
 */
import { Effect, Latch, Semaphore } from "effect"
import { Settings } from "../../spine/config/Config.ts"
import { monotonicClock } from "../../spine/words/Monotonic.ts"

/**
 * `starts`: how many probes without a key may start in a row before other work of the process runs. `pauseMs`: the
 * longest pause after them. They are cheap and must not look late: on a machine that is overloaded many times over 100
 * a second still start.
 */
const PROBES = { starts: 20, pauseMs: 20 }

/**
 * The same of other requests without a key, each of which may be for a large document, and of those with a key that are
 * answered with 429, whose answer costs as much as that of a small request.
 */
export const OTHER_REQUESTS = { starts: 2, pauseMs: 50 }

/**
 * The pause as a multiple of the time that the requests and all other work took: these keep nine tenths of the event
 * loop.
 */
const YIELD = 9

/** Timers cannot wait for less. */
const SHORTEST_SLEEP_MS = 1

interface PacingLimits {
  readonly starts: number
  readonly pauseMs: number
}

/** Returns an effect that waits until the request may start. It takes a permit, which is released after the pause. */
const makePacer = Effect.fnUntraced(function* ({ starts, pauseMs }: PacingLimits) {
  const { roles } = yield* Settings
  const nowMs = yield* monotonicClock
  const hasOtherRoles = roles.some((role) => role !== "api")
  const permits = Semaphore.makeUnsafe(starts)
  const someStarted = Latch.makeUnsafe()
  let started = 0
  let began = 0

  const pauseForOthers = Effect.gen(function* () {
    yield* Latch.await(someStarted)
    // The first yield returns at the end of the current turn of the event loop, the second yield one complete turn
    // later.
    yield* Effect.yieldNow
    yield* Effect.yieldNow
    const wantedMs = (nowMs() - began) * YIELD
    if (hasOtherRoles && wantedMs >= SHORTEST_SLEEP_MS) yield* Effect.sleep(Math.min(wantedMs, pauseMs))
    const back = started
    started = 0
    someStarted.closeUnsafe()
    yield* permits.release(back)
  })
  yield* Effect.forkScoped(Effect.forever(pauseForOthers))

  return Effect.map(permits.take(1), () => {
    if (started === 0) began = nowMs()
    started++
    someStarted.openUnsafe()
  })
})

/** Probes wait for other probes only, so that a flood of other requests cannot make the service look dead. */
export const requestPacing = Effect.all({
  probe: makePacer(PROBES),
  refused: makePacer(OTHER_REQUESTS),
  other: makePacer(OTHER_REQUESTS)
})
