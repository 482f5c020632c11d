/**
 * The folder and the database cluster in it: made when missing, whole or not at all, and of the version that the
 * programs at hand can run.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Effect } from "effect"
import { type EmbeddedPostgresError, failure, reasonOf } from "./EmbeddedPostgresError.ts"
import { isAlive } from "./Postmaster.ts"
import { reasonIn } from "./ServerMessages.ts"
import { commandAs, folderMode, handOver, passThrough, type ServerUser } from "./ServerUser.ts"

/** The cluster's superuser; only who can reach the socket can be it. */
export const SUPERUSER = "ledgerhook"

/** Node's own recursive mkdir loops for ever where the system refuses with ENOENT, as below /proc. */
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
      // Its own name: programs that start at once must not take each other's away.
      const probe = join(dataDir, `.writable-${process.pid}`)
      writeFileSync(probe, "")
      rmSync(probe)
    },
    catch: (error) =>
      failure(`DATA_DIR: ${dataDir} cannot be written (${reasonOf(error)}); choose a folder that can.`)
  })

const NEW = ".new-"

/** What first starts that were killed have left. One that is under way in another process stays. */
const removeLeftovers = (cluster: string): void => {
  for (const name of readdirSync(dirname(cluster))) {
    const [, pid] = name.split(`${basename(cluster)}${NEW}`)
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue
    // Its initdb may still be ending, and writing there.
    rmSync(join(dirname(cluster), name), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}

/** Made beside its place and renamed, so that a first start cut short leaves no half-made cluster. */
export const initialise = (
  bin: string,
  user: ServerUser,
  cluster: string
): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.suspend(() => {
    removeLeftovers(cluster)
    if (existsSync(join(cluster, "PG_VERSION"))) return Effect.void
    const fresh = `${cluster}${NEW}${process.pid}`
    // The server's user could not make it: the folder above is not its own.
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
    const { program, args: programArgs, options } = commandAs(user, [join(bin, "initdb"), ...args])
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
      // Another process was first: its cluster is as good.
      rmSync(fresh, { recursive: true, force: true })
    }
    return Effect.void
  }).pipe(
    // A full disk or too few descriptors: the system's own reason.
    Effect.catchDefect((error) =>
      Effect.fail(failure(`DATA_DIR: no database could be made in ${cluster} (${reasonOf(error)}).`))
    )
  )

export const checkVersion = (bin: string, cluster: string): Effect.Effect<void, EmbeddedPostgresError> =>
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
