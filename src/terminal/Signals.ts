/**
 * SIGTERM and SIGINT. The first signal stops a command: one that runs until stopped exits 0, any other exits 130. The
 * stop may take `terminalLimits.shutdownMs`. Signals within `REPEAT_MS` count as the first one; a later one ends
 * the process at once. Nothing is lost either way: the next start resumes what was in flight.
 *
 *   running ──signal──▶ stopping ──done──▶ exit 0      (a later second signal, or too long: exit 1)
 */

import { Context, Deferred, Effect, type Fiber, Option } from "effect"
import { seconds } from "../spine/words/Words.ts"
import { terminalLimits } from "./Limits.ts"

/** Signals within this time of the first count as one: npm forwards what its process group got as well. */
export const REPEAT_MS = 1_000

/** A signal that caused a part to fail has arrived after this time. The failure is reported only then. */
const SIGNAL_ARRIVES_MS = 50

export class Signals extends Context.Service<
  Signals,
  {
    /** Runs `self` until it ends, or interrupts it at a signal and returns none. */
    readonly untilStopped: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
  }
>()("ledgerhook/cli/Signals") {}

export interface SignalHandling {
  readonly service: Signals["Service"]
  /** From this call on, signals stop `fiber`. `exit` ends the process. */
  readonly attach: <A, E>(fiber: Fiber.Fiber<A, E>, exit: (code: number, line: string) => void) => void
}

const after = (ms: number, run: () => void) => Effect.runFork(Effect.delay(Effect.sync(run), ms))

export const makeSignalHandling = (): SignalHandling => {
  const requested = Deferred.makeUnsafe<void>()
  let orderly = false
  let stopping = false
  /** True after `REPEAT_MS`. Before that, npm may forward a signal that the terminal sent to the whole group. */
  let repeatsOver = false
  return {
    service: {
      untilStopped: (self) =>
        Effect.suspend(() => {
          orderly = true
          // A signal to the process group may end a child process, and so `self`, before it is handled here.
          const running = Effect.tapCause(self, () => Effect.sleep(SIGNAL_ARRIVES_MS))
          return Effect.raceFirst(Effect.asSome(running), Effect.as(Deferred.await(requested), Option.none()))
        })
    },
    attach: (fiber, exit) => {
      const stop = () => {
        if (repeatsOver) return exit(1, "stopped at once at the second signal; nothing is lost")
        if (stopping) return
        stopping = true
        after(REPEAT_MS, () => {
          repeatsOver = true
        })
        after(terminalLimits.shutdownMs, () =>
          exit(
            1,
            `not everything ended within ${seconds(terminalLimits.shutdownMs)}; stopped anyway, nothing is lost`
          )
        )
        if (orderly) Deferred.doneUnsafe(requested, Effect.void)
        else fiber.interruptUnsafe()
      }
      process.on("SIGTERM", stop)
      process.on("SIGINT", stop)
    }
  }
}
