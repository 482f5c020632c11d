/**
 * The program as an operator runs it: `ledgerhook start` as a process of its own. `kill` is kill -9 of the whole
 * tree, database included, with no chance for anybody to tidy up.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { resolve } from "node:path"
import { Effect, type Scope } from "effect"

const MAIN = resolve(import.meta.dirname, "../../bin/ledgerhook.js")

export interface ServiceProcess {
  /** Where its API listens. */
  readonly apiUrl: string
  readonly kill: Effect.Effect<void>
}

/** Every process whose ancestor is `root`, itself included. */
const treeOf = (root: number): ReadonlyArray<number> => {
  const parents = new Map<number, number>()
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8")
      // The name in parentheses may hold anything; what follows it is fixed.
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]))
    } catch {
      // It ended meanwhile.
    }
  }
  const tree = [root]
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child)
  return tree
}

/** kill -9 of every process of the embedded server in that DATA_DIR: its working directory is the cluster. */
export const killDatabase = (dataDir: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const cluster = resolve(dataDir, "postgres")
    for (const name of readdirSync("/proc")) {
      try {
        if (readlinkSync(`/proc/${name}/cwd`) === cluster) process.kill(Number(name), "SIGKILL")
      } catch {
        // No process, or it ended meanwhile.
      }
    }
  })

const killTree = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
      return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    for (const pid of treeOf(child.pid)) {
      try {
        process.kill(pid, "SIGKILL")
      } catch {
        // It ended meanwhile.
      }
    }
  })

export interface Process {
  readonly pid: number
  /** What `ready` matched. */
  readonly match: RegExpExecArray
  readonly kill: Effect.Effect<void>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** All it has printed so far. */
  readonly output: () => string
}

/** Starts it and waits until it has printed what `ready` matches; killed with the scope if it still runs. */
export const startProcess = (
  environment: Readonly<Record<string, string>>,
  ready: RegExp,
  program: string = MAIN,
  args: ReadonlyArray<string> = ["start"]
): Effect.Effect<Process, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(program, args, {
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
      const look = (chunk: Buffer) => {
        output += chunk.toString()
        const found = ready.exec(output)
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
      // It has printed something, so it was started.
      pid: child.pid!,
      match,
      kill: killTree(child),
      signal: (signal) => Effect.sync(() => void child.kill(signal)),
      output: () => output
    }
  })

/** Starts it and waits for its API; killed with the scope if it still runs. */
export const startService = (
  environment: Readonly<Record<string, string>>
): Effect.Effect<ServiceProcess, Error, Scope.Scope> =>
  Effect.map(startProcess(environment, /Ledgerhook API: (\S+)/), ({ match, kill }) => ({
    apiUrl: match[1]!,
    kill
  }))
