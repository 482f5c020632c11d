/**
 * A loopback proxy for the test's PostgreSQL that imitates network faults during a commit. It loses the answer to a
 * successful write, or disconnects the client before its write reaches the server and forwards the write later.
 */
import * as net from "node:net"
import { Effect, Latch } from "effect"
import { inject } from "vitest"
import { connectionTo } from "../setup/globalSetup.ts"

const target = (): net.NetConnectOpts => {
  const { url, path } = inject("postgres")
  if (url === undefined) return { path: path ?? "" }
  const { hostname, port } = new URL(url)
  return { host: hostname, port: port === "" ? 5432 : Number(port) }
}

export interface DatabaseProxy {
  /** Options that connect to that database through the proxy. */
  readonly connectionTo: (database: string) => ReturnType<typeof connectionTo>
  /** Loses the answer to the next statement whose completion tag is `tag`, and ends its connection. */
  readonly loseAnswer: (tag: string) => Effect.Effect<void>
  /** Keeps back the next write and disconnects its client; the result forwards it and waits for the server's answer. */
  readonly delayWrite: Effect.Effect<Effect.Effect<void>>
  /** Ends every connection and refuses new ones, like a stopped database, until `restore` runs. */
  readonly cut: Effect.Effect<void>
  readonly restore: Effect.Effect<void>
  /** From the next statement that contains `text` on, its connection stays open and gets no answer. */
  readonly swallowAnswers: (text: string) => Effect.Effect<void>
}

/** Starts the proxy; it stops when the scope closes. */
export const databaseProxy = Effect.acquireRelease(
  Effect.promise(async () => {
    const sockets = new Set<net.Socket>()
    let lostTag: string | undefined
    let held: { chunk: Buffer; server: net.Socket } | undefined
    let holding = false
    let away = false
    let swallowed: string | undefined
    const ended = Latch.makeUnsafe()

    const listener = net.createServer({ noDelay: true }, (client) => {
      if (away) return void client.destroy()
      const server = net.connect(target())
      let silent = false
      for (const socket of [client, server]) {
        sockets.add(socket)
        socket.on("error", () => socket.destroy())
      }
      client.on("data", (chunk: Buffer) => {
        if (swallowed !== undefined && chunk.includes(swallowed)) {
          swallowed = undefined
          silent = true
        }
        if (!holding) return void server.write(chunk)
        holding = false
        held = { chunk, server }
        client.destroy()
      })
      client.on("close", () => {
        if (held?.server !== server) server.destroy()
      })
      server.on("data", (chunk) => {
        if (silent) return
        if (lostTag !== undefined && chunk.includes(lostTag)) {
          lostTag = undefined
          return void client.destroy()
        }
        if (!client.destroyed) client.write(chunk)
        else if (held?.server === server) server.end(() => ended.openUnsafe())
      })
      server.on("close", () => client.destroy())
    })
    await new Promise<void>((done) => listener.listen(0, "127.0.0.1", done))
    const { port } = listener.address() as net.AddressInfo
    const proxy: DatabaseProxy = {
      connectionTo: (database) => {
        const { url, username } = inject("postgres")
        const address = new URL(url ?? `postgres://${username}@127.0.0.1`)
        address.hostname = "127.0.0.1"
        address.port = String(port)
        return connectionTo({ url: address.href }, database)
      },
      loseAnswer: (tag) =>
        Effect.sync(() => {
          lostTag = tag
        }),
      cut: Effect.sync(() => {
        away = true
        for (const socket of sockets) socket.destroy()
        sockets.clear()
      }),
      restore: Effect.sync(() => {
        away = false
      }),
      swallowAnswers: (text) =>
        Effect.sync(() => {
          swallowed = text
        }),
      delayWrite: Effect.sync(() => {
        holding = true
        return Effect.suspend(() => {
          if (held === undefined) return Effect.die(new Error("nothing was held back"))
          held.server.write(held.chunk)
          return Latch.await(ended)
        })
      })
    }
    return { proxy, listener, sockets }
  }),
  ({ listener, sockets }) =>
    Effect.promise(async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => listener.close(done))
    })
).pipe(Effect.map(({ proxy }) => proxy))
