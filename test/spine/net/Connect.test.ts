/** Real connections to hosts with several addresses of the loopback network, some of which hang; a virtual clock. */
import { type AddressInfo, createServer, isIP } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { connectTcp, TRY_MS } from "../../../src/spine/net/Connect.ts"
import type { Addresses } from "../../../src/spine/net/Resolver.ts"
import { nextEventLoop } from "./eventLoop.ts"
import { stalledServer } from "./stalledServer.ts"

const listed = (...addresses: ReadonlyArray<string>): Addresses => ({
  addresses: addresses.map((address) => ({ address, family: isIP(address) })),
  ttlMs: 0
})

const anyAddress = () => true

/** Connects to a name with these addresses. Returns the address that was used. */
const connecting = (port: number, found: Addresses, isAllowed: (address: string) => boolean = anyAddress) =>
  connectTcp("host.example", port, { resolve: async () => found, isAllowed }).pipe(
    Effect.map((socket) => {
      const { remoteAddress } = socket
      socket.destroy()
      return remoteAddress
    })
  )

/** The same in the background. Its first try has begun. */
const begun = (...options: Parameters<typeof connecting>) =>
  Effect.tap(Effect.forkScoped(connecting(...options)), () => nextEventLoop)

/** A server that accepts connections, and how many it has had. */
const listening = (host: string, port = 0) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((socket) => socket.on("error", () => {}))
        server.listen(port, host, () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => void server.close())
    ),
    (server) => {
      const seen = { port: (server.address() as AddressInfo).port, connections: 0 }
      server.on("connection", () => seen.connections++)
      return seen
    }
  )

const codeOf = (failing: Effect.Effect<unknown, Error>) =>
  Effect.map(Effect.flip(failing), (error) => ("code" in error ? error.code : error.message))

describe("a host with several addresses", () => {
  it.effect("is reached at a slow address while the other one is dead", () =>
    Effect.gen(function* () {
      const slow = yield* stalledServer("127.0.0.1")
      yield* stalledServer("127.0.0.2", slow.port)
      const connection = yield* begun(slow.port, listed("127.0.0.1", "127.0.0.2"))
      yield* TestClock.adjust(TRY_MS)
      slow.release()
      assert.strictEqual(yield* Fiber.join(connection), "127.0.0.1")
    })
  )

  it.effect("is tried at the next address a quarter of a second after the one before, which goes on", () =>
    Effect.gen(function* () {
      const { port } = yield* stalledServer("127.0.0.1")
      const second = yield* listening("127.0.0.2", port)
      const connection = yield* begun(port, listed("127.0.0.1", "127.0.0.2"))
      yield* TestClock.adjust(249)
      yield* nextEventLoop
      assert.strictEqual(second.connections, 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Fiber.join(connection), "127.0.0.2")
    })
  )

  it.effect("is tried at the next address at once when one refuses", () =>
    Effect.gen(function* () {
      const { port } = yield* listening("127.0.0.2")
      // Nobody listens at the first address. No time passes.
      assert.strictEqual(yield* connecting(port, listed("127.0.0.1", "127.0.0.2")), "127.0.0.2")
    })
  )

  it.effect("is reached at an address that DNS answers later", () =>
    Effect.gen(function* () {
      const { port } = yield* stalledServer("127.0.0.1")
      yield* listening("::1", port)
      const later = Promise.resolve(listed("127.0.0.1", "::1"))
      const connection = yield* begun(port, { ...listed("127.0.0.1"), later })
      yield* TestClock.adjust(TRY_MS)
      assert.strictEqual(yield* Fiber.join(connection), "::1")
    })
  )

  it.effect("is never tried at an address that is not allowed", () =>
    Effect.gen(function* () {
      const { port } = yield* stalledServer("127.0.0.1")
      const second = yield* listening("127.0.0.2", port)
      const addresses = listed("127.0.0.1", "127.0.0.2")
      const connection = yield* begun(port, addresses, (address) => address !== "127.0.0.2")
      yield* TestClock.adjust("1 minute")
      yield* nextEventLoop
      assert.isUndefined(connection.pollUnsafe())
      assert.strictEqual(second.connections, 0)
      const none = connecting(port, addresses, () => false)
      assert.strictEqual(yield* codeOf(none), "ADDRESS_NOT_ALLOWED")
    })
  )

  it.effect("fails with the reason of the address that failed first", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(listening("127.0.0.1"))
      // TCP cannot connect to the address for broadcasts.
      const addresses = listed("127.0.0.1", "255.255.255.255")
      assert.strictEqual(yield* codeOf(connecting(port, addresses)), "ECONNREFUSED")
    })
  )

  it.effect("is tried at eight addresses at most", () =>
    Effect.gen(function* () {
      const ninth = yield* listening("127.0.0.9")
      const others = Array.from({ length: 8 }, (_, i) => `127.0.0.${i + 1}`)
      const tried = connecting(ninth.port, listed(...others, "127.0.0.9"))
      assert.strictEqual(yield* codeOf(tried), "ECONNREFUSED")
    })
  )
})
