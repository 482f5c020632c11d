/**
 * Clients that hold connections, send slowly, or send requests that two servers could read in two ways. Nobody else
 * waits for them. test/http/guard/KeylessFlood.test.ts, Gate.test.ts and Fuzz.slow.test.ts have floods, limits and
 * bodies.
 */
import { connect, type Socket } from "node:net"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { connectionLimits } from "../../../src/http/guard/Connections.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { OwnOpenFiles, openFileLimitIn } from "../../../src/spine/observe/OpenFiles.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

/** More than `Limits.connections`; the server closes the oldest, so a process needs few descriptors. */
const IDLE = 10_000
const AT_ONCE = 200

const opened = (url: string) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1")
      socket.on("error", () => {})
      socket.once("connect", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Everything that the server answers to these bytes until it closes the connection. */
const answerTo = (url: string, bytes: string) =>
  Effect.flatMap(opened(url), (socket) =>
    Effect.callback<string>((resume) => {
      let text = ""
      socket.on("data", (data) => {
        text += data.toString("latin1")
      })
      socket.once("close", () => resume(Effect.succeed(text)))
      socket.end(bytes)
    })
  ).pipe(Effect.scoped)

const NEWCOMER = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
const SECOND = "GET /healthz HTTP/1.1\r\nHost: a\r\nX-Request-Id: smuggled\r\n\r\n"

const post = (headers: string, body = `0\r\n\r\n${SECOND}`) =>
  `POST /healthz HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}`

/** Requests whose end is ambiguous. A proxy in front might take another end than the service. */
const ambiguous: ReadonlyArray<readonly [name: string, bytes: string]> = [
  ["a length and chunks", post("Content-Length: 5\r\nTransfer-Encoding: chunked")],
  ["chunks and a length", post("Transfer-Encoding: chunked\r\nContent-Length: 5")],
  ["two lengths", post("Content-Length: 0\r\nContent-Length: 5")],
  ["a list of lengths", post("Content-Length: 0, 5")],
  ["a length with a sign", post("Content-Length: +0")],
  ["a length in hexadecimal", post("Content-Length: 0x0")],
  ["a negative length", post("Content-Length: -1")],
  ["an unknown encoding", post("Transfer-Encoding: xchunked")],
  ["chunks that are not last", post("Transfer-Encoding: chunked, identity")],
  ["chunks twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: xchunked")],
  ["a space before the colon", post("Transfer-Encoding : chunked")],
  ["a folded header", post("X: a\r\n Transfer-Encoding: chunked")],
  ["a header with a bare line feed", post("X: a\nTransfer-Encoding: chunked")],
  ["a NUL in a header", post("X: a\0b\r\nContent-Length: 0")],
  ["a chunk size with a sign", post("Transfer-Encoding: chunked", `-1\r\n\r\n${SECOND}`)],
  ["a chunk size beyond 64 bits", post("Transfer-Encoding: chunked", `${"f".repeat(17)}\r\n\r\n${SECOND}`)],
  ["a chunk longer than its size", post("Transfer-Encoding: chunked", `1\r\nabc\r\n0\r\n\r\n${SECOND}`)]
]

layer(apiLayer(), { excludeTestServices: true })("hostile connections", (it) => {
  it.effect.each(ambiguous)(
    "a request with %s is refused, and what follows it is not read as a request",
    ([, bytes]) =>
      Effect.gen(function* () {
        const { url } = yield* ApiUnderTest
        const answer = yield* answerTo(url, bytes)
        assert.notInclude(answer, "smuggled")
        // A malformed body may show only after the answer to its head.
        assert.match(answer, /^HTTP\/1\.1 (400|405) /)
        assert.match(answer, /^connection: close\r$/im)
      })
  )

  it.effect("heads and bodies that come byte by byte delay nobody", () =>
    Effect.gen(function* () {
      const { account, call, url } = yield* ApiUnderTest
      const { key } = yield* account()
      const requests = [
        "GET /v1/webhooks HTTP/1.1\r\nHost: a\r\nX: ",
        "POST /v1/webhooks HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{",
        "POST /v1/webhooks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"
      ]
      const sockets = yield* Effect.forEach(Array.from({ length: AT_ONCE }), () => opened(url), {
        concurrency: AT_ONCE
      })
      for (const [i, socket] of sockets.entries()) {
        const bytes = requests[i % requests.length]!
        for (let at = 0; at < bytes.length; at++) socket.write(bytes.slice(at, at + 1))
      }
      for (let i = 0; i < 20; i++) {
        for (const socket of sockets) socket.write("a")
        assert.strictEqual((yield* call("GET", "/v1/webhooks", { key })).status, 200)
      }
    }).pipe(Effect.scoped)
  )

  it.effect(`${IDLE} idle connections are cut down to the limit, and a new caller is answered at once`, () =>
    Effect.gen(function* () {
      const { call, url } = yield* ApiUnderTest
      let open = 0
      const held = Effect.tap(opened(url), (socket) =>
        Effect.sync(() => {
          open++
          socket.once("close", () => open--)
          socket.resume()
        })
      )
      for (let i = 0; i < IDLE; i += AT_ONCE) {
        yield* Effect.forEach(Array.from({ length: AT_ONCE }), () => held, { concurrency: AT_ONCE })
        // It comes after them, so the server has accepted all of them when it answers.
        assert.match(yield* answerTo(url, NEWCOMER), /^HTTP\/1.1 200 /)
      }
      // The last ones notice a little later that they were closed.
      while (open > Limits.connections) assert.strictEqual((yield* call("GET", "/healthz")).status, 200)
    }).pipe(Effect.scoped)
  )
})

it("connections to both ports have at most half of the open files", () => {
  assert.deepStrictEqual(connectionLimits(256), { api: 102, operator: 25 })
  assert.deepStrictEqual(connectionLimits(1_000_000), {
    api: Limits.connections,
    operator: Limits.connections
  })
  assert.deepStrictEqual(connectionLimits(undefined), connectionLimits(1_000_000))
  const text = (now: string) =>
    `Max processes 100 100 processes\nMax open files            ${now}    4096    files\n`
  assert.deepStrictEqual(openFileLimitIn(text("256")), { now: 256, most: 4_096 })
  assert.deepStrictEqual(openFileLimitIn(text("unlimited")), { now: Number.POSITIVE_INFINITY, most: 4_096 })
  assert.isUndefined(openFileLimitIn(""))
})

const FILES = 256
const fewFiles = apiLayer().pipe(Layer.provide(Layer.succeed(OwnOpenFiles, FILES)))

layer(fewFiles, { excludeTestServices: true })("with few open files", (it) => {
  it.effect("idle connections make room for a new caller", () =>
    Effect.gen(function* () {
      const { call, url } = yield* ApiUnderTest
      let open = 0
      for (let i = 0; i < FILES; i++) {
        const socket = yield* opened(url)
        open++
        socket.once("close", () => open--)
        socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        socket.resume()
      }
      while (open >= connectionLimits(FILES).api)
        assert.strictEqual((yield* call("GET", "/healthz")).status, 200)
      assert.match(yield* answerTo(url, NEWCOMER), /^HTTP\/1.1 200 /)
    }).pipe(Effect.scoped)
  )
})
