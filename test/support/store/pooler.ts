/** PgBouncer before a test's own PostgreSQL, with stock settings but for its pool mode. It ends when the scope closes. */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

export const poolerMissing = spawnSync("pgbouncer", ["--version"]).status !== 0
if (poolerMissing && process.env["REQUIRE_POSTGRES"] === "1")
  throw new Error("REQUIRE_POSTGRES: there is no pgbouncer here; install the package pgbouncer.")

const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" ? (address?.port ?? 0) : 0)))
  })
})

/** The URL of a pooler before `database`, a URL without a password. */
export const pooler = Effect.fnUntraced(function* (mode: "session" | "transaction", database: string) {
  const { hostname, pathname, port: behind, username } = new URL(database)
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-pooler-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const port = yield* freePort
  const config = join(folder, "pgbouncer.ini")
  writeFileSync(
    config,
    `[databases]
* = host=${hostname} port=${behind} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`
  )
  spawnSync("chmod", ["-R", "a+rX", folder])
  // PgBouncer refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ["-u", "nobody"] : []
  yield* Effect.acquireRelease(
    Effect.callback<{ readonly stop: () => void }>((resume) => {
      const child = spawn("pgbouncer", [...asUser, config], { stdio: ["ignore", "ignore", "pipe"] })
      child.stderr.on("data", (chunk: Buffer) => {
        if (chunk.toString().includes("process up"))
          resume(Effect.succeed({ stop: () => child.kill("SIGKILL") }))
      })
      child.on("exit", (code) => resume(Effect.die(new Error(`pgbouncer ended with ${code}`))))
    }),
    ({ stop }) => Effect.sync(stop)
  )
  return `postgres://${username}@127.0.0.1:${port}${pathname}`
})
