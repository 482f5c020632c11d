/**
 * Runs a PostgreSQL server of the program's own, under DATA_DIR, on a Unix socket in a private folder. A service has
 * the folder to itself and restarts the server if it dies. A command attaches to a running server, or starts one
 * while it runs. The server stops with the scope. After a kill -9 of the program or the server, the next start
 * recovers.
 *
 *   waiting (another process's server is stopping, or a command's ends soon) → starting → serving ─died─▶ starting
 */

import type { ChildProcess } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect, Schedule, type Scope } from "effect"
import { monotonicNow } from "../../words/Monotonic.ts"
import { storeLimits } from "../Limits.ts"
import { findBinaries } from "./Binaries.ts"
import { checkVersion, initialise, makeFolder, SUPERUSER } from "./Cluster.ts"
import { EmbeddedPostgresError, failure, reasonOf } from "./EmbeddedPostgresError.ts"
import { reasonIn } from "./FailureReason.ts"
import { holderOf, SERVICE, writeHolder } from "./Holder.ts"
import { isChildOf, postmaster, removeStaleLocks } from "./Postmaster.ts"
import { isHalfRestored } from "./RestoreFolder.ts"
import { launch, type ServerPaths, stop } from "./ServerRun.ts"
import { canReach, chooseServerUser } from "./ServerUser.ts"
import { PORT, socketFolder } from "./SocketFolder.ts"

export interface EmbeddedServer {
  /** The Unix socket. */
  readonly path: string
  readonly username: string
  readonly database: string
}

export interface EmbeddedOptions {
  readonly dataDir: string
  /** Shown to another process that finds the folder in use: `ledgerhook start`. */
  readonly command: string
  /** A service must have the folder to itself; a command may attach. */
  readonly owner: boolean
  /** Whether this is the restore that fills the folder. Nothing else may use it before it is complete. */
  readonly restoring?: boolean
}

/** How long a start waits for another process to leave the folder: its server is stopping, or its command ends soon. */
const TAKE_OVER_MS = 4_000
/** Time between attempts to start a server that has ended. */
const RESTART_MS = 1_000

/** Waits until the folder has no server or, for a command, a ready one. True if a ready one may be used. */
const settle = Effect.fnUntraced(function* (options: EmbeddedOptions, cluster: string) {
  const deadline = (yield* monotonicNow) + TAKE_OVER_MS
  while (true) {
    const running = postmaster(cluster)
    if (running === undefined) return false
    if (running.ready && !options.owner) return true
    const holder = holderOf(options.dataDir)
    // The process that has the folder may be a command that ends soon, or it may have died while its server is still
    // stopping.
    const waitedEnough = (yield* monotonicNow) > deadline
    if (waitedEnough || holder?.command === SERVICE) {
      return yield* failure(
        `DATA_DIR: ${options.dataDir} is in use by process ${holder === undefined ? `${running.pid} (postgres)` : `${holder.pid} (${holder.command})`}; stop it or choose another folder.`
      )
    }
    yield* Effect.sleep(storeLimits.embeddedPollMs)
  }
})

const asFailure = (error: unknown): EmbeddedPostgresError =>
  error instanceof EmbeddedPostgresError
    ? error
    : failure(`DATA_DIR: the database cannot be started there (${reasonOf(error)}).`)

