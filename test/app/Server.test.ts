/** Listening and stopping: the error for an unavailable port is one sentence, and a stop waits for open requests. */
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { networkInterfaces } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { HttpServer } from "effect/http"
import { serverLayer } from "../../src/app/Server.ts"
import { paceConnections } from "../../src/http/guard/Connections.ts"
import { answerUnreadable } from "../../src/http/Listener.ts"
import { Limits } from "../../src/spine/config/Limits.ts"
import { Health } from "../../src/spine/observe/Health.ts"
import { ApiUnderTest, apiLayer, storesLayer } from "../support/http/api.ts"

const holdPort = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => server.close())
)

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1")
)

const HEAD_END = " HTTP/1.1\r\nHost: a\r\n\r\n"

const next = (socket: Socket, event: "connect" | "data" | "close", start?: () => void) =>
  Effect.callback<unknown>((resume) => {
    if (event === "close" && socket.closed) return resume(Effect.void)
    socket.once(event, (value) => resume(Effect.succeed(value)))
    start?.()
  })

/** A connection that the client keeps open until the server closes it. */
const connected = (url: string) => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  socket.on("error", () => {})
  socket.resume()
  return Effect.as(next(socket, "connect"), socket)
}

const messageOf = (environment: Record<string, string>) =>
  Effect.scoped(Layer.build(serverLayer.pipe(Layer.provide(storesLayer(environment))))).pipe(
    Effect.flip,
    Effect.map((error) => ("message" in error ? error.message : String(error)))
  )

