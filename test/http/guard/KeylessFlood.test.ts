/** Callers without a key get one request at a time on a connection, and few at a time in total. */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { IncomingMessage } from "node:http"
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { connectionOf, paceConnections } from "../../../src/http/guard/Connections.ts"
import { OTHER_REQUESTS, requestPacing } from "../../../src/http/guard/RequestPacing.ts"
import { eventually } from "../../support/deliver/delivering.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"
import { settingsLayer } from "../../support/program/settings.ts"

const portOf = (url: string): number => Number(new URL(url).port)

/** A connection that is closed with the scope. */
const open = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect(port, "127.0.0.1")
      socket.on("error", () => {})
      socket.once("connect", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Everything that the server sends until it closes the connection. */
const received = (socket: Socket) =>
  Effect.callback<string>((resume) => {
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk
    })
    socket.once("close", () => resume(Effect.succeed(text)))
  })

/** Counts the requests to this path that begin from now on. */
const countRequests = (path: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const counted = { requests: 0 }
        const count = (message: unknown) => {
          // Node publishes messages of this shape on this channel.
          const { request } = message as { readonly request: IncomingMessage }
          if (request.url === path) counted.requests++
        }
        subscribe("http.server.request.start", count)
        return { counted, count }
      }),
      ({ count }) => Effect.sync(() => unsubscribe("http.server.request.start", count))
    ),
    ({ counted }) => counted
  )

const idsIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/^x-request-id: (\S+)/gim), (match) => match[1]!)

layer(apiLayer(), { excludeTestServices: true })("a flood without a key", (it) => {
  it.effect(
    "a connection that does not read its responses gets no further request started, and others are answered",
    () =>
      Effect.gen(function* () {
        const { url, call } = yield* ApiUnderTest
        const path = "/openapi.json?flood"
        const connections = 5
        const begun = yield* countRequests(path)
        for (let i = 0; i < connections; i++) {
          const socket = yield* open(portOf(url))
          socket.pause()
          socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(2_000))
        }
        yield* eventually(Effect.sync(() => assert.isAtLeast(begun.requests, connections)))
        for (let i = 0; i < 20; i++) assert.strictEqual((yield* call("GET", "/healthz")).status, 200)
        // The machine's own buffers take some responses for each connection.
        assert.isAtMost(begun.requests, connections * 100)
      })
  )

  it.effect("pipelined requests are all answered in order, even after a half-close", () =>
    Effect.gen(function* () {
      const { url } = yield* ApiUnderTest
      const socket = yield* open(portOf(url))
      const ids = Array.from({ length: 100 }, (_, i) => `request-${i}`)
      socket.end(
        ids
          .map((id, i) => {
            const body = i % 3 === 0 ? "\r\n\r\n".repeat(i * 20) : ""
            const method = body === "" ? "GET" : "POST"
            return `${method} /healthz HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
          })
          .join("")
      )
      assert.deepStrictEqual(idsIn(yield* received(socket)), ids)
    })
  )

  it.effect("bodies without a key that come together are parsed after requests with one", () =>
    Effect.gen(function* () {
      const { url, call, account } = yield* ApiUnderTest
      const { key } = yield* account()
      const body = '{"key": 1}'
      const path = "/v1/session"
      const many = 60
      const begun = yield* countRequests(path)
      let answers = 0
      const sockets: Array<Socket> = []
      for (let i = 0; i < many; i++) {
        const socket = yield* open(portOf(url))
        socket.once("data", () => answers++)
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`
        )
        sockets.push(socket)
      }
      // All have had their turn to start, so only what is parsed waits.
      yield* eventually(Effect.sync(() => assert.strictEqual(begun.requests, many)))
      yield* call("GET", "/openapi.json?after")
      for (const socket of sockets) socket.write(body.slice(-1))
      assert.strictEqual((yield* call("GET", "/v1/account", { key })).status, 200)
      assert.isBelow(answers, many / 2)
      yield* eventually(Effect.sync(() => assert.strictEqual(answers, many)))
    })
  )

  it.effect.each([
    ["a length", `Content-Length: ${64 * 1024 * 1024}`, ""],
    ["chunks", "Transfer-Encoding: chunked", "4000000\r\n"]
  ])(
    "a body with %s that is refused is not read to its end, and its sender can read why",
    ([, header, size]) =>
      Effect.gen(function* () {
        const { url } = yield* ApiUnderTest
        const socket = yield* open(portOf(url))
        const answer = yield* Effect.forkChild(received(socket), { startImmediately: true })
        socket.write(
          `POST /v1/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${header}\r\n\r\n${size}`
        )
        // The sender stops in the middle of its body, so the answer alone cannot be of a body that was read.
        socket.write("a".repeat(200 * 1024))
        const text = yield* Fiber.join(answer)
        assert.match(text, /^HTTP\/1\.1 413 /)
        assert.match(text, /^connection: close\r$/im)
        assert.include(text, "The request body must have at most 1024 bytes.")
      })
  )

  it.effect("a body in many pieces is read to its end", () =>
    Effect.gen(function* () {
      const { call, account } = yield* ApiUnderTest
      const { key } = yield* account()
      const body = `{"url": "https://example.com/hook", "event_types": ["payment.xrp"]${"\r\n\r\n".repeat(50_000)}}`
      assert.strictEqual((yield* call("POST", "/v1/webhooks", { key, body })).status, 201)
    })
  )
})

