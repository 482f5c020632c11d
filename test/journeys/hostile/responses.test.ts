/**
 * Receivers that answer with anything but one sound response. Each attempt ends with one short text and within bounded
 * memory, and a request never gets the answer to another one. test/spine/deliver/send/Sender.test.ts and
 * Connection.test.ts have the plain cases.
 */

import type { Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { responseLimits } from "../../../src/spine/deliver/Limits.ts"
import { Sender } from "../../../src/spine/deliver/send/Sender.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { send, sendBy, senderWith, tcpServer } from "../../support/deliver/sending.ts"

/** A deadline that is reached only where a case says so. */
const patient = { DELIVERY_TIMEOUT: "1 minute" }

const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
const MANY = 100_000

/** Writes `first`, then `next` for as long as the connection is open. */
const endless = (first: string, next: string) =>
  tcpServer((socket) => {
    const more = () => {
      if (!socket.destroyed) socket.write(next, more)
    }
    socket.once("data", () => socket.write(first, more))
  })

const answering = (bytes: string | Uint8Array) =>
  tcpServer((socket) => socket.once("data", () => socket.end(bytes)))

const outcomeAt = (port: number, environment = patient) => send(`http://127.0.0.1:${port}/`, environment)

const TOO_LARGE = "response headers too large"
const INVALID = "invalid response"

describe("a response", () => {
  it.live.each([
    {
      name: "one header that never ends",
      first: "HTTP/1.1 200 OK\r\nX: ",
      next: "x".repeat(4_096),
      error: TOO_LARGE
    },
    {
      name: "headers without end",
      first: "HTTP/1.1 200 OK\r\n",
      next: "A: b\r\n".repeat(100),
      error: TOO_LARGE
    },
    {
      name: "a status text that never ends",
      first: "HTTP/1.1 200 ",
      next: "x".repeat(4_096),
      error: TOO_LARGE
    },
    {
      name: "empty lines without end",
      first: "",
      next: "\r\n".repeat(1_000),
      error: TOO_LARGE
    },
    {
      name: "a header name that never ends",
      first: "HTTP/1.1 200 OK\r\n",
      next: "x".repeat(4_096),
      error: TOO_LARGE
    }
  ])("that never comes to its body is cut short: $name", ({ error, first, next }) =>
    Effect.gen(function* () {
      const outcome = yield* outcomeAt(yield* endless(first, next))
      assert.deepInclude(outcome, { delivered: false, responseStatus: null, error })
    })
  )

  it.live.each([
    { name: "body", next: "4000\r\n".concat("x".repeat(0x4000), "\r\n"), kept: 16 * 1024 },
    { name: "chunks of one byte", next: "1\r\na\r\n".repeat(1_000), kept: undefined },
    { name: "trailers", first: `${CHUNKED}1\r\na\r\n0\r\n`, next: "X: y\r\n".repeat(100), kept: 1 },
    { name: "a chunk size", first: `${CHUNKED}1\r\na\r\n`, next: "0".repeat(1_000), kept: 1 }
  ])("with a 2xx counts, and is cut short if it has endless $name", ({ first = CHUNKED, kept, next }) =>
    Effect.gen(function* () {
      const outcome = yield* outcomeAt(yield* endless(first, next))
      assert.deepInclude(outcome, { delivered: true, responseStatus: 200, error: null })
      const length = outcome.responseBody?.length ?? 0
      assert.isAtMost(length, 16 * 1024)
      if (kept !== undefined) assert.strictEqual(length, kept)
    })
  )

  it.live.each([
    { name: "HTTP/0.9", bytes: "<html>ok</html>" },
    { name: "a preface of HTTP/2", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" },
    { name: "frames of HTTP/2", bytes: Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100]) },
    { name: "a NUL in a header", bytes: "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n" },
    { name: "a NUL in a header's name", bytes: "HTTP/1.1 200 OK\r\nX\0: a\r\n\r\n" },
    { name: "a header without a colon", bytes: "HTTP/1.1 200 OK\r\nnothing\r\n\r\n" },
    { name: "a folded header", bytes: "HTTP/1.1 200 OK\r\n folded: x\r\n\r\n" },
    { name: "a status of four digits", bytes: "HTTP/1.1 2000 OK\r\n\r\n" },
    { name: "a status that is no number", bytes: "HTTP/1.1 OK 200\r\n\r\n" },
    { name: "an unknown version", bytes: "HTTP/9.9 200 OK\r\n\r\n" },
    { name: "a negative length", bytes: "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n" },
    { name: "a length that is no number", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nok" },
    {
      name: "two different lengths",
      bytes: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"
    },
    {
      name: "a length beyond 64 bits",
      bytes: `HTTP/1.1 200 OK\r\nContent-Length: ${"9".repeat(30)}\r\n\r\nok`
    },
    { name: "a request", bytes: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n" },
    { name: "a handshake of TLS", bytes: Buffer.from([22, 3, 1, 0, 5, 1, 0, 0, 1, 3]) }
  ])("that is no HTTP/1.1 is an invalid response: $name", ({ bytes }) =>
    Effect.gen(function* () {
      const outcome = yield* outcomeAt(yield* answering(bytes))
      assert.deepInclude(outcome, { delivered: false, responseStatus: null, error: INVALID })
    })
  )

  it.live.each([
    { name: "a chunk size that is no number", body: "zz\r\nok\r\n0\r\n\r\n" },
    { name: "a chunk size beyond 64 bits", body: `${"f".repeat(30)}\r\nok\r\n` },
    { name: "a chunk that is longer than its size", body: "1\r\nlonger\r\n0\r\n\r\n" },
    { name: "a negative chunk size", body: "-1\r\nok\r\n" },
    { name: "an end in the middle of a chunk", body: "ff\r\nok" }
  ])("counts by its status if its body is malformed: $name", ({ body }) =>
    Effect.gen(function* () {
      const good = yield* outcomeAt(yield* answering(`${CHUNKED}${body}`))
      assert.deepInclude(good, { delivered: true, responseStatus: 200, error: null })
      const bad = yield* outcomeAt(yield* answering(`${CHUNKED.replace("200 OK", "500 Oh")}${body}`))
      assert.deepInclude(bad, { delivered: false, responseStatus: 500, error: "HTTP 500" })
    })
  )

  it.live.each(["gzip", "br", "deflate, gzip, zstd", "nonsense", "gzip, ".repeat(1_000)])(
    "is kept as it was sent, and not decompressed, whatever its Content-Encoding: %s",
    (encoding) =>
      Effect.gen(function* () {
        // 16 KiB that would become 16 MiB.
        const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024))
        const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${bomb.length}\r\n\r\n`
        const outcome = yield* outcomeAt(yield* answering(Buffer.concat([Buffer.from(head), bomb])))
        assert.isTrue(outcome.delivered)
        assert.isAtMost(outcome.responseBody!.length, responseLimits.responseBodyBytes)
      })
  )

  it.live(
    "that comes before its request is complete, or before its first byte, does not answer another request",
    () =>
      Effect.gen(function* () {
        const early = yield* tcpServer((socket) =>
          socket.write(
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearlyHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
          )
        )
        const sender = Context.get(yield* Layer.build(senderWith(patient)), Sender)
        for (let i = 0; i < 6; i++) {
          const outcome = yield* sendBy(sender, `http://127.0.0.1:${early}/`)
          assert.notStrictEqual(outcome.responseBody, "forged")
        }
      })
  )

  it.live.each(["with the first", "after the first, in one piece", "after the first, byte by byte"])(
    "that is the second for one request answers no later request: sent %s",
    (when) =>
      Effect.gen(function* () {
        const forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
        const numberOf = new Map<Socket, number>()
        let next = 0
        const port = yield* tcpServer((socket) => {
          socket.on("data", () => {
            const mine = `${++next}`
            const first = `HTTP/1.1 200 OK\r\nContent-Length: ${mine.length}\r\n\r\n${mine}`
            numberOf.set(socket, next)
            if (when === "with the first") socket.write(first + forged)
            else if (when.endsWith("piece")) socket.write(first, () => void socket.write(forged))
            else socket.write(first, () => [...forged].forEach((byte) => void socket.write(byte)))
          })
        })
        const sender = Context.get(yield* Layer.build(senderWith(patient)), Sender)
        const healthy = yield* makeReceiver()
        for (let i = 1; i <= 20; i++) {
          const outcome = yield* sendBy(sender, `http://127.0.0.1:${port}/`)
          assert.notStrictEqual(outcome.responseBody, "forged", `attempt ${i}`)
          assert.isTrue((yield* sendBy(sender, healthy.url)).delivered)
        }
      })
  )

  it.live(
    "that floods, hundreds at once, neither fills memory nor delays a delivery to another receiver",
    () =>
      Effect.gen(function* () {
        const flooding = yield* endless(CHUNKED, `1;${"x".repeat(8_192)}\r\na\r\n`)
        const healthy = yield* makeReceiver()
        const sender = Context.get(yield* Layer.build(senderWith(patient)), Sender)
        const before = process.memoryUsage().arrayBuffers
        const floods = Effect.forEach(
          Array.from({ length: 200 }, (_, i) => i),
          () => sendBy(sender, `http://127.0.0.1:${flooding}/`),
          { concurrency: "unbounded" }
        )
        const others = Effect.forEach([1, 2, 3, 4, 5], () => sendBy(sender, healthy.url))
        const [flooded, delivered] = yield* Effect.all([floods, others], { concurrency: 2 })
        assert.isTrue([...flooded, ...delivered].every((outcome) => outcome.delivered))
        // 200 connections of which each may hold 64 KiB outside the body, and the machine's buffers.
        assert.isBelow(process.memoryUsage().arrayBuffers - before, 200 * 4 * 64 * 1024)
      })
  )
})

