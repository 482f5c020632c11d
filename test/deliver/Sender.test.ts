/** One attempt against real servers that misbehave in each way a receiver can: the outcome says what happened. */
import { createServer as createTlsServer } from "node:https"
import { type AddressInfo, createServer as createTcpServer, isIP, type Socket } from "node:net"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Resolve, Resolver, Sender } from "../../src/deliver/Sender.ts"
import { signedRequest } from "../../src/deliver/Signer.ts"
import type { LedgerEvent } from "../../src/domain/LedgerEvent.ts"
import { certificates } from "../support/certificates.ts"
import { type Answer, makeReceiver, signatureHolds } from "../support/receiver.ts"
import { settingsLayer } from "../support/settings.ts"

const event: LedgerEvent = {
  event_id: "xrpl:1:AB:payment.xrp",
  event_type: "payment.xrp",
  ledger_index: 1,
  timestamp: "2026-11-21T09:30:00Z",
  payload: { tx_hash: "AB", sender: "rA", receiver: "rB", amount: "1" },
  accounts: ["rA", "rB"],
  network: "mainnet",
  position: 0,
  detected_at: 1
}
const SECRET = "whsec_test"
const requestTo = (url: string) =>
  signedRequest({
    url,
    headers: { "X-Mine": "1" },
    secrets: [SECRET],
    webhookId: "wh_1",
    deliveryId: "dlv_1",
    event,
    nowMs: 1_700_000_000_999
  })

const senderWith = (environment: Readonly<Record<string, string>> = {}) =>
  Sender.layer.pipe(Layer.provide(settingsLayer({ DELIVERY_TIMEOUT: "300 millis", ...environment })))

const send = (url: string, environment?: Readonly<Record<string, string>>) =>
  Effect.flatMap(Sender, (sender) => sender.send(requestTo(url))).pipe(
    Effect.provide(senderWith(environment))
  )

/** What an attempt at a receiver with this answer comes to. */
const attemptAt = (answer: Answer) =>
  Effect.scoped(Effect.flatMap(makeReceiver(answer), (receiver) => send(receiver.url)))

