/**
 * Tells systemd how the process is (`Type=notify`): READY=1 after the start, STATUS= with what the start waits for,
 * STOPPING=1, and while the event loop turns WATCHDOG=1, or during the start EXTEND_TIMEOUT_USEC. So systemd restarts a
 * process that hangs, and never one that waits. Node cannot write to the socket, so systemd's own program does
 * (`systemd-notify`). Without NOTIFY_SOCKET nothing is done. A message that cannot be sent is logged, and nothing else.
 */
import { execFile } from "node:child_process"
import { Effect, Schedule } from "effect"
import { Limits } from "../../spine/config/Limits.ts"
import { printable } from "../../spine/words/Printable.ts"
import { Invocation } from "../../terminal/Invocation.ts"

/** A start without a sign of life for so long counts as hanging, beside the unit's TimeoutStartSec. */
const START_EXTENDED_US = 60_000_000
/** The longest time between two signs of life. */
const BEAT_MS = 10_000
/** systemd takes a message within milliseconds. */
const SEND_MS = 5_000
/** So two of three may be lost. */
const BEATS_PER_WATCHDOG = 3

export interface Told {
  /** Gets each sentence about a start that waits. */
  readonly said: (sentence: string) => Effect.Effect<void>
  readonly started: Effect.Effect<void>
  readonly stopping: Effect.Effect<void>
}

const nobody: Told = { said: () => Effect.void, started: Effect.void, stopping: Effect.void }

/** Tells systemd until the scope ends. */
export const systemd = Effect.gen(function* () {
  const { NOTIFY_SOCKET, PATH, WATCHDOG_USEC } = (yield* Invocation).environment
  if (!NOTIFY_SOCKET) return nobody
  const watchdogMs = Number(WATCHDOG_USEC ?? 0) / 1_000
  let hasStarted = false

  const send = (...states: ReadonlyArray<string>) =>
    Effect.tryPromise(
      () =>
        new Promise<void>((resolve, reject) => {
          const options = { env: { NOTIFY_SOCKET, PATH }, timeout: SEND_MS }
          execFile("systemd-notify", states, options, (error) => (error === null ? resolve() : reject(error)))
        })
    ).pipe(Effect.catch((error) => Effect.logWarning("systemd cannot be notified", error)))

  const beat = Effect.suspend(() => {
    if (!hasStarted) return send(`EXTEND_TIMEOUT_USEC=${START_EXTENDED_US}`)
    return watchdogMs > 0 ? send("WATCHDOG=1") : Effect.void
  })
  const everyMs = watchdogMs > 0 ? Math.min(BEAT_MS, watchdogMs / BEATS_PER_WATCHDOG) : BEAT_MS
  yield* Effect.forkScoped(Effect.repeat(beat, Schedule.spaced(everyMs)))
  const told: Told = {
    // A line of its own would be a message of its own.
    said: (sentence) => send(`STATUS=${printable(sentence, Limits.errorLength)}`),
    started: Effect.suspend(() => {
      hasStarted = true
      return send("READY=1", "STATUS=runs")
    }),
    // The stop does not wait for systemd.
    stopping: Effect.asVoid(Effect.forkDetach(send("STOPPING=1", "STATUS=stops")))
  }
  return told
})
