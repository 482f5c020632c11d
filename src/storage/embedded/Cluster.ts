/**
 * The folder and the database cluster in it: made when missing, whole or not at all, and of the version that the
 * programs at hand can run.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { type EmbeddedPostgresError, failure, reasonOf } from "./EmbeddedPostgresError.ts"
import { commandAs, handOver, type ServerUser } from "./ServerUser.ts"

/** The cluster's superuser; only who can reach the socket can be it. */
export const SUPERUSER = "ledgerhook"

/** Node's own recursive mkdir loops for ever where the system refuses with ENOENT, as below /proc. */
const makeFolders = (folder: string): void => {
  if (existsSync(folder)) return
  makeFolders(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

export const makeFolder = (dataDir: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.try({
    try: () => {
      makeFolders(dataDir)
      // Its own name: programs that start at once must not take each other's away.
      const probe = join(dataDir, `.writable-${process.pid}`)
      writeFileSync(probe, "")
      rmSync(probe)
    },
    catch: (error) =>
      failure(`DATA_DIR: ${dataDir} cannot be written (${reasonOf(error)}); choose a folder that can.`)
  })

/** Made beside its place and renamed, so that a first start cut short leaves no half-made cluster. */
export const initialise = (
  bin: string,
  user: ServerUser,
  cluster: string
): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.suspend(() => {
    if (existsSync(join(cluster, "PG_VERSION"))) return Effect.void
    const fresh = `${cluster}.new-${process.pid}`
    handOver(user, dirname(cluster))
    // A start cut short may have had the same number.
    rmSync(fresh, { recursive: true, force: true })
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
