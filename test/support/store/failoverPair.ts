/**
 * Two PostgreSQL servers of the operator's own: a primary with an asynchronous standby, and an address that leads to one
 * of the two. A connection that is open stays with its server, as behind a proxy or a name whose address changes. Who is
 * the primary changes with each promotion, so that failovers can follow one another.
 */
import { spawn } from "node:child_process"
import { appendFileSync, chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import * as net from "node:net"
import { join } from "node:path"
import { Effect } from "effect"
import { freePort } from "../../kafka/javaServer.ts"
import { postgresPrograms, serverUser } from "./systemPostgres.ts"

type Name = "first" | "second"

const otherOf = (name: Name): Name => (name === "first" ? "second" : "first")

/** The servers run beside whoever waits for them. */
const programsIn = (folder: string) => (program: string, args: ReadonlyArray<string>) =>
  Effect.callback<void>((resume) => {
    const options = { ...serverUser(), cwd: folder, stdio: "ignore" } as const
    spawn(join(postgresPrograms ?? "", program), args, options)
      .once("error", (error) => resume(Effect.die(error)))
      .once("exit", (code) => resume(code === 0 ? Effect.void : Effect.die(`${program} ${args}: ${code}`)))
  })

const makeAddress = (portOf: () => number) =>
  Effect.gen(function* () {
    const sockets = new Set<net.Socket>()
    const server = yield* Effect.acquireRelease(
      Effect.callback<net.Server>((resume) => {
        const listener = net.createServer({ noDelay: true }, (client) => {
          const socket = net.connect({ port: portOf(), host: "127.0.0.1", noDelay: true })
          sockets.add(client)
          client.pipe(socket).pipe(client)
          client
            .on("error", () => client.destroy())
            .on("close", () => {
              sockets.delete(client)
              socket.destroy()
            })
          socket.on("error", () => socket.destroy()).on("close", () => client.destroy())
        })
        listener.listen(0, "127.0.0.1", () => resume(Effect.succeed(listener)))
      }),
      (listener) =>
        Effect.sync(() => {
          for (const socket of sockets) socket.destroy()
          listener.close()
        })
    )
    // The cast is safe: a server that listens on TCP has an `AddressInfo`.
    return (server.address() as net.AddressInfo).port
  })

export const failoverPair = Effect.fnUntraced(function* (folder: string) {
  const { gid, uid } = serverUser()
  const own = (path: string) => uid !== undefined && gid !== undefined && chownSync(path, uid, gid)
  mkdirSync(folder)
  own(folder)
  const run = programsIn(folder)
  const ports: Readonly<Record<Name, number>> = {
    first: yield* Effect.promise(freePort),
    second: yield* Effect.promise(freePort)
  }
  let primary: Name = "first"
  let hasStandby = false
  let leadsTo: Name = "first"
  const standby = () => otherOf(primary)
  const dataOf = (name: Name | "copy") => join(folder, name)
  const control = (name: Name, ...args: ReadonlyArray<string>) =>
    run("pg_ctl", ["-D", dataOf(name), "-w", ...args])
  const stop = (name: Name, how: "fast" | "immediate") => control(name, "-m", how, "stop")
  const start = (name: Name) => {
    const settings = [
      "listen_addresses=127.0.0.1",
      `port=${ports[name]}`,
      `unix_socket_directories=${folder}`,
      "fsync=off",
      "max_connections=300",
      "wal_keep_size=512MB"
    ]
    const options = settings.map((setting) => `-c ${setting}`).join(" ")
    return control(name, "-l", join(folder, `${name}.log`), "-o", options, "start")
  }
  const on = (name: Name) => ["-h", "127.0.0.1", "-p", String(ports[name]), "-U", "ledgerhook"]
  const ask = (name: Name, statement: string) => run("psql", [...on(name), "-d", "postgres", "-c", statement])
  const copyPrimary = (to: Name | "copy", ...more: ReadonlyArray<string>) =>
    Effect.andThen(
      Effect.sync(() => rmSync(dataOf(to), { recursive: true, force: true })),
      Effect.suspend(() =>
        run("pg_basebackup", [
          "-c",
          "fast",
          ...on(primary),
          "-D",
          dataOf(to),
          "-X",
          "stream",
          "--no-sync",
          ...more
        ])
      )
    )

  yield* Effect.addFinalizer(() =>
    Effect.forEach(["first", "second"] as const, (name) => Effect.exit(stop(name, "immediate")))
  )
  const initial = ["-U", "ledgerhook", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
  yield* run("initdb", ["-D", dataOf("first"), ...initial])
  yield* start("first")

  /** Makes the other server a standby of the primary, from a copy, unless it is one. */
  const withStandby = Effect.suspend(() => {
    if (hasStandby) return Effect.void
    hasStandby = true
    return Effect.exit(stop(standby(), "immediate")).pipe(
      Effect.andThen(copyPrimary(standby(), "-R")),
      Effect.andThen(start(standby()))
    )
  })
  yield* withStandby
  const port = yield* makeAddress(() => ports[leadsTo])

  return {
    url: `postgres://ledgerhook@127.0.0.1:${port}/postgres`,
    /** New connections go there. */
    lead: (role: "primary" | "standby") =>
      Effect.sync(() => {
        leadsTo = role === "primary" ? primary : standby()
      }),
    withStandby,
    /** From now on the standby gets nothing more. */
    stopReplication: Effect.suspend(() =>
      Effect.andThen(
        ask(standby(), "ALTER SYSTEM SET primary_conninfo = ''"),
        ask(standby(), "SELECT pg_reload_conf()")
      )
    ),
    /** Whether each commit on the primary waits for a standby; `stopReplication` has made it wait for ever. */
    commitsWait: (wait: boolean) =>
      Effect.suspend(() =>
        Effect.andThen(
          ask(primary, `ALTER SYSTEM SET synchronous_standby_names = '${wait ? "*" : ""}'`),
          ask(primary, "SELECT pg_reload_conf()")
        )
      ),
    /** As by a failure of its machine. */
    crashPrimary: Effect.suspend(() => stop(primary, "immediate")),
    /** In order: a standby that follows then has everything. */
    stopPrimary: Effect.suspend(() => stop(primary, "fast")),
    /** The standby becomes the primary. The old one may still run. */
    promote: Effect.suspend(() => {
      const promoted = standby()
      primary = promoted
      hasStandby = false
      return control(promoted, "promote")
    }),
    /** After `stopPrimary` and `promote`: the old primary starts again, as a standby of the new one. */
    returnAsStandby: Effect.suspend(() => {
      const name = standby()
      const signal = join(dataOf(name), "standby.signal")
      writeFileSync(signal, "")
      own(signal)
      const source = `host=127.0.0.1 port=${ports[primary]} user=ledgerhook`
      appendFileSync(join(dataOf(name), "postgresql.auto.conf"), `primary_conninfo = '${source}'\n`)
      hasStandby = true
      return start(name)
    }),
    /** A copy of the primary as it is now. */
    copy: copyPrimary("copy"),
    /** The primary starts again from the copy. There is no standby then. */
    restoreCopy: Effect.suspend(() => {
      const name = primary
      hasStandby = false
      return stop(name, "fast").pipe(
        Effect.andThen(
          Effect.sync(() => {
            rmSync(dataOf(name), { recursive: true })
            renameSync(dataOf("copy"), dataOf(name))
          })
        ),
        Effect.andThen(start(name))
      )
    })
  }
})

export type FailoverPair = Effect.Success<ReturnType<typeof failoverPair>>
