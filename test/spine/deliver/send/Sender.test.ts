/** One attempt against real servers that misbehave in many ways. Its outcome names the fault. */

import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Latch, Layer, Scope } from "effect"
import { responseLimits } from "../../../../src/spine/deliver/Limits.ts"
import { Sender } from "../../../../src/spine/deliver/send/Sender.ts"
import { makeReceiver, signatureHolds } from "../../../support/deliver/receiver.ts"
import {
  attemptAt,
  event,
  requestTo,
  SECRET,
  send,
  sendBy,
  senderWith,
  tcpServer,
  tlsServer
} from "../../../support/deliver/sending.ts"
import { certificates } from "../../../support/servers/certificates.ts"

describe("an attempt", () => {
  it.live("carries every header of the specification and a signature that independent code accepts", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const outcome = yield* send(receiver.url)
      assert.deepInclude(outcome, {
        delivered: true,
        responseStatus: 200,
        responseBody: "thanks",
        error: null
      })
      const [got] = receiver.received
      assert.isTrue(signatureHolds(SECRET, got!))
      assert.isFalse(signatureHolds("another", got!))
      assert.deepInclude(got!.headers, {
        "content-type": "application/json",
        "x-service-delivery-id": "dlv_1",
        "x-service-event-id": event.event_id,
        "x-service-event-type": "payment.xrp",
        "x-service-timestamp": "1700000000",
        "x-mine": "1"
      })
      assert.deepStrictEqual(Object.keys(got!.event), [
        "event_id",
        "event_type",
        "ledger_index",
        "timestamp",
        "network",
        "webhook_id",
        "payload"
      ])
    })
  )

  it.live("fails on 4xx, 5xx and redirects, which it does not follow", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* attemptAt(() => 503), {
        delivered: false,
        responseStatus: 503,
        error: "HTTP 503"
      })
      assert.deepInclude(yield* attemptAt(() => 410), { delivered: false, error: "HTTP 410" })
      const redirect = yield* attemptAt((_, response) => {
        response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()
        return "handled"
      })
      assert.deepInclude(redirect, { delivered: false, error: "redirect not followed (HTTP 302)" })
    })
  )

  it.live("ends at its deadline when the receiver hangs, also after it accepted the connection only", () =>
    Effect.gen(function* () {
      const hangs = yield* attemptAt(() => "handled")
      assert.deepInclude(hangs, { delivered: false, responseStatus: null, error: "timeout after 300 ms" })
      const port = yield* tcpServer(() => {})
      assert.deepInclude(yield* send(`http://127.0.0.1:${port}/`), { error: "timeout after 300 ms" })
      const tls = yield* send(`https://127.0.0.1:${port}/`)
      assert.deepInclude(tls, { error: "timeout after 300 ms", responseTimeMs: null })
    })
  )

  it.live("counts a 2xx whose headers came in time, even if its body is slow", () =>
    Effect.gen(function* () {
      const outcome = yield* attemptAt((_, response) => {
        response.writeHead(202)
        response.write("first")
        return "handled"
      })
      assert.deepInclude(outcome, {
        delivered: true,
        responseStatus: 202,
        responseBody: "first",
        error: null
      })
      const reset = yield* attemptAt((_, response) => {
        response.writeHead(200, { "content-length": "100" })
        response.write("part", () => response.destroy())
        return "handled"
      })
      assert.deepInclude(reset, { delivered: true, responseBody: "part", error: null })
    })
  )

  it.live("keeps 16 KiB of the response and never waits for the rest", () =>
    Effect.gen(function* () {
      const outcome = yield* attemptAt((_, response) => {
        response.writeHead(200)
        response.write("x".repeat(100_000))
        return "handled"
      })
      assert.strictEqual(outcome.responseBody?.length, 16 * 1024)
      assert.isTrue(outcome.delivered)
    })
  )

  it.live(
    "uses a connection again once its response was read to the end, and closes one whose response was cut",
    () =>
      Effect.gen(function* () {
        const connections = new Set<unknown>()
        let body = ""
        const receiver = yield* makeReceiver((_, response) => {
          connections.add(response.socket)
          response.end(body)
          return "handled"
        })
        const sender = Context.get(yield* Layer.build(senderWith()), Sender)
        const sendOnce = sendBy(sender, receiver.url)
        // A connection is free one event-loop iteration after its response, so two connections alternate.
        const times = 5
        body = "x".repeat(16 * 1024)
        for (let i = 0; i < times; i++) assert.strictEqual((yield* sendOnce).responseBody, body)
        assert.isAtMost(connections.size, 2)
        connections.clear()
        body = "x".repeat(1024 * 1024)
        for (let i = 0; i < times; i++) {
          assert.strictEqual((yield* sendOnce).responseBody, body.slice(0, 16 * 1024))
        }
        assert.strictEqual(connections.size, times)
      })
  )

  it.live("is aborted when its sender's scope closes, reports nothing, and no other one starts", () =>
    Effect.gen(function* () {
      const arrived = Latch.makeUnsafe()
      const cut = Latch.makeUnsafe()
      const receiver = yield* makeReceiver((_, response) => {
        arrived.openUnsafe()
        response.on("close", () => cut.openUnsafe())
        return "handled"
      })
      const sender = Context.get(yield* Layer.build(senderWith({ DELIVERY_TIMEOUT: "1 minute" })), Sender)
      const scope = yield* Scope.make()
      const sendIt = yield* Scope.provide(sender.opened, scope)
      const told: Array<unknown> = []
      const ended = (outcome: unknown) => void told.push(outcome)
      sendIt("acct_1", requestTo(receiver.url), responseLimits.responseBodyBytes, ended)
      yield* Latch.await(arrived)
      yield* Scope.close(scope, Exit.void)
      yield* Latch.await(cut)
      sendIt("acct_1", requestTo(receiver.url), responseLimits.responseBodyBytes, ended)
      // A request that was sent before this one would have arrived before it.
      const other = yield* makeReceiver()
      yield* sendBy(sender, other.url)
      assert.strictEqual(receiver.received.length, 1)
      assert.deepStrictEqual(told, [])
    })
  )

  it.live("ends at its deadline if the TLS handshake, the headers or the body are slow", () =>
    Effect.gen(function* () {
      const timeout = { delivered: false, responseStatus: null, error: "timeout after 300 ms" }
      const headers = yield* tcpServer((socket) =>
        socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nX: "))
      )
      assert.deepInclude(yield* send(`http://127.0.0.1:${headers}/`), timeout)
      // The first bytes of a handshake record that never ends.
      const handshake = yield* tcpServer((socket) =>
        socket.once("data", () => socket.write(Buffer.from([22, 3, 3, 0x3f])))
      )
      assert.deepInclude(yield* send(`https://127.0.0.1:${handshake}/`), timeout)
      const body = yield* tcpServer((socket) =>
        socket.once("data", () =>
          socket.write("HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
        )
      )
      const slow = yield* send(`http://127.0.0.1:${body}/`)
      assert.deepInclude(slow, {
        delivered: false,
        responseStatus: 500,
        responseBody: "a",
        error: "HTTP 500"
      })
    })
  )

  it.live("says that headers are too large", () =>
    Effect.gen(function* () {
      const port = yield* tcpServer((socket) =>
        socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(64 * 1024)}`))
      )
      assert.deepInclude(yield* send(`http://127.0.0.1:${port}/`), { error: "response headers too large" })
    })
  )

  it.live("reports the Retry-After of a 429 or 503, and of no other status", () =>
    Effect.gen(function* () {
      const askedBy = (status: number, retryAfter: string) =>
        Effect.map(
          attemptAt((_, response) => {
            response.writeHead(status, { "retry-after": retryAfter }).end()
            return "handled"
          }),
          ({ retryAfterMs }) => retryAfterMs
        )
      assert.strictEqual(yield* askedBy(429, "120"), 120_000)
      assert.strictEqual(yield* askedBy(503, "Thu, 01 Jan 1970 00:00:00 GMT"), 0)
      assert.strictEqual(yield* askedBy(503, "soon"), undefined)
      assert.strictEqual(yield* askedBy(500, "120"), undefined)
      assert.strictEqual(yield* askedBy(200, "120"), undefined)
    })
  )

  it.live("shows a body that is not UTF-8 or holds NUL with replacement characters", () =>
    Effect.gen(function* () {
      const outcome = yield* attemptAt((_, response) => {
        response.end(Buffer.from([0x61, 0xff, 0x00, 0x62]))
        return "handled"
      })
      assert.strictEqual(outcome.responseBody, "a\uFFFD\uFFFDb")
    })
  )

  it.live("names failures of the network and of DNS", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(tcpServer(() => {}))
      assert.deepInclude(yield* send(`http://127.0.0.1:${closed}/`), { error: "connection refused" })
      const resetting = yield* tcpServer((socket) => socket.once("data", () => socket.resetAndDestroy()))
      assert.deepInclude(yield* send(`http://127.0.0.1:${resetting}/`), { error: "connection reset" })
      const nonsense = yield* tcpServer((socket) => socket.once("data", () => socket.end("nonsense\r\n\r\n")))
      assert.deepInclude(yield* send(`http://127.0.0.1:${nonsense}/`), { error: "invalid response" })
      const unknown = yield* send("http://no-such-host.invalid/", { DELIVERY_TIMEOUT: "10 seconds" })
      assert.match(unknown.error ?? "", /^DNS: /)
    })
  )

  it.live("refuses certificates that are expired, self-signed or for another host", () =>
    Effect.gen(function* () {
      const errorOf = (options: { readonly key: string; readonly cert: string }) =>
        Effect.scoped(
          Effect.gen(function* () {
            const port = yield* tlsServer(options)
            return (yield* send(`https://localhost:${port}/`, { DELIVERY_TIMEOUT: "5 seconds" })).error
          })
        )
      assert.strictEqual(yield* errorOf(certificates.localhost), "TLS: self-signed certificate")
      // Once both certificates are trusted, their other errors show.
      const trusted = getCACertificates("default")
      setDefaultCACertificates([...trusted, certificates.expired.cert, certificates.other.cert])
      yield* Effect.addFinalizer(() => Effect.sync(() => setDefaultCACertificates(trusted)))
      assert.strictEqual(yield* errorOf(certificates.expired), "TLS: certificate has expired")
      assert.strictEqual(yield* errorOf(certificates.other), "TLS: certificate is for another host")
      const plain = yield* tcpServer((socket) =>
        socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\n\r\n"))
      )
      assert.strictEqual((yield* send(`https://127.0.0.1:${plain}/`)).error, "TLS: handshake failed")
    })
  )
})
