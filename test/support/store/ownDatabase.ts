/**
 * A PostgreSQL server separate from the run's: for tests that stop and restart it, and for programs that must not
 * share a server. It listens on a Unix socket; a TCP proxy passes connections to it while it runs.
 */
import { mkdtempSync, rmSync } from "node:fs"
import * as net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { start } from "../../../src/spine/store/embedded/EmbeddedPostgres.ts"

export interface OwnDatabase {
  /** The value of DATABASE_URL. */
  readonly url: string
  /** Shuts the server down and closes its clients' connections; `start` runs another server on the same data. */
  readonly stop: Effect.Effect<void>
  readonly start: Effect.Effect<void>
}

/** Starts the server; it stops when the scope closes. */
export const ownDatabase: Effect.Effect<OwnDatabase, never, Scope.Scope> = Effect.gen(function* () {
  const dataDir = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-database-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  let running = yield* Scope.make()
  const begin = Effect.suspend(() =>
    Effect.orDie(Scope.provide(start({ dataDir, command: "ledgerhook test", owner: true }), running))
  )
  const stop = Effect.suspend(() => Scope.close(running, Exit.void))
  const { path, username, database } = yield* Effect.acquireRelease(begin, () => stop)
  const listener = yield* Effect.acquireRelease(
    Effect.callback<net.Server>((resume) => {
      // As PostgreSQL does: a held-back end of an answer would wait 40 ms for an acknowledgement.
      const server = net.createServer({ noDelay: true }, (client) => {
        const socket = net.connect(path)
        client.pipe(socket).pipe(client)
        for (const [end, other] of [
          [client, socket],
          [socket, client]
        ] as const) {
          end.on("error", () => end.destroy()).on("close", () => other.destroy())
        }
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => void server.close())
  )
  // The cast is safe: a server that listens on TCP has an `AddressInfo`.
  const { port } = listener.address() as net.AddressInfo
  return {
    url: `postgres://${username}@127.0.0.1:${port}/${database}`,
    stop,
    start: Effect.gen(function* () {
      running = yield* Scope.make()
      yield* begin
    })
  }
})
