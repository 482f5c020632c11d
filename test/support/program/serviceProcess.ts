/**
 * The program as an operator runs it: `ledgerhook start` as a separate process. `kill` sends SIGKILL to the whole
 * process tree, including the database, so no process can clean up.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import { resolve } from "node:path"
import { Effect, type Scope } from "effect"
import { postmaster } from "../../../src/spine/store/embedded/Postmaster.ts"
import { killTreeOf } from "./processes.ts"

const MAIN = resolve(import.meta.dirname, "../../../bin/ledgerhook.js")

export interface ServiceProcess {
  /** The address of the service's API. */
  readonly apiUrl: string
  /** The path that signs in once, which the first start prints. */
  readonly signInPath: string | undefined
  readonly kill: Effect.Effect<void>
}

/** Sends SIGKILL to every process of the embedded server in that DATA_DIR. */
export const killDatabase = (dataDir: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const server = postmaster(resolve(dataDir, "postgres"))
    if (server !== undefined) killTreeOf(server.pid)
  })

const killTree = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
      return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    killTreeOf(child.pid)
  })

export interface Process {
  readonly pid: number
  /** The output that `ready` matched. */
  readonly match: RegExpExecArray
  readonly kill: Effect.Effect<void>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Everything that the program has printed so far. */
  readonly output: () => string
}

/** Starts the program and waits until `ready` matches its output. It is killed when the scope closes. */
export const startProcess = (
  environment: Readonly<Record<string, string>>,
  ready: RegExp,
  program: string = MAIN,
  args: ReadonlyArray<string> = ["start"],
  options: Pick<SpawnOptions, "cwd" | "uid"> = {}
): Effect.Effect<Process, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(program, args, {
          ...options,
          env: {
            PATH: process.env["PATH"],
            HOME: process.env["HOME"],
            PORT: "0",
            LOG_LEVEL: "warn",
            ...environment
          },
          stdio: ["ignore", "pipe", "pipe"]
        })
      ),
      killTree
    )
    let output = ""
    const match = yield* Effect.callback<RegExpExecArray, Error>((resume) => {
      let found: RegExpExecArray | null = null
      const look = (chunk: Buffer) => {
        output += chunk.toString()
        if (found !== null) return
        found = ready.exec(output)
        if (found !== null) resume(Effect.succeed(found))
      }
      child.stdout.on("data", look)
      child.stderr.on("data", look)
      child.once("exit", (code) =>
        resume(Effect.fail(new Error(`the service ended with ${code}:\n${output}`)))
      )
    }).pipe(
      Effect.timeoutOrElse({
        duration: "90 seconds",
        orElse: () => Effect.fail(new Error(`not ready:\n${output}`))
      })
    )
    return {
      // The program has printed something, so the process exists.
      pid: child.pid!,
      match,
      kill: killTree(child),
      signal: (signal) => Effect.sync(() => void child.kill(signal)),
      output: () => output
    }
  })

/** Starts the service and waits for its API. It is killed when the scope closes. */
export const startService = (
  environment: Readonly<Record<string, string>>
): Effect.Effect<ServiceProcess, Error, Scope.Scope> =>
  Effect.map(
    startProcess(environment, /Ledgerhook API: (\S+)[\s\S]*(?:ledgerhook portal \S+|(\/sign-in#link=\w+))\n/),
    ({ match, kill }) => ({ apiUrl: match[1]!, signInPath: match[2], kill })
  )
