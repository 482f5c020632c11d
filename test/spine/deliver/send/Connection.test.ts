/**
 * Receivers that send more than a response: what is read is limited, and extra bytes are never taken for the next
 * response.
 */

import type { Socket } from "node:net"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { deliverLimits } from "../../../../src/spine/deliver/Limits.ts"
import { Sender } from "../../../../src/spine/deliver/send/Sender.ts"
import { makeReceiver } from "../../../support/deliver/receiver.ts"
import { send, sendBy, senderWith, tcpServer, tlsServer } from "../../../support/deliver/sending.ts"
import { certificates } from "../../../support/servers/certificates.ts"

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
const EARLY_HINTS = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"

/** Writes `first`, then `next` for as long as the connection is open. */
const flood = (first: string, next: string) =>
  tcpServer((socket) => {
    const more = () => {
      if (!socket.destroyed) socket.write(next, more)
    }
    socket.once("data", () => socket.write(first, more))
  })

/** A deadline that no test reaches. */
const patient = { DELIVERY_TIMEOUT: "1 minute" }

const makeSender = Effect.map(Layer.build(senderWith(patient)), (context) => Context.get(context, Sender))

const trustLocalhost = Effect.suspend(() => {
  const trusted = getCACertificates("default")
  setDefaultCACertificates([...trusted, certificates.localhost.cert])
  return Effect.addFinalizer(() => Effect.sync(() => setDefaultCACertificates(trusted)))
})

describe("a response that never ends", () => {
  it.live("is cut short after ten informational responses", () =>
    Effect.gen(function* () {
      const flooding = yield* flood("", EARLY_HINTS)
      assert.deepInclude(yield* send(`http://127.0.0.1:${flooding}/`, patient), {
        delivered: false,
        responseStatus: null,
        error: "too many informational responses"
      })
      const hinting = yield* tcpServer((socket) =>
        socket.once("data", () => socket.write(EARLY_HINTS.repeat(10) + OK))
      )
      assert.deepInclude(yield* send(`http://127.0.0.1:${hinting}/`, patient), {
        delivered: true,
        responseStatus: 200,
        responseBody: "ok"
      })
    })
  )

  it.live("is cut short after 64 KiB outside the body: large informational responses", () =>
    Effect.gen(function* () {
      const hints = yield* flood("", `HTTP/1.1 103 Early Hints\r\nLink: ${"x".repeat(12_000)}\r\n\r\n`)
      assert.deepInclude(yield* send(`http://127.0.0.1:${hints}/`, patient), {
        delivered: false,
        error: "too many informational responses"
      })
    })
  )

  it.live("is cut short after 64 KiB outside the body: extensions of a chunk", () =>
    Effect.gen(function* () {
      const chunked = (status: string) =>
        flood(`HTTP/1.1 ${status}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1;x=`, "x".repeat(1_024))
      const ok = yield* send(`http://127.0.0.1:${yield* chunked("200 OK")}/`, patient)
      assert.deepInclude(ok, { delivered: true, responseStatus: 200, responseBody: "a", error: null })
      const failed = yield* send(`http://127.0.0.1:${yield* chunked("500 Oh")}/`, patient)
      assert.deepInclude(failed, { delivered: false, responseStatus: 500, error: "HTTP 500" })
    })
  )

  it.live("does not include a response with a long body", () =>
    Effect.gen(function* () {
      const body = "x".repeat(1024 * 1024)
      const port = yield* tcpServer((socket) =>
        socket.once("data", () =>
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
        )
      )
      const outcome = yield* send(`http://127.0.0.1:${port}/`, patient)
      assert.deepInclude(outcome, { delivered: true, responseBody: body.slice(0, 16 * 1024) })
    })
  )
})

