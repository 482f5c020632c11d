/** Shared by the servers from Maven Central: stores their files, and starts and stops them. */
import { execFileSync, spawn } from "node:child_process"
import { randomBytes, randomInt } from "node:crypto"
import { existsSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs"
import { connect, createServer } from "node:net"
import { resolve } from "node:path"
import { Effect, Schedule } from "effect"

export const cache = (name: string): string =>
  resolve(import.meta.dirname, "../../node_modules/.cache", `ledgerhook-${name}`)

export const output = (command: string, args: ReadonlyArray<string>): string | undefined => {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  } catch {
    return undefined
  }
}

/** The major version of the installed `java`; 0 if there is none. `java` prints `openjdk 17.0.15 2025-04-15`. */
export const javaVersion = (): number => Number(/\d+/.exec(output("java", ["--version"]) ?? "")?.[0] ?? 0)

/** Fills the folder once. It is filled under another name first, so that no run ever uses a half-filled one. */
export const filledOnce = (folder: string, fill: (making: string) => void): string => {
  if (!existsSync(folder)) {
    const making = `${folder}.${randomBytes(4).toString("hex")}`
    mkdirSync(making, { recursive: true })
    fill(making)
    try {
      renameSync(making, folder)
    } catch {
      // Another run has filled the folder first.
      rmSync(making, { recursive: true, force: true })
    }
  }
  return folder
}

export const maven = (...args: ReadonlyArray<string>): void => {
  execFileSync("mvn", ["--quiet", "--batch-mode", ...args], { stdio: ["ignore", "ignore", "inherit"] })
}

/** Below the ports that systems use for outgoing connections, so that no other process gets a stopped server's port. */
const PORTS = { from: 20_000, to: 32_000 }

export const freePort = (): Promise<number> =>
  new Promise((done) => {
    const port = randomInt(PORTS.from, PORTS.to)
    const server = createServer().on("error", () => done(freePort()))
    server.listen(port, "127.0.0.1", () => server.close(() => done(port)))
  })

const isOpen = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, "127.0.0.1")
    socket.on("connect", () => done(true)).on("error", () => done(false))
    socket.on("connect", () => socket.destroy())
  })

const START_MS = 120_000
const LOOK_MS = 100
const STOP_MS = 10_000

export interface JavaServer {
  readonly java: string
  readonly args: ReadonlyArray<string>
  /** The latch opens when the server has started. */
  readonly port: number
  readonly log: string
  readonly heapMb?: number
  /** Variables beside those of this process. */
  readonly environment?: Readonly<Record<string, string>>
  /** A server that has not stopped after this is killed. */
  readonly stopMs?: number
}

export interface RunningServer {
  readonly stop: () => Promise<void>
  /** Sends SIGKILL. */
  readonly kill: () => Promise<void>
  readonly signal: (name: "SIGSTOP" | "SIGCONT") => void
}

export const startJavaServer = async ({
  java,
  args,
  port,
  log,
  heapMb = 512,
  environment = {},
  stopMs = STOP_MS
}: JavaServer): Promise<RunningServer> => {
  const file = openSync(log, "a")
  const running = spawn(java, [`-Xmx${heapMb}m`, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", ...args], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", file, file]
  })
  const open = Effect.promise(() => isOpen(port)).pipe(
    Effect.repeat({ until: (is) => is || running.exitCode !== null, schedule: Schedule.spaced(LOOK_MS) }),
    Effect.timeout(START_MS)
  )
  if ((await Effect.runPromise(Effect.exit(open)))._tag === "Failure" || running.exitCode !== null) {
    running.kill("SIGKILL")
    throw new Error(`${args.at(-1)} did not start; ${log} says why`)
  }
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    if (running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise((done) => running.once("exit", done))
    running.kill(signal)
    await Effect.runPromise(
      Effect.promise(() => ended).pipe(
        Effect.timeoutOrElse({
          duration: stopMs,
          orElse: () => {
            running.kill("SIGKILL")
            return Effect.promise(() => ended)
          }
        })
      )
    )
  }
  return {
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    signal: (name) => void running.kill(name)
  }
}
