/**
 * A PostgreSQL of the operator's own with an asynchronous standby, and an address that leads to one of the two. A
 * connection that is open stays with its server, as behind a proxy or a name whose address changes.
 */
import { chownSync, mkdirSync } from "node:fs"
import * as net from "node:net"
import { join } from "node:path"
import { Effect } from "effect"
import { freePort } from "../../kafka/javaServer.ts"
import { runPostgres, serverUser } from "./systemPostgres.ts"

type Name = "primary" | "standby"

export const failoverPair = Effect.fnUntraced(function* (folder: string) {
  const { gid, uid } = serverUser()
  mkdirSync(folder)
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  const run = runPostgres(folder)
  const ports = {
    primary: yield* Effect.promise(freePort),
    standby: yield* Effect.promise(freePort)
  }
  const dataOf = (name: Name) => join(folder, name)
  const control = (name: Name, ...args: ReadonlyArray<string>) =>
    Effect.sync(() => run("pg_ctl", "-D", dataOf(name), "-w", ...args))
  const start = (name: Name) => {
    const options = `-c listen_addresses=127.0.0.1 -c port=${ports[name]} -c unix_socket_directories=${folder} -c fsync=off`
    return Effect.acquireRelease(
      control(name, "-l", join(folder, `${name}.log`), "-o", options, "start"),
      () => Effect.ignore(Effect.try(() => run("pg_ctl", "-D", dataOf(name), "-m", "immediate", "stop")))
    )
  }
  const on = (name: Name) => ["-h", "127.0.0.1", "-p", String(ports[name]), "-U", "ledgerhook"]
  const ask = (name: Name, statement: string) =>
    Effect.sync(() => run("psql", ...on(name), "-d", "postgres", "-c", statement))
  const initial = ["-U", "ledgerhook", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
  run("initdb", "-D", dataOf("primary"), ...initial)
  yield* start("primary")
  run("createdb", ...on("primary"), "ledgerhook")
  run(
    "pg_basebackup",
    "-c",
    "fast",
    ...on("primary"),
    "-D",
    dataOf("standby"),
    "-R",
    "-X",
    "stream",
    "--no-sync"
  )
  yield* start("standby")

  let leadsTo: Name = "primary"
  const sockets = new Set<net.Socket>()
  const address = yield* Effect.acquireRelease(
    Effect.callback<net.Server>((resume) => {
      const server = net.createServer({ noDelay: true }, (client) => {
        const socket = net.connect(ports[leadsTo], "127.0.0.1")
        sockets.add(client)
        client.pipe(socket).pipe(client)
        client.on("error", () => client.destroy()).on("close", () => socket.destroy())
        socket.on("error", () => socket.destroy()).on("close", () => client.destroy())
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
  )
  // The cast is safe: a server that listens on TCP has an `AddressInfo`.
  const { port } = address.address() as net.AddressInfo
  return {
    url: `postgres://ledgerhook@127.0.0.1:${port}/ledgerhook`,
    /** New connections go there. */
    lead: (name: Name) =>
      Effect.sync(() => {
        leadsTo = name
      }),
    /** From now on the standby gets nothing more. */
    stopReplication: Effect.andThen(
      ask("standby", "ALTER SYSTEM SET primary_conninfo = ''"),
      ask("standby", "SELECT pg_reload_conf()")
    ),
    /** Whether each commit on the primary waits for a standby; `stopReplication` has made it wait for ever. */
    commitsWait: (wait: boolean) =>
      Effect.andThen(
        ask("primary", `ALTER SYSTEM SET synchronous_standby_names = '${wait ? "*" : ""}'`),
        ask("primary", "SELECT pg_reload_conf()")
      ),
    /** As by a failure of its machine. */
    crashPrimary: control("primary", "-m", "immediate", "stop"),
    promote: control("standby", "promote")
  }
})
