/** A PostgreSQL of the operator's own, of Debian's package, with the tools of its version. */
import { execFileSync } from "node:child_process"
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { freePort } from "../../kafka/javaServer.ts"

const ROOT = "/usr/lib/postgresql"

const newest = (existsSync(ROOT) ? readdirSync(ROOT) : []).map(Number).sort((a, b) => b - a)[0]

/** The folder of its programs; undefined if there is none. */
export const postgresPrograms = newest === undefined ? undefined : join(ROOT, String(newest), "bin")
if (postgresPrograms === undefined && process.env["REQUIRE_POSTGRES"] === "1") {
  throw new Error("REQUIRE_POSTGRES: the package postgresql is not installed; install it.")
}

/** PostgreSQL does not run as root. */
export const serverUser = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  return { uid: id("-u"), gid: id("-g") }
}

/** Runs one of its programs in `folder`, as the user of the server. */
export const runPostgres =
  (folder: string) =>
  (name: string, ...args: ReadonlyArray<string>) =>
    execFileSync(join(postgresPrograms ?? "", name), args, { ...serverUser(), cwd: folder, stdio: "ignore" })

export interface Tls {
  readonly key: string
  readonly cert: string
  /** Signs the certificates of clients. TCP clients must have one, for the role of their name. */
  readonly clientAuthority: string
}

/**
 * Starts an empty server in `folder`; returns the environment with which its tools and `$DATABASE_URL` reach it. Without
 * `tls`, everybody may connect.
 */
export const startSystemPostgres = Effect.fnUntraced(function* (folder: string, tls?: Tls) {
  const user = serverUser()
  const run = runPostgres(folder)
  mkdirSync(folder)
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, "data")
  const port = yield* Effect.promise(freePort)
  const settings = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories=${folder}`
  const write = (name: string, text: string) => {
    const file = join(data, name)
    writeFileSync(file, text, { mode: 0o600 })
    if (user.uid !== undefined && user.gid !== undefined) chownSync(file, user.uid, user.gid)
    return file
  }
  const secure = ({ cert, clientAuthority, key }: Tls) => {
    write("pg_hba.conf", "local all all trust\nhostssl all all 127.0.0.1/32 cert\n")
    const files = {
      ssl_cert_file: write("server.pem", cert),
      ssl_key_file: write("server.key", key),
      ssl_ca_file: write("clients.pem", clientAuthority)
    }
    const named = Object.entries(files).map(([name, file]) => `-c ${name}=${file}`)
    return `${settings} -c ssl=on ${named.join(" ")}`
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      run("initdb", "-D", data, "-U", "ledgerhook", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
      const options = tls === undefined ? settings : secure(tls)
      run("pg_ctl", "-D", data, "-w", "-l", join(folder, "log"), "-o", options, "start")
    }),
    () => Effect.sync(() => run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop"))
  )
  return {
    PATH: `${postgresPrograms ?? ""}:${process.env["PATH"]}`,
    PGHOST: "127.0.0.1",
    PGPORT: String(port),
    PGUSER: "ledgerhook",
    DATABASE_URL: `postgres://ledgerhook@127.0.0.1:${port}/ledgerhook`
  }
})
