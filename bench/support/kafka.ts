/** A real broker and a PostgreSQL that other processes reach by TCP, for benchmarks of many processes; gone with the scope. */
import { mkdtempSync, rmSync } from "node:fs"
import * as net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { start } from "../../src/storage/embedded/EmbeddedPostgres.ts"
import { startBroker } from "../../test/kafka/broker.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "ledgerhook-bench-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** The value of KAFKA_BROKERS. */
export const brokers = Effect.gen(function* () {
  const dir = yield* folder
  const broker = yield* Effect.acquireRelease(
    Effect.promise(() => startBroker(dir)),
    (started) => Effect.promise(() => started.stop())
  )
  return broker.brokers
})

/** The value of DATABASE_URL: an embedded server listens on a socket of its own, so what comes by TCP is passed on. */
export const databaseUrl = Effect.gen(function* () {
  const dataDir = yield* folder
  const { path, username, database } = yield* start({ dataDir, command: "ledgerhook bench", owner: true })
  const listener = yield* Effect.acquireRelease(
    Effect.callback<net.Server>((resume) => {
      const server = net.createServer((client) => {
        const socket = net.connect(path)
        client.pipe(socket).pipe(client)
        for (const end of [client, socket]) end.on("error", () => end.destroy())
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => void server.close())
  )
  // A server that listens on TCP has such an address.
  const { port } = listener.address() as net.AddressInfo
  return `postgres://${username}@127.0.0.1:${port}/${database}`
})
