/**
 * A PostgreSQL server of the program's own, under DATA_DIR, on a Unix socket in a private folder. It lives as long as
 * the program that started it: a small shell holds a pipe from the program and stops the server when the pipe closes,
 * so kill -9 of the program leaves none behind. A service owns the folder; a command attaches to a running server, or
 * starts one for as long as it runs.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { Clock, Effect, Schema, type Scope } from "effect"
import { Limits } from "../../config/Limits.ts"
import { findBinaries } from "./Binaries.ts"
import { asServerUser, canRunServer } from "./ServerUser.ts"
import { socketFolder } from "./SocketFolder.ts"

export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()(
  "EmbeddedPostgresError",
  {
    message: Schema.String
  }
) {}

export interface EmbeddedServer {
  /** Folder of the Unix socket. */
  readonly path: string
  readonly username: string
  readonly database: string
}

export interface EmbeddedOptions {
  readonly dataDir: string
  /** What this process is, for whoever finds the folder in use: `ledgerhook start`. */
  readonly command: string
  /** A service must have the folder to itself; a command may attach. */
  readonly owner: boolean
}

const USER = "ledgerhook"
const PORT = 5432

/** Runs "$@" and stops it when standard input closes: with the program that holds the other end, however that ends. */
const WATCHDOG = `exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(cat <&3 >/dev/null; kill -INT $server 2>/dev/null) &
wait $server`

const failure = (message: string) => new EmbeddedPostgresError({ message })

const reasonOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error)

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return reasonOf(error) === "EPERM"
  }
}

/** Whether that process is a server of this cluster: its working directory is the cluster. */
const serves = (pid: number, cluster: string): boolean => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster)
  } catch {
    return false
  }
}

/** Whether `parent`, our watchdog, started that process: of two programs at once, one sees the other's server. */
const isChildOf = (pid: number, parent: number | undefined): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The second field is the program's name in brackets and may hold spaces; state and parent follow it.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent
  } catch {
    return false
  }
}

/** What postmaster.pid says: its first line is the process, its eighth the state. */
const postmaster = (cluster: string): { readonly pid: number; readonly ready: boolean } | undefined => {
  try {
    const lines = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")
    const pid = Number(lines[0])
    // After a crash the number may belong to any other process, another cluster's server too.
    return serves(pid, cluster) ? { pid, ready: lines[7]?.trim() === "ready" } : undefined
  } catch {
    return undefined
  }
}