/** A raw TCP server that does `onSocket` with each connection. */
const tcpServer = (onSocket: (socket: Socket) => void) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createTcpServer>>((resume) => {
        const server = createTcpServer((socket) => {
          socket.on("error", () => {})
          onSocket(socket)
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => void server.close())
    ),
    (server) => (server.address() as AddressInfo).port
  )

const tlsServer = (options: { readonly key: string; readonly cert: string }) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createTlsServer>>((resume) => {
        const server = createTlsServer(options, (_, response) => response.end())
        server.on("tlsClientError", () => {})
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => void server.close())
    ),
    (server) => (server.address() as AddressInfo).port
  )

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

  it.live("counts a 2xx whose headers came in time, however slowly its body drips", () =>
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

  it.live("shows a body that is not UTF-8 or holds NUL with replacement characters", () =>
    Effect.gen(function* () {
      const outcome = yield* attemptAt((_, response) => {
        response.end(Buffer.from([0x61, 0xff, 0x00, 0x62]))
        return "handled"
      })
      assert.strictEqual(outcome.responseBody, "a\uFFFD\uFFFDb")
    })
  )

  it.live("names what the network and DNS did", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(tcpServer(() => {}))
      assert.deepInclude(yield* send(`http://127.0.0.1:${closed}/`), { error: "connection refused" })
      const resetting = yield* tcpServer((socket) => socket.once("data", () => socket.resetAndDestroy()))
      assert.deepInclude(yield* send(`http://127.0.0.1:${resetting}/`), { error: "connection reset" })
      const nonsense = yield* tcpServer((socket) => socket.once("data", () => socket.end("nonsense\r\n\r\n")))
      assert.deepInclude(yield* send(`http://127.0.0.1:${nonsense}/`), { error: "malformed HTTP response" })
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
      // Once these two are trusted, what else is wrong with them shows.
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

describe("the address really connected to", () => {
  const guarded = { DELIVERY_ALLOW_PRIVATE_ADDRESSES: "false" }
  /** Public by the rules, and of nobody: the 6bone's space was given back. */
  const NOBODY = "3ffe::1"

  /** A server on this machine and the connections it has had. */
  const privateServer = Effect.gen(function* () {
    const seen = { connections: 0 }
    const port = yield* tcpServer((socket) => {
      seen.connections++
      socket.destroy()
    })
    return { port, seen }
  })

  /** A sender whose resolver gives one list of addresses after the other, the last one again and again. */
  const sendResolving = (url: string, ...answers: ReadonlyArray<ReadonlyArray<string>>) =>
    Effect.gen(function* () {
      let asked = 0
      const resolve: Resolve = (_hostname, _options, callback) => {
        const addresses = answers[Math.min(asked++, answers.length - 1)]!
        callback(
          null,
          addresses.map((address) => ({ address, family: isIP(address) }))
        )
      }
      const context = yield* Layer.build(senderWith(guarded)).pipe(Effect.provideService(Resolver, resolve))
      const sender = Context.get(context, Sender)
      return { attempt: sender.send(requestTo(url)), asked: () => asked }
    })

  it.live("is no private one, whether named or given as a literal, in any spelling", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* privateServer
      for (const host of [
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "0x7f.1",
        "0177.0.0.1",
        "2130706433",
        "0",
        "localhost",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]"
      ]) {
        const outcome = yield* send(`http://${host}:${port}/`, guarded)
        assert.deepInclude(outcome, { delivered: false, error: "address not allowed" }, host)
        const overTls = yield* send(`https://${host}:${port}/`, guarded)
        assert.deepInclude(overTls, { delivered: false, error: "address not allowed" }, host)
      }
      assert.strictEqual(seen.connections, 0)
    })
  )

  it.live("is not where a redirect points", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* privateServer
      for (const status of [301, 302, 303, 307, 308]) {
        const outcome = yield* attemptAt((_, response) => {
          response.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end()
          return "handled"
        })
        assert.deepInclude(outcome, {
          delivered: false,
          responseStatus: status,
          error: `redirect not followed (HTTP ${status})`
        })
      }
      assert.strictEqual(seen.connections, 0)
    })
  )

  it.live("is never the private one of a name that has both", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* privateServer
      for (const addresses of [
        ["127.0.0.1", NOBODY],
        [NOBODY, "127.0.0.1"],
        [NOBODY, "::ffff:127.0.0.1", "127.0.0.1", "::1"]
      ]) {
        const { attempt } = yield* sendResolving(`http://mixed.example:${port}/`, addresses)
        const outcome = yield* attempt
        assert.isFalse(outcome.delivered)
        // It was tried, at the public address.
        assert.notStrictEqual(outcome.error, "address not allowed")
      }
      assert.strictEqual(seen.connections, 0)
    })
  )

  it.live("is the one that was checked, when the name's answer changes between check and connect", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* privateServer
      const url = `http://rebinding.example:${port}/`
      const { attempt, asked } = yield* sendResolving(url, [NOBODY], ["127.0.0.1"])
      const first = yield* attempt
      assert.notStrictEqual(first.error, "address not allowed")
      // One question an attempt: there is no second answer to fall for.
      assert.strictEqual(asked(), 1)
      assert.deepInclude(yield* attempt, { delivered: false, error: "address not allowed" })
      assert.strictEqual(asked(), 2)
      assert.strictEqual(seen.connections, 0)
    })
  )

  it.live("is refused when a name has private addresses only", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* privateServer
      for (const address of ["127.0.0.1", "::1", "::ffff:7f00:1", "169.254.169.254", "10.0.0.1", "fd00::1"]) {
        const { attempt } = yield* sendResolving(`https://private.example:${port}/`, [address])
        assert.deepInclude(yield* attempt, { delivered: false, error: "address not allowed" }, address)
      }
      assert.strictEqual(seen.connections, 0)
    })
  )
})