describe("TLS", () => {
  it.live.each([
    { name: "an alert and nothing else", bytes: Buffer.from([21, 3, 3, 0, 2, 2, 40]) },
    { name: "a record of another type", bytes: Buffer.from([99, 3, 3, 0, 1, 0]) },
    {
      name: "a record longer than any",
      bytes: Buffer.concat([Buffer.from([22, 3, 3, 255, 255]), Buffer.alloc(65_535)])
    },
    { name: "NUL bytes", bytes: Buffer.alloc(MANY) }
  ])("that fails is one sentence: $name", ({ bytes }) =>
    Effect.gen(function* () {
      const port = yield* tcpServer((socket) => socket.once("data", () => socket.write(bytes)))
      const outcome = yield* send(`https://127.0.0.1:${port}/`, patient)
      assert.deepInclude(outcome, { delivered: false, responseStatus: null, error: "TLS: handshake failed" })
    })
  )

  it.live("whose handshake comes byte by byte, or ends at once, ends the attempt", () =>
    Effect.gen(function* () {
      const trickle = yield* tcpServer((socket) => {
        const record = Buffer.concat([Buffer.from([22, 3, 3, 0x3f, 0xff, 2]), Buffer.alloc(MANY)])
        let at = 0
        const more = () => {
          if (!socket.destroyed) socket.write(record.subarray(at, ++at), () => setImmediate(more))
        }
        socket.once("data", more)
      })
      const slow = yield* send(`https://127.0.0.1:${trickle}/`)
      assert.oneOf(slow.error, ["timeout after 300 ms", "TLS: handshake failed"])
      const rude = yield* tcpServer((socket) => socket.once("data", () => socket.end()))
      const closed = yield* send(`https://127.0.0.1:${rude}/`, patient)
      assert.deepInclude(closed, { delivered: false, error: "connection reset" })
    })
  )
})
