/**
 * One process of the program, under a supervisor that starts it again whenever it ends, as systemd does. `pid` is
 * undefined while it is down. Everything it has printed is kept for the report.
 */
import { Effect, type Scope } from "effect"
import { type Process, startProcess } from "../../../test/support/program/serviceProcess.ts"

export interface Member {
  readonly name: string
  readonly roles: ReadonlyArray<string>
  readonly apiUrl: string
  readonly pid: () => number | undefined
  /** How often the process was started. */
  readonly starts: () => number
  readonly output: () => string
}

export interface MemberOptions {
  readonly name: string
  readonly roles: ReadonlyArray<string>
  readonly port: number
  readonly environment: Readonly<Record<string, string>>
}

const MAIN = `${import.meta.dirname}/../../../bin/ledgerhook.js`
const LOOK_MS = 100
/** systemd's default pause before a restart. */
const RESTART_MS = 100

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Starts the process and keeps it running; it is killed when the scope closes. */
export const startMember = Effect.fnUntraced(function* ({
  name,
  roles,
  port,
  environment
}: MemberOptions): Effect.fn.Return<Member, never, Scope.Scope> {
  const outputs: Array<() => string> = []
  let running: Process | undefined
  let starts = 0
  const runOnce = Effect.gen(function* () {
    starts++
    running = yield* startProcess(
      { LOG_LEVEL: "info", LOG_FORMAT: "json", ...environment, ROLES: roles.join(), PORT: String(port) },
      /"message":/,
      // This Node is the pinned one. With the one on the PATH, the program would be a child of another process.
      process.execPath,
      [MAIN, "start"]
    )
    const { pid, output } = running
    outputs.push(output)
    while (isAlive(pid)) yield* Effect.sleep(LOOK_MS)
  }).pipe(
    Effect.scoped,
    // A process that ended before its first message is started again too.
    Effect.catch((error) => Effect.sync(() => void outputs.push(() => error.message))),
    Effect.ensuring(
      Effect.sync(() => {
        running = undefined
      })
    )
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(runOnce, Effect.sleep(RESTART_MS))))
  return {
    name,
    roles,
    apiUrl: `http://127.0.0.1:${port}`,
    pid: () => running?.pid,
    starts: () => starts,
    output: () => outputs.map((output) => output()).join("\n")
  }
})