describe("connections", () => {
  it.live("beyond the limit, the one whose last request is the oldest is closed", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const made = createServer((_, response) => void response.end("x"))
          paceConnections(made, 3)
          made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
        }),
        (made) =>
          Effect.sync(() => {
            made.close()
            made.closeAllConnections()
          })
      )
      // The server listens on TCP.
      const { port } = server.address() as AddressInfo
      const ask = (socket: Socket) =>
        Effect.callback<void>((resume) => {
          socket.once("data", () => resume(Effect.void))
          socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        })
      const [first, second, third] = [yield* open(port), yield* open(port), yield* open(port)]
      for (const socket of [first, second, third, first]) yield* ask(socket)
      const fourth = yield* open(port)
      yield* Effect.callback<void>((resume) => void second.once("close", () => resume(Effect.void)))
      for (const socket of [first, third, fourth]) yield* ask(socket)
    })
  )
})

describe("event streams", () => {
  it.live("keep their connections, however many others come", () =>
    Effect.gen(function* () {
      const most = 5
      const server = createServer((request, response) => {
        connectionOf(request).endStream = () => void response.end()
        response.write("stream")
      })
      const { drain } = paceConnections(server, most)
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => {
          server.listen(0, "127.0.0.1", () => resume(Effect.void))
        }),
        () =>
          Effect.sync(() => {
            server.close()
            server.closeAllConnections()
          })
      )
      // The server listens on TCP.
      const { port } = server.address() as AddressInfo
      const stream = yield* open(port)
      const text = yield* Effect.forkChild(received(stream), { startImmediately: true })
      stream.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      yield* eventually(Effect.sync(() => assert.isAbove(stream.bytesRead, 0)))
      for (let i = 0; i < 3 * most; i++) yield* open(port)
      yield* eventually(
        Effect.map(
          Effect.callback<number>((resume) => {
            server.getConnections((_, count) => resume(Effect.succeed(count)))
          }),
          (count) => assert.isAtMost(count, most)
        )
      )
      assert.isFalse(stream.closed)
      drain()
      assert.include(yield* Fiber.join(text), "stream")
    })
  )
})

describe("turns of requests without a key", () => {
  it.live("a few start at once, the others after all other requests; probes wait for probes only", () =>
    Effect.gen(function* () {
      const pacing = yield* requestPacing
      let started = 0
      const ask = Effect.andThen(
        pacing.other,
        Effect.sync(() => started++)
      )
      for (let i = 0; i < 3 * OTHER_REQUESTS.starts; i++)
        yield* Effect.forkChild(ask, { startImmediately: true })
      assert.strictEqual(started, OTHER_REQUESTS.starts)
      let probed = false
      yield* Effect.forkChild(
        Effect.andThen(
          pacing.probe,
          Effect.sync(() => {
            probed = true
          })
        ),
        { startImmediately: true }
      )
      assert.isTrue(probed)
      yield* eventually(Effect.sync(() => assert.strictEqual(started, 3 * OTHER_REQUESTS.starts)))
    }).pipe(Effect.scoped, Effect.provide(settingsLayer()))
  )
})