/** Node's own recursive mkdir loops for ever where the system refuses with ENOENT, as below /proc. */
const makeFolders = (folder: string): void => {
  if (existsSync(folder)) return
  makeFolders(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

/**
 * PostgreSQL takes the living process that a lock file names for its predecessor and refuses to start. After a crash
 * that number may be anybody's: such a file goes. One of a dead process it replaces itself, with checks of its own.
 */
const removeStaleLocks = (cluster: string, socket: string): void => {
  for (const file of [join(cluster, "postmaster.pid"), `${socket}.lock`]) {
    if (!existsSync(file)) continue
    const pid = Number(readFileSync(file, "utf8").split("\n")[0])
    if (isAlive(pid) && !serves(pid, cluster)) rmSync(file, { force: true })
  }
}

const makeFolder = (dataDir: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.try({
    try: () => {
      makeFolders(dataDir)
      writeFileSync(join(dataDir, ".writable"), "")
      rmSync(join(dataDir, ".writable"))
    },
    catch: (error) =>
      failure(`DATA_DIR: ${dataDir} cannot be written (${reasonOf(error)}); choose a folder that can.`)
  })

/** Made beside its place and renamed, so that a first start cut short leaves no half-made cluster. */
const initialise = (bin: string, cluster: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.suspend(() => {
    if (existsSync(join(cluster, "PG_VERSION"))) return Effect.void
    const fresh = `${cluster}.new-${process.pid}`
    // A start cut short may have had the same number.
    rmSync(fresh, { recursive: true, force: true })
    const args = [
      "-D",
      fresh,
      "-U",
      USER,
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C",
      "--no-sync",
      "--no-instructions"
    ]
    const [command, commandArgs] = asServerUser([join(bin, "initdb"), ...args])
    const { status, stderr, error } = spawnSync(command, commandArgs, {
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"]
    })
    if (status !== 0) {
      rmSync(fresh, { recursive: true, force: true })
      const reason = error?.message ?? stderr.trim().split("\n").at(-1) ?? "unknown"
      return Effect.fail(failure(`DATA_DIR: no database could be made in ${cluster} (${reason}).`))
    }
    try {
      renameSync(fresh, cluster)
    } catch {
      // Another process was first: its cluster is as good.
      rmSync(fresh, { recursive: true, force: true })
    }
    return Effect.void
  })

const checkVersion = (bin: string, cluster: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.suspend(() => {
    const made = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim()
    const { stdout } = spawnSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" })
    const runs = /(\d+)\./.exec(stdout)?.[1]
    return runs === undefined || runs === made
      ? Effect.void
      : Effect.fail(
          failure(
            `DATA_DIR: ${cluster} was made by PostgreSQL ${made}, and this program brings ${runs}; dump and restore it, or choose another folder.`
          )
        )
  })

const launch = (bin: string, cluster: string, sockets: string, logFile: string): ChildProcess => {
  const settings = [
    "listen_addresses=",
    `unix_socket_directories=${sockets}`,
    `port=${PORT}`,
    `max_connections=${Limits.embeddedConnections}`,
    "log_min_messages=warning"
  ]
  const command = [join(bin, "postgres"), "-D", cluster, ...settings.flatMap((setting) => ["-c", setting])]
  const [program, args] = asServerUser(command)
  const log = openSync(logFile, "w")
  // A session of its own: Ctrl-C in the terminal must reach the program only, which stops the server last.
  const child = spawn("sh", ["-c", WATCHDOG, "sh", program, ...args], {
    stdio: ["pipe", log, log],
    detached: true
  })
  closeSync(log)
  return child
}

/** Waits until the folder's server is gone or, for a command, ready: true when a ready one may be used. */
const settle = Effect.fnUntraced(function* (options: EmbeddedOptions, cluster: string, holderFile: string) {
  const deadline = (yield* Clock.currentTimeMillis) + Limits.embeddedTakeOverMs
  while (true) {
    const running = postmaster(cluster)
    if (running === undefined) return false
    if (running.ready && !options.owner) return true
    const [pid, holder] = existsSync(holderFile) ? readFileSync(holderFile, "utf8").split("\n") : []
    const held = isAlive(Number(pid))
    // Whoever holds it may be a command that ends soon, or dead, with the server stopping behind it.
    const waitedEnough = (yield* Clock.currentTimeMillis) > deadline
    if (waitedEnough || (held && holder === "ledgerhook start")) {
      return yield* failure(
        `DATA_DIR: ${options.dataDir} is in use by process ${held ? `${pid} (${holder})` : `${running.pid} (postgres)`}; stop it or choose another folder.`
      )
    }
    yield* Effect.sleep(Limits.embeddedPollMs)
  }
})

const stop = (child: ChildProcess, cluster: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.stdin?.end()
  }).pipe(
    Effect.timeoutOrElse({
      duration: Limits.embeddedStopMs,
      orElse: () =>
        Effect.sync(() => {
          const running = postmaster(cluster)
          if (running !== undefined) process.kill(running.pid, "SIGQUIT")
        })
    })
  )

const lastLogLine = (logFile: string): string => readFileSync(logFile, "utf8").trim().split("\n").at(-1) ?? ""

/** Starts the server, or attaches to it; it is stopped with the scope that started it. */
export const start = (
  options: EmbeddedOptions
): Effect.Effect<EmbeddedServer, EmbeddedPostgresError, Scope.Scope> =>
  Effect.gen(function* () {
    const dataDir = resolve(options.dataDir)
    const cluster = join(dataDir, "postgres")
    const holderFile = join(dataDir, "holder")
    const logFile = join(dataDir, "postgres.log")
    if (existsSync(dataDir) && !statSync(dataDir).isDirectory()) {
      return yield* failure(`DATA_DIR: ${options.dataDir} is not a folder.`)
    }
    yield* makeFolder(dataDir)
    const sockets = yield* Effect.try({
      try: () => socketFolder(dataDir),
      catch: (error) => failure(`DATA_DIR: no private folder for the database's socket (${String(error)}).`)
    })
    const server: EmbeddedServer = {
      path: join(sockets, `.s.PGSQL.${PORT}`),
      username: USER,
      database: "postgres"
    }

    while (true) {
      if (yield* settle(options, cluster, holderFile)) return server
      const bin = yield* Effect.try({
        try: findBinaries,
        catch: (error) => failure(`PostgreSQL cannot be set up (${String(error)}).`)
      })
      if (bin === undefined) {
        return yield* failure(
          `DATABASE_URL: this platform (${process.platform}-${process.arch}) has no embedded PostgreSQL; set it to a PostgreSQL 15 or later.`
        )
      }
      if (!canRunServer()) {
        return yield* failure(
          "DATA_DIR: PostgreSQL does not run as root, and no user namespace can be made here (unshare); run ledgerhook as an ordinary user, or set DATABASE_URL."
        )
      }
      yield* initialise(bin, cluster)
      yield* checkVersion(bin, cluster)
      removeStaleLocks(cluster, server.path)
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => launch(bin, cluster, sockets, logFile)),
        (child) => stop(child, cluster)
      )
      const deadline = (yield* Clock.currentTimeMillis) + Limits.embeddedStartMs
      while (child.exitCode === null) {
        const running = postmaster(cluster)
        if (running?.ready === true && isChildOf(running.pid, child.pid)) {
          writeFileSync(holderFile, `${process.pid}\n${options.command}`)
          return server
        }
        if ((yield* Clock.currentTimeMillis) > deadline) {
          return yield* failure(
            `DATA_DIR: the database in ${dataDir} did not start in time; see ${basename(logFile)} there.`
          )
        }
        yield* Effect.sleep(Limits.embeddedPollMs)
      }
      // Another process was faster: look again. Anything else is an error that repeating will not mend.
      if (postmaster(cluster) === undefined) {
        return yield* failure(`DATA_DIR: the database in ${dataDir} did not start: ${lastLogLine(logFile)}`)
      }
    }
  })