/** Everything a server needs before it can run there. */
const prepare = Effect.fnUntraced(function* ({ dataDir: given, restoring }: EmbeddedOptions) {
  const dataDir = resolve(given)
  if (existsSync(dataDir) && !statSync(dataDir).isDirectory()) {
    return yield* failure(`DATA_DIR: ${given} is not a folder.`)
  }
  if (restoring !== true && isHalfRestored(dataDir)) {
    return yield* failure(
      `DATA_DIR: a restore into ${dataDir} has not ended; wait for it, or run \`ledgerhook restore FILE\` again if it was interrupted.`
    )
  }
  const user = yield* Effect.try({ try: chooseServerUser, catch: asFailure })
  if (user === undefined) {
    return yield* failure(
      "DATA_DIR: PostgreSQL does not run as root, and here is neither a user namespace (unshare) nor a user postgres; run ledgerhook as an ordinary user, or set DATABASE_URL."
    )
  }
  yield* makeFolder(dataDir, user)
  const binaries = yield* Effect.try({ try: () => findBinaries(dataDir), catch: asFailure })
  if (binaries === undefined) {
    return yield* failure(
      `DATABASE_URL: this platform (${process.platform}-${process.arch}) has no embedded PostgreSQL; set it to a PostgreSQL 15 or later.`
    )
  }
  const sockets = yield* Effect.try({
    try: () => socketFolder(dataDir, user),
    catch: (error) => failure(`DATA_DIR: no private folder for the database's socket (${String(error)}).`)
  })
  const cluster = join(dataDir, "postgres")
  yield* initialise(binaries, user, cluster)
  for (const path of [cluster, join(binaries.bin, "postgres")]) {
    if (yield* Effect.try({ try: () => canReach(user, path), catch: asFailure })) continue
    return yield* failure(
      `DATA_DIR: the database runs as user ${user.owner?.name}, who cannot reach ${path}; choose a folder that it can, run ledgerhook as an ordinary user, or set DATABASE_URL.`
    )
  }
  yield* checkVersion(binaries, cluster)
  const place: ServerPaths = { binaries, user, cluster, sockets, logFile: join(dataDir, "postgres.log") }
  return place
})

/** Waits until a watchdog and its server have ended. */
const ended = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
  })

/** Waits until the server is ready. False if it ended because another program's server was first. */
const answers = Effect.fnUntraced(function* (child: ChildProcess, place: ServerPaths) {
  const deadline = (yield* monotonicNow) + storeLimits.embeddedStartMs
  while (child.exitCode === null) {
    const running = postmaster(place.cluster)
    if (running?.ready === true && isChildOf(running.pid, child.pid)) return true
    if ((yield* monotonicNow) > deadline) {
      return yield* failure(`DATA_DIR: the database did not start in time; see ${place.logFile}.`)
    }
    yield* Effect.sleep(storeLimits.embeddedPollMs)
  }
  if (postmaster(place.cluster) !== undefined) return false
  return yield* failure(
    `DATA_DIR: the database did not start (${reasonIn(readFileSync(place.logFile, "utf8"))}); see ${place.logFile}.`
  )
})

/** Starts the server or attaches to a running one. A server that was started here stops with the scope. */
export const start = (
  options: EmbeddedOptions
): Effect.Effect<EmbeddedServer, EmbeddedPostgresError, Scope.Scope> =>
  Effect.gen(function* () {
    const place = yield* prepare(options)
    const server: EmbeddedServer = {
      path: join(place.sockets, `.s.PGSQL.${PORT}`),
      username: SUPERUSER,
      database: "postgres"
    }
    let current: ChildProcess | undefined
    yield* Effect.addFinalizer(() => (current === undefined ? Effect.void : stop(current, place.cluster)))

    /** The server started here, once it is ready; undefined if another process's server may be used. */
    const serve = Effect.gen(function* () {
      while (true) {
        if (yield* settle(options, place.cluster)) return undefined
        removeStaleLocks(place.cluster, server.path)
        const child = yield* Effect.try({ try: () => launch(place), catch: asFailure })
        current = child
        if (yield* answers(child, place)) {
          yield* Effect.try({
            try: () => writeHolder(options.dataDir, options.command),
            catch: asFailure
          })
          return child
        }
      }
    })

    const first = yield* serve
    if (first === undefined) return server
    const keepServing = Effect.gen(function* () {
      let child: ChildProcess | undefined = first
      while (child !== undefined) {
        yield* ended(child)
        yield* Effect.logError("the embedded database ended; restarting it")
        child = yield* serve.pipe(
          Effect.tapError((error) => Effect.logError("the embedded database does not start", error)),
          Effect.retry(Schedule.spaced(RESTART_MS))
        )
      }
    })
    yield* Effect.forkScoped(keepServing)
    return server
  })
