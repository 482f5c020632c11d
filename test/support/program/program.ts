/** The real program as an operator runs it: a child process with its own folder and nothing of our environment. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { resolve } from "node:path"
import { createInterface } from "node:readline"
import { Deferred, Effect, type Scope } from "effect"

const main = resolve(import.meta.dirname, "../../../bin/ledgerhook.js")

export interface ProgramOptions {
  /** Working folder: `.env` is read there. */
  readonly cwd: string
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
}

export interface StartOptions extends ProgramOptions {
  /** The path of the command. Default: that of the present program. */
  readonly program?: string
}

const environmentOf = (environment: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env["PATH"],
  ...environment
})

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A program that runs longer is killed. `spawnSync` blocks the process, so a test's timeout could not stop it. */
const LONGEST_MS = 60_000

/** Runs the program until it exits. */
export const runProgram = (
  args: ReadonlyArray<string>,
  { cwd, environment, input }: ProgramOptions
): Ended => {
  const { status, stdout, stderr } = spawnSync(main, args, {
    cwd,
    env: environmentOf(environment),
    encoding: "utf8",
    timeout: LONGEST_MS,
    ...(input === undefined ? {} : { input })
  })
  return { code: status, stdout, stderr }
}

/** Whether this machine has util-linux's `script`, which gives a program a terminal. */
export const hasTerminal = spawnSync("script", ["--version"]).status === 0

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Runs the program on a terminal until it exits; returns the lines that both streams wrote. */
export const runOnTerminal = (
  args: ReadonlyArray<string>,
  { cwd, environment }: ProgramOptions
): ReadonlyArray<string> => {
  const command = [main, ...args].map(quoted).join(" ")
  const { stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
    cwd,
    env: environmentOf(environment),
    encoding: "utf8",
    timeout: LONGEST_MS
  })
  return stdout.trim().split(/\r?\n/)
}

export interface RunningProgram {
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<void>
  /** Sends the signal to every process of the group, as a terminal's Ctrl-C and systemd do. */
  readonly signalGroup: (name: NodeJS.Signals) => Effect.Effect<void>
  /** Waits for the first line of standard error that matches. */
  readonly said: (pattern: RegExp) => Effect.Effect<string>
  /** Waits for the first line of standard output that matches. */
  readonly printed: (pattern: RegExp) => Effect.Effect<string>
  readonly stdout: () => string
  /** Waits until the program exits; the result is its exit code. */
  readonly ended: Effect.Effect<number | null>
}

/** Starts the program; it is killed when the scope closes. */
export const startProgram = (args: ReadonlyArray<string>, { program = main, ...options }: StartOptions) =>
  startCommand(program, args, options)

/** Starts an npm script in the project's folder, as people do after a clone. */
export const startScript = (name: string, environment: Readonly<Record<string, string>>) =>
  startCommand("npm", ["run", "--silent", name], {
    cwd: resolve(import.meta.dirname, "../../.."),
    environment
  })

/** Waits for the first line that matches. */
const firstLine = (input: NodeJS.ReadableStream) => {
  const lines: Array<string> = []
  const waiting = new Set<() => void>()
  createInterface({ input }).on("line", (line) => {
    lines.push(line)
    for (const look of waiting) look()
  })
  return (pattern: RegExp): Effect.Effect<string> =>
    Effect.callback((resume) => {
      const look = () => {
        const line = lines.find((one) => pattern.test(one))
        if (line === undefined) return
        waiting.delete(look)
        resume(Effect.succeed(line))
      }
      waiting.add(look)
      look()
    })
}

const startCommand = Effect.fnUntraced(function* (
  command: string,
  args: ReadonlyArray<string>,
  { cwd, environment }: ProgramOptions
): Effect.fn.Return<RunningProgram, never, Scope.Scope> {
  const exit = yield* Deferred.make<number | null>()
  let stdout = ""
  const signalGroup = (running: ChildProcess, name: NodeJS.Signals) => {
    try {
      process.kill(-running.pid!, name)
    } catch {
      // Every process of the group has ended.
    }
  }
  const child: ChildProcess = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(command, args, {
        cwd,
        env: environmentOf(environment),
        stdio: ["ignore", "pipe", "pipe"],
        // Gives the program its own process group, so that `signalGroup` reaches its children.
        detached: true
      })
    ),
    (running) =>
      Effect.andThen(
        Effect.sync(() => signalGroup(running, "SIGKILL")),
        Deferred.await(exit)
      )
  )
  child.stdout!.on("data", (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  const [said, printed] = [firstLine(child.stderr!), firstLine(child.stdout!)]
  child.on("close", (code) => Deferred.doneUnsafe(exit, Effect.succeed(code)))
  return {
    signal: (name) => Effect.sync(() => void child.kill(name)),
    signalGroup: (name) => Effect.sync(() => signalGroup(child, name)),
    said,
    printed,
    stdout: () => stdout,
    ended: Deferred.await(exit)
  }
})