describe("server", () => {
  it.live("says which port is in use", () =>
    Effect.gen(function* () {
      const address = (yield* holdPort).address()
      const port = typeof address === "object" ? String(address?.port) : ""
      assert.strictEqual(
        yield* messageOf({ PORT: port }),
        `PORT: ${port} on 127.0.0.1 is in use by another program; stop it or choose another port.`
      )
    })
  )

  it.live("says that the host is not this machine", () =>
    Effect.gen(function* () {
      assert.match(
        yield* messageOf({ HOST: "192.0.2.1" }),
        /^HOST: 192.0.2.1 is not an address of this machine/
      )
    })
  )

  it.live.skipIf(!hasIpv6)("with HOST=:: answers IPv4 and IPv6", () =>
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const port = "port" in address ? address.port : 0
      for (const host of ["127.0.0.1", "[::1]"]) {
        const { status } = yield* Effect.promise(() => fetch(`http://${host}:${port}/healthz`))
        assert.strictEqual(status, 200, host)
      }
    }).pipe(Effect.provide(serverLayer.pipe(Layer.provideMerge(storesLayer({ HOST: "::" })))))
  )

  it.live("is ready when every part is, and names the one that is not", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const health = yield* Health
      yield* health.set("ingest mainnet", {
        status: "degraded",
        detail: "reconnecting",
        facts: { behind: 2 }
      })
      const ready = yield* api.call("GET", "/readyz")
      assert.strictEqual(ready.status, 200)
      assert.deepStrictEqual(ready.body, {
        status: "ok",
        parts: {
          database: { status: "ok", detail: "answers" },
          "ingest mainnet": { status: "degraded", detail: "reconnecting", facts: { behind: 2 } }
        }
      })
      yield* health.set("ingest mainnet", { status: "failed", detail: "stopped" })
      const unready = yield* api.call("GET", "/readyz")
      assert.strictEqual(unready.status, 503)
      assert.strictEqual(unready.body.status, "unavailable")
      assert.strictEqual(unready.body.parts["ingest mainnet"].detail, "stopped")
      assert.isNotNull(unready.headers.get("retry-after"))
      assert.strictEqual((yield* api.call("GET", "/healthz")).status, 200)
    }).pipe(Effect.provide(apiLayer()))
  )

  it.live("shows one part, or all but some, so that a balancer can ignore parts that it does not need", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const health = yield* Health
      let probes = 0
      yield* health.watch(
        "ledger.mainnet",
        Effect.sync(() => ({ status: "failed", detail: `silent ${++probes}` }) as const)
      )
      yield* health.set("route", { status: "ok", detail: "running" })
      const route = yield* api.call("GET", "/readyz/route")
      assert.deepStrictEqual(
        [route.status, route.body],
        [200, { status: "ok", parts: { route: { status: "ok", detail: "running" } } }]
      )
      const database = yield* api.call("GET", "/readyz/database")
      assert.deepStrictEqual(Object.keys(database.body.parts), ["database"])
      const others = yield* api.call(
        "GET",
        "/readyz?exclude=ledger.mainnet&exclude=route&exclude=ledger.devnet"
      )
      assert.deepStrictEqual([others.status, Object.keys(others.body.parts)], [200, ["database"]])
      assert.strictEqual(probes, 0, "a part that nobody asks for is not probed")
      const ledger = yield* api.call("GET", "/readyz/ledger.mainnet")
      assert.deepStrictEqual([ledger.status, Object.keys(ledger.body.parts)], [503, ["ledger.mainnet"]])
      assert.strictEqual((yield* api.call("GET", "/readyz?exclude=route")).status, 503)

      const unknown = yield* api.call("GET", "/readyz/ledger.devnet")
      assert.strictEqual(unknown.status, 404)
      assert.match(unknown.body.error.message, /no part ledger\.devnet/)
      for (const path of ["/readyz/Route", "/readyz/%00", "/readyz?exclude="]) {
        const refused = yield* api.call("GET", path)
        assert.strictEqual(refused.status, 400, path)
        assert.match(refused.body.error.message, /must be the name of a part as \/readyz shows it/)
      }
      assert.strictEqual((yield* api.call("GET", "/readyz/route/x")).status, 404)
    }).pipe(Effect.provide(apiLayer()))
  )

  it.live("a request that does not arrive in time is answered with 408", () =>
    Effect.gen(function* () {
      const server = createServer({ requestTimeout: 100, connectionsCheckingInterval: 20 })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => {
          paceConnections(answerUnreadable(server), Limits.connections)
          server.listen(0, "127.0.0.1", () => resume(Effect.void))
        }),
        () => Effect.sync(() => server.close())
      )
      // The server listens on TCP.
      const { port } = server.address() as AddressInfo
      for (const begin of ["", "GET / HTTP/1.1\r\nHost: a\r\n"]) {
        const socket = yield* connected(`http://127.0.0.1:${port}`)
        const answer = String(yield* next(socket, "data", () => socket.write(begin)))
        assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/)
        assert.match(
          answer,
          /\{"error":\{"code":"VALIDATION_ERROR","message":"The request did not arrive in time; send it again\.","doc_url":"[^"]+"\}\}$/
        )
      }
    })
  )

  it.live("keeps an idle connection longer than load balancers do, and says so", () =>
    Effect.gen(function* () {
      const api = yield* ApiUnderTest
      const { headers } = yield* api.call("GET", "/healthz")
      assert.strictEqual(headers.get("keep-alive"), "timeout=75")
    }).pipe(Effect.provide(apiLayer()))
  )

  it.live("a stop answers the request in flight, and is not held up by connections that clients keep", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(apiLayer(), scope)
      const asked = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const health = yield* Health
        yield* HttpServer.HttpServer
        yield* health.watch(
          "slow",
          Effect.as(Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(goOn)), {
            status: "ok",
            detail: "slow"
          } as const)
        )
        const opened = yield* Effect.forEach([1, 2, 3], () => connected(api.url))
        const [silent, idle, busy] = opened as [Socket, Socket, Socket]
        yield* next(idle, "data", () => idle.write(`GET /healthz${HEAD_END}`))
        busy.write(`GET /readyz${HEAD_END}`)
        yield* Deferred.await(asked)
        const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* Effect.all([next(silent, "close"), next(idle, "close")])
        const answer = yield* Effect.forkChild(next(busy, "data"))
        yield* Effect.yieldNow
        yield* Deferred.succeed(goOn, undefined)
        const head = String(yield* Fiber.join(answer))
        assert.match(head, /^HTTP\/1\.1 200 /)
        assert.match(head, /^connection: close$/im)
        yield* Fiber.join(stopped).pipe(Effect.timeout("5 seconds"))
      }).pipe(Effect.provide(context))
    })
  )
})