describe("a connection", () => {
  /** A server that calls `answer` for each request, with the number of earlier requests on its connection. */
  const server = (answer: (socket: Socket, before: number) => void) =>
    tcpServer((socket) => {
      let requests = 0
      socket.on("data", (data) => {
        if (data.toString("latin1").includes("POST ")) answer(socket, requests++)
      })
    })

  it.live.each(["500 Internal Server Error", "503 Service Unavailable", "302 Found", "404 Not Found"])(
    "is closed after %s: a forged second response delivers nothing",
    (status) =>
      Effect.gen(function* () {
        // Bytes that the receiver sends after its response would arrive together with the next request.
        const port = yield* server((socket, before) =>
          socket.write(before === 0 ? `HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n` : OK)
        )
        const sendOnce = sendBy(yield* makeSender, `http://127.0.0.1:${port}/`)
        for (let i = 0; i < 12; i++) {
          assert.deepInclude(yield* sendOnce, {
            delivered: false,
            responseStatus: Number(status.slice(0, 3))
          })
        }
      })
  )

  it.live.each([
    { name: "an empty line", late: "\r\n" },
    { name: "half a response", late: "HTTP/1.1 200" },
    { name: "a response", late: OK }
  ])("is closed when $name arrives while nothing was asked", ({ late }) =>
    Effect.gen(function* () {
      const sockets: Array<Socket> = []
      const port = yield* server((socket) => {
        sockets.push(socket)
        socket.write(OK)
      })
      const sender = yield* makeSender
      assert.isTrue((yield* sendBy(sender, `http://127.0.0.1:${port}/`)).delivered)
      const began = performance.now()
      yield* Effect.callback<void>((resume) => {
        sockets[0]!.once("close", () => resume(Effect.void)).write(late)
      })
      // Idle connections are closed in any case after `connectionIdleMs`.
      assert.isBelow(performance.now() - began, deliverLimits.connectionIdleMs / 2)
    })
  )

  it.live("is reused after a 2xx, and only for the same account", () =>
    Effect.gen(function* () {
      const connections = new Set<unknown>()
      const receiver = yield* makeReceiver((_, response) => {
        connections.add(response.socket)
        return 200
      })
      const sender = yield* makeSender
      // A connection is free one event-loop iteration after its response, so two connections alternate.
      for (let i = 0; i < 6; i++) yield* sendBy(sender, receiver.url)
      assert.isAtMost(connections.size, 2)
      const ofOne = connections.size
      yield* sendBy(sender, receiver.url, "acct_2")
      assert.strictEqual(connections.size, ofOne + 1)
    })
  )

  it.live("is reused over TLS: session tickets do not count as response bytes", () =>
    Effect.gen(function* () {
      yield* trustLocalhost
      const connections = new Set<unknown>()
      const port = yield* tlsServer(certificates.localhost, (socket) => connections.add(socket))
      const sendOnce = sendBy(yield* makeSender, `https://localhost:${port}/`)
      for (let i = 0; i < 6; i++) assert.isTrue((yield* sendOnce).delivered)
      assert.isAtMost(connections.size, 2)
    })
  )

  it.live("names its host over TLS without the root's dot, which servers refuse", () =>
    Effect.gen(function* () {
      yield* trustLocalhost
      const names: Array<unknown> = []
      const port = yield* tlsServer(certificates.localhost, ({ servername }) => names.push(servername))
      for (const host of ["localhost.", "localhost"])
        assert.isTrue((yield* send(`https://${host}:${port}/`, patient)).delivered)
      assert.deepStrictEqual(names, ["localhost", "localhost"])
    })
  )

  // docs/decisions/0015-http2.md: over HTTP/2 nothing would count the bytes that a receiver sends.
  it.live("speaks HTTP/1.1, also to a receiver that prefers HTTP/2", () =>
    Effect.gen(function* () {
      yield* trustLocalhost
      const protocols: Array<unknown> = []
      const offers = { ...certificates.localhost, ALPNProtocols: ["h2", "http/1.1"] }
      const port = yield* tlsServer(offers, ({ alpnProtocol }) => protocols.push(alpnProtocol))
      assert.isTrue((yield* send(`https://localhost:${port}/`, patient)).delivered)
      assert.deepStrictEqual(protocols, ["http/1.1"])
    })
  )
})

describe("a response that is not valid, or that undici refuses", () => {
  it.live.each<{ readonly name: string; readonly response: string; readonly error?: string }>([
    {
      name: "two lengths",
      response: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    },
    {
      name: "two lengths, the other way round",
      response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"
    },
    {
      name: "another protocol",
      response: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"
    },
    { name: "a NUL in a header", response: "HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n" },
    {
      name: "a status 100 that was not asked for",
      response: `HTTP/1.1 100 Continue\r\n\r\n${OK}`,
      error: "invalid response (100 Continue was not asked for)"
    },
    {
      name: "a folded header",
      response: "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n",
      error: "invalid response (header folded over several lines)"
    },
    {
      name: "a status below 100",
      response: "HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n",
      error: "invalid response (status 099)"
    }
  ])("fails the attempt: $name", ({ response, error = "invalid response" }) =>
    Effect.gen(function* () {
      const port = yield* tcpServer((socket) => socket.once("data", () => socket.write(response)))
      assert.deepInclude(yield* send(`http://127.0.0.1:${port}/`, patient), {
        delivered: false,
        responseStatus: null,
        error
      })
    })
  )
})

describe("a response with long headers", () => {
  it.live("is read if they are smaller than 64 KiB in all", () =>
    Effect.gen(function* () {
      const answering = (bytes: number) =>
        tcpServer((socket) =>
          socket.once("data", () => socket.write(OK.replace("\r\n", `\r\nX: ${"x".repeat(bytes)}\r\n`)))
        )
      const fits = yield* send(`http://127.0.0.1:${yield* answering(64_000)}/`, patient)
      assert.deepInclude(fits, { delivered: true, responseBody: "ok" })
      const tooLong = yield* send(`http://127.0.0.1:${yield* answering(65_536)}/`, patient)
      assert.deepInclude(tooLong, { delivered: false, error: "response headers too large" })
    })
  )
})
