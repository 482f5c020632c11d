/**
 * DATA_DIR and the database cluster in it. A missing cluster is made, whole or not at all. Its version must be one
 * that the programs found can run.
 */
import { spawnSync } from "node:child_process"
import { closeSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect } from "effect"
import { openNew } from "../NewFile.ts"
import { type Binaries, commandOf } from "./Binaries.ts"
import { type EmbeddedPostgresError, failure, reasonOf } from "./EmbeddedPostgresError.ts"
import { reasonIn } from "./FailureReason.ts"
import { isAlive } from "./Postmaster.ts"
import { commandAs, folderMode, handOver, passThrough, type ServerUser } from "./ServerUser.ts"

/** The cluster's superuser. Only a process that can reach the socket can connect as it. */
export const SUPERUSER = "ledgerhook"

/** Node's recursive mkdir loops for ever if the system refuses with ENOENT, as below /proc. */
const makeFolders = (folder: string, mode: number): void => {
  if (existsSync(folder)) return
  makeFolders(dirname(folder), mode)
  mkdirSync(folder, { mode })
}

export const makeFolder = (dataDir: string, user: ServerUser): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.try({
    try: () => {
      makeFolders(dataDir, folderMode(user))
      passThrough(user, dataDir)
      // Named by process: programs that start at once must not delete each other's probe.
      const probe = join(dataDir, `.writable-${process.pid}`)
      closeSync(openNew(probe))
      rmSync(probe)
    },
    catch: (error) =>
      failure(`DATA_DIR: ${dataDir} cannot be written (${reasonOf(error)}); choose a folder that can.`)
  })

const NEW = ".new-"

/** Deletes half-made clusters of killed first starts, but not one that another process is making. */
const removeLeftovers = (cluster: string): void => {
  for (const name of readdirSync(dirname(cluster))) {
    const [, pid] = name.split(`${basename(cluster)}${NEW}`)
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue
    // The initdb of the killed start may still be writing there.
    rmSync(join(dirname(cluster), name), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}

/** Makes the cluster in a folder beside it and renames that, so a killed first start leaves no half-made cluster. */
export const initialise = (
  binaries: Binaries,
  user: ServerUser,
  cluster: string
): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.suspend(() => {
    removeLeftovers(cluster)
    if (existsSync(join(cluster, "PG_VERSION"))) return Effect.void
    const fresh = `${cluster}${NEW}${process.pid}`
    // Made here, because the server's user may not write to the folder above.
    mkdirSync(fresh, { mode: 0o700 })
    handOver(user, fresh)
    const args = [
      "-D",
      fresh,
      "-U",
      SUPERUSER,
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C",
      "--no-sync",
      "--no-instructions"
    ]
    const {
      program,
      args: programArgs,
      options
    } = commandAs(user, [...commandOf(binaries, "initdb"), ...args])
    const { status, stderr, error } = spawnSync(program, programArgs, {
      ...options,
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"]
    })
    if (status !== 0) {
      rmSync(fresh, { recursive: true, force: true })
      const reason = error?.message ?? reasonIn(stderr)
      return Effect.fail(failure(`DATA_DIR: no database could be made in ${cluster} (${reason}).`))
    }
    try {
      renameSync(fresh, cluster)
    } catch {
      // Another process was first: use its cluster.
      rmSync(fresh, { recursive: true, force: true })
    }
    return Effect.void
  }).pipe(
    // For example a full disk, or too few file descriptors.
    Effect.catchDefect((error) =>
      Effect.fail(failure(`DATA_DIR: no database could be made in ${cluster} (${reasonOf(error)}).`))
    )
  )

export const checkVersion = (
  binaries: Binaries,
  cluster: string
): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.suspend(() => {
    const made = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim()
    const [program = "", ...args] = commandOf(binaries, "postgres")
    const { stdout } = spawnSync(program, [...args, "--version"], { encoding: "utf8" })
    const runs = /(\d+)\./.exec(stdout)?.[1]
    return runs === undefined || runs === made
      ? Effect.void
      : Effect.fail(
          failure(
            `DATA_DIR: ${cluster} was made by PostgreSQL ${made}, and this program brings ${runs}; make a backup with the version of ledgerhook that made it, and restore that into another folder.`
          )
        )
  })
