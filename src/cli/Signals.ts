/**
 * SIGTERM and SIGINT. A command that runs until it is stopped takes the first one as its orderly end and exits 0; any
 * other command is interrupted and exits 130. The stop is given `Limits.shutdownMs`; a second signal ends the process
 * at once. Nothing is lost either way: what was in flight is taken up again at the next start.
 *
 *   running ──signal──▶ stopping ──done──▶ exit 0      (second signal, or too long: exit 1)
 */
import { Context, Deferred, Effect, type Fiber } from "effect"
import { Limits } from "../config/Limits.ts"

export class Signals extends Context.Service<
  Signals,
  {
    /** Runs `self` until it ends by itself or the process is asked to stop; its finalizers have run then. */
    readonly untilStopped: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<void, E, R>
  }
>()("ledgerhook/cli/Signals") {}

export interface SignalHandling {
  readonly service: Signals["Service"]
  /** From here on signals stop `fiber`; `exit` ends the process. */
  readonly attach: <A, E>(
    fiber: Fiber.Fiber<A, E>,
    exit: (code: number, line: string | undefined) => void
  ) => void
}

export const makeSignalHandling = (): SignalHandling => {
  const requested = Deferred.makeUnsafe<void>()
  let orderly = false
  let stopping = false
  return {
    service: {
      untilStopped: (self) =>
        Effect.suspend(() => {
          orderly = true
          return Effect.raceFirst(Effect.asVoid(self), Deferred.await(requested))
        })
    },
    attach: (fiber, exit) => {
      const stop = () => {
        if (stopping) return exit(1, undefined)
        stopping = true
        const tooLong = Effect.sync(() =>
          exit(
            1,
            `not everything ended within ${Limits.shutdownMs / 1_000} s; stopped anyway, nothing is lost`
          )
        )
        Effect.runFork(Effect.delay(tooLong, Limits.shutdownMs))
        if (orderly) Deferred.doneUnsafe(requested, Effect.void)
        else fiber.interruptUnsafe()
      }
      process.on("SIGTERM", stop)
      process.on("SIGINT", stop)
    }
  }
}
