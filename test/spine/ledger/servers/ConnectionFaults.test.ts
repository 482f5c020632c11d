/** Every way in which a connection fails has a plain sentence with its cause, and only a limit counts as a limit. */
import { createServer as createHttpServer, type RequestListener } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { WebSocketServer } from "ws"
import { closeOf, failureOf, interjectionOf } from "../../../../src/spine/ledger/servers/ConnectionFaults.ts"
import { open } from "../../../../src/spine/ledger/servers/WebSocketConnection.ts"
import { certificates } from "../../../support/servers/certificates.ts"

const listening = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      // The cast is safe: a server that listens on TCP has an address with a port.
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => server.close())
  )

/** What the server does once the first bytes have arrived. */
const onBytes = (react: (socket: Socket) => void) =>
  createServer((socket) => socket.on("error", () => undefined).once("data", () => react(socket)))

const answering = (status: number, headers: Record<string, string> = {}): Server => {
  const listener: RequestListener = (_, response) => response.writeHead(status, headers).end("<html>")
  return createHttpServer(listener)
}

const withoutTls = () => {
  const server = createHttpServer()
  new WebSocketServer({ server })
  return server
}

const withCertificate = (name: "expired" | "localhost") =>
  createHttpsServer(certificates[name], (_, response) => response.end())

const servers: ReadonlyArray<readonly [string, "ws" | "wss", () => Server, string]> = [
  [
    "wss to a port without TLS",
    "wss",
    withoutTls,
    "TLS: this port does not speak TLS; use ws://, or the server's port with TLS"
  ],
  [
    "wss to a port with another protocol",
    "wss",
    () => onBytes((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n")),
    "TLS: this port does not speak TLS; use ws://, or the server's port with TLS"
  ],
  [
    "a connection that ends during the TLS handshake",
    "wss",
    () => onBytes((socket) => socket.end()),
    "closed the connection during the TLS handshake"
  ],
  [
    "a self-signed certificate",
    "wss",
    () => withCertificate("localhost"),
    "TLS: self-signed certificate; to trust it, name its authority's file in NODE_EXTRA_CA_CERTS"
  ],
  ["an expired certificate", "wss", () => withCertificate("expired"), "TLS: certificate has expired"],
  [
    "too old a version of TLS",
    "wss",
    () =>
      createHttpsServer({
        ...certificates.localhost,
        minVersion: "TLSv1",
        maxVersion: "TLSv1.1",
        ciphers: "ALL:@SECLEVEL=0"
      }).on("tlsClientError", () => undefined),
    "TLS: handshake failed (tlsv1 alert protocol version)"
  ],
  [
    "ws to a port with TLS",
    "ws",
    () => withCertificate("localhost"),
    "closed the connection without an answer; if this port speaks TLS, use wss://"
  ],
  [
    "an answer that is no HTTP",
    "ws",
    () => onBytes((socket) => socket.end("220 mail.example ESMTP\r\n")),
    "sent an answer that is not HTTP; if this port speaks TLS, use wss://"
  ],
  ["a reset", "ws", () => onBytes((socket) => socket.resetAndDestroy()), "connection reset"],
  ["a web page", "ws", () => answering(200), "answered with HTTP 200 instead of a WebSocket"],
  ["another path", "ws", () => answering(404), "answered with HTTP 404 instead of a WebSocket"],
  ["a broken proxy", "ws", () => answering(502), "answered with HTTP 502 instead of a WebSocket"],
  [
    "a redirection",
    "ws",
    () => answering(301, { location: "wss://elsewhere.example/secret" }),
    "redirects to another address (HTTP 301), which is not followed"
  ],
  ["a missing credential", "ws", () => answering(401), "refuses access (HTTP 401)"],
  [
    "a wrong handshake",
    "ws",
    () =>
      onBytes((socket) => socket.write("HTTP/1.1 101 Yes\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n")),
    "broke the WebSocket protocol: Invalid Upgrade header"
  ]
]

describe("a connection that fails says why:", () => {
  it.live.each(servers)("%s", ([, scheme, make, detail]) =>
    Effect.gen(function* () {
      const port = yield* listening(make())
      const failure = yield* Effect.flip(open(`${scheme}://127.0.0.1:${port}`))
      assert.deepStrictEqual(failure, { reason: "disconnected", detail })
    })
  )

  it("a refused connection, also if a host has several addresses", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" })
    for (const error of [
      refused,
      Object.assign(new AggregateError([refused, refused]), { code: "ECONNREFUSED" })
    ])
      assert.deepStrictEqual(failureOf(error, false), {
        reason: "disconnected",
        detail: "connection refused"
      })
  })

  it("a certificate for another host, and one from an unknown authority", () => {
    const coded = (code: string) =>
      failureOf(Object.assign(new Error("raw: ../deps/x.c"), { code }), true).detail
    assert.strictEqual(coded("ERR_TLS_CERT_ALTNAME_INVALID"), "TLS: certificate is for another host")
    assert.match(
      coded("UNABLE_TO_VERIFY_LEAF_SIGNATURE"),
      /^TLS: certificate issuer unknown; .*NODE_EXTRA_CA_CERTS$/
    )
    assert.strictEqual(coded("E_NEVER_SEEN"), "connection failed (E_NEVER_SEEN)")
  })

  it("without control characters, and of bounded length", () => {
    assert.strictEqual(
      failureOf(new Error("a\u0007b"), false).detail,
      "broke the WebSocket protocol: a\\u0007b"
    )
    assert.isBelow(interjectionOf(undefined, undefined, "y".repeat(100_000)).detail.length, 400)
  })
})

describe("the end of a connection shows the server's text, and is a limit only if the text speaks of one:", () => {
  const limited = (text: string) => closeOf(1008, text).reason === "rate_limited"

  it("a close frame", () => {
    assert.deepStrictEqual(closeOf(1008, "Policy error: client is too slow."), {
      reason: "disconnected",
      detail: "closed the connection (1008): Policy error: client is too slow."
    })
    assert.deepStrictEqual(closeOf(1008, "threshold exceeded"), {
      reason: "rate_limited",
      detail: "closed the connection (1008): threshold exceeded"
    })
    for (const text of ["slowDown", "Too many requests", "rate limited", "RateLimit", "Server is overloaded"])
      assert.isTrue(limited(text), text)
    for (const text of ["", "client is too slow", "Corporate policy", "going away", "operation moderated"])
      assert.isFalse(limited(text), text)
    assert.deepStrictEqual(closeOf(1011, ""), {
      reason: "disconnected",
      detail: "closed the connection (1011)"
    })
    assert.strictEqual(closeOf(1006, "").detail, "closed the connection")
    assert.strictEqual(closeOf(1000, "bye\u001b[2J").detail, "closed the connection (1000): bye\\u001b[2J")
  })

  it("an HTTP status", () => {
    for (const status of [429, 503])
      assert.deepStrictEqual(failureOf(new Error(`Unexpected server response: ${status}`), true), {
        reason: "rate_limited",
        detail: `limits requests (HTTP ${status})`
      })
  })

  it("text that is no JSON", () => {
    assert.strictEqual(interjectionOf(undefined, undefined, "Server is overloaded").reason, "rate_limited")
    assert.deepStrictEqual(interjectionOf(undefined, undefined, "<html>502</html>"), {
      reason: "misbehaving",
      detail: "sent text that is not a JSON answer: <html>502</html>"
    })
  })
})
