/** A PostgreSQL of the operator's own, of Debian's package, with the tools of its version. */
import { execFileSync } from "node:child_process"
import { chownSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { freePort } from "../kafka/javaServer.ts"

const ROOT = "/usr/lib/postgresql"

const newest = (existsSync(ROOT) ? readdirSync(ROOT) : []).map(Number).sort((a, b) => b - a)[0]

/** The folder of its programs; undefined if there is none. */
export const postgresPrograms = newest === undefined ? undefined : join(ROOT, String(newest), "bin")
if (postgresPrograms === undefined && process.env["REQUIRE_POSTGRES"] === "1") {
  throw new Error("REQUIRE_POSTGRES: the package postgresql is not installed; install it.")
}

/** PostgreSQL does not run as root. */
const owner = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  return { uid: id("-u"), gid: id("-g") }
}

/** Starts an empty server in `folder`; returns the environment with which its tools and `$DATABASE_URL` reach it. */
export const startSystemPostgres = Effect.fnUntraced(function* (folder: string) {
  const user = owner()
  const programs = postgresPrograms ?? ""
  const run = (name: string, ...args: ReadonlyArray<string>) =>
    execFileSync(join(programs, name), args, { ...user, cwd: folder, stdio: "ignore" })
  mkdirSync(folder)
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, "data")
  const port = yield* Effect.promise(freePort)
  const settings = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories=${folder}`
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      run("initdb", "-D", data, "-U", "ledgerhook", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
      run("pg_ctl", "-D", data, "-w", "-l", join(folder, "log"), "-o", settings, "start")
    }),
    () => Effect.sync(() => run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop"))
  )
  return {
    PATH: `${programs}:${process.env["PATH"]}`,
    PGHOST: "127.0.0.1",
    PGPORT: String(port),
    PGUSER: "ledgerhook",
    DATABASE_URL: `postgres://ledgerhook@127.0.0.1:${port}/ledgerhook`
  }
})
