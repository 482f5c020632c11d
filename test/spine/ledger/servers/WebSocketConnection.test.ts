/** A hostile ledger server loses its connection, but costs neither memory nor the process. */

import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { type WebSocket, WebSocketServer } from "ws"
import { ledgerLimits } from "../../../../src/spine/ledger/Limits.ts"
import { connect } from "../../../../src/spine/ledger/servers/ServerConnection.ts"
import type { Refusal } from "../../../../src/spine/ledger/servers/ServerMessages.ts"
import { open } from "../../../../src/spine/ledger/servers/WebSocketConnection.ts"
import { corpusFiles, corpusFolder, corpusPresent } from "../../../support/ledger/corpusLedgers.ts"

/** A server that supports compression and reacts to every request in the same way. */
const serverThat = Effect.fnUntraced(function* (answers: (socket: WebSocket, id: number) => void) {
  const extensions: Array<string | undefined> = []
  const server = yield* Effect.acquireRelease(
    Effect.callback<WebSocketServer>((resume) => {
      const listening: WebSocketServer = new WebSocketServer(
        { host: "127.0.0.1", port: 0, perMessageDeflate: true },
        () => resume(Effect.succeed(listening))
      )
      listening.on("connection", (socket, request) => {
        extensions.push(request.headers["sec-websocket-extensions"])
        // It is cut off in the middle of a message.
        socket.on("error", () => undefined)
        socket.on("message", (data) => answers(socket, JSON.parse(String(data)).id))
      })
    }),
    (listening) =>
      Effect.callback<void>((resume) => {
        for (const socket of listening.clients) socket.terminate()
        listening.close(() => resume(Effect.void))
      })
  )
  // The cast is safe: a server that listens on a port has an `AddressInfo`.
  return { extensions, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` }
})

type Ask = (url: string) => Effect.Effect<unknown, Refusal, Scope.Scope>

const asking: Ask = (url) =>
  Effect.gen(function* () {
    const connection = yield* Effect.acquireRelease(open(url), ({ end }) => Effect.sync(end))
    return yield* connection.request({ command: "server_info" })
  })
const connecting: Ask = (url) => connect({ network: "mainnet", url, announce: () => Effect.void })

const ways = [
  ["a command", asking],
  ["ingest", connecting]
] as const

describe.each(ways)("a connection of %s", (_, ask) => {
  it.live("takes no message of more than 32 MB", () =>
    Effect.gen(function* () {
      const bomb = `{"result":"${"x".repeat(ledgerLimits.ledgerMessageBytes)}"}`
      const { url } = yield* serverThat((socket) => socket.send(bomb))
      const failure = yield* Effect.flip(ask(url))
      assert.strictEqual(failure.reason, "misbehaving")
      assert.strictEqual(
        failure.detail,
        `sent a message of more than ${ledgerLimits.ledgerMessageBytes} bytes`
      )
    })
  )

  it.live("takes no message of more than 32 MB in fragments without end", () =>
    Effect.gen(function* () {
      const piece = "x".repeat(1024 * 1024)
      let sent = 0
      const { url } = yield* serverThat((socket) => {
        const more = () => {
          if (socket.readyState !== socket.OPEN) return
          sent += piece.length
          socket.send(piece, { fin: false }, () => setImmediate(more))
        }
        more()
      })
      const failure = yield* Effect.flip(ask(url))
      assert.strictEqual(
        failure.detail,
        `sent a message of more than ${ledgerLimits.ledgerMessageBytes} bytes`
      )
      // The machine's buffers take some more.
      assert.isBelow(sent, 2 * ledgerLimits.ledgerMessageBytes)
    })
  )

  it.live("ends if the server compresses all the same", () =>
    Effect.gen(function* () {
      const { url } = yield* serverThat((socket) => {
        // A text frame with the bit that says "compressed", and no content. `ws` would not send it.
        Reflect.get(socket, "_socket").write(Buffer.from([0xc1, 0x00]))
      })
      const failure = yield* Effect.flip(ask(url))
      assert.strictEqual(failure.reason, "misbehaving")
    })
  )

  it.live("ends at a flood of pings or of empty fragments, whose replies and parts would fill memory", () =>
    Effect.gen(function* () {
      const endings: ReadonlyArray<readonly [string, (socket: WebSocket) => void]> = [
        ["disconnected", (socket) => socket.ping("x".repeat(125))],
        ["misbehaving", (socket) => socket.send("", { fin: false })]
      ]
      for (const [reason, flood] of endings) {
        const { url } = yield* serverThat((socket) => {
          for (let i = 0; i < 50_000; i++) flood(socket)
        })
        const failure = yield* Effect.flip(ask(url))
        assert.strictEqual(failure.reason, reason, failure.detail)
      }
    })
  )

  const bombs: ReadonlyArray<readonly [string, string]> = [
    ["millions of objects", `{"result":[${"{},".repeat(10_000_000)}{}]}`],
    ["millions of numbers", `{"result":[${"0,".repeat(3_000_000)}0]}`],
    ["millions of names", `{"result":{${'"":0,'.repeat(2_000_000)}"":0}}`],
    [
      "deep nesting",
      `{"result":${"[".repeat(ledgerLimits.ledgerMessageDepth)}${"]".repeat(ledgerLimits.ledgerMessageDepth)}}`
    ]
  ]
  it.live.each(bombs)("ends before it parses %s", ([, bomb]) =>
    Effect.gen(function* () {
      const { url } = yield* serverThat((socket) => socket.send(bomb))
      const before = process.memoryUsage().heapUsed
      const failure = yield* Effect.flip(ask(url))
      assert.strictEqual(failure.reason, "misbehaving")
      assert.include(failure.detail, "brackets, commas and colons")
      assert.isBelow(process.memoryUsage().heapUsed - before, 2 * ledgerLimits.ledgerMessageBytes)
    })
  )

  const floods: ReadonlyArray<readonly [string, (id: number) => string]> = [
    ["announcements", (id) => `{"type":"ledgerClosed","ledger_index":${id}}`],
    ["large messages", () => `{"type":"transaction","hash":"${"0".repeat(100_000)}"}`],
    ["answers to no request", (id) => JSON.stringify({ id: id + 1_000, result: {} })]
  ]
  it.live.each(floods)("ends at a flood of %s", ([, text]) =>
    Effect.gen(function* () {
      const { url } = yield* serverThat((socket, id) => {
        for (let i = 0; i < 2_000; i++) socket.send(text(id + i))
      })
      const failure = yield* Effect.flip(ask(url))
      assert.strictEqual(failure.reason, "misbehaving")
      assert.include(failure.detail, "answer no request")
    })
  )

  it.live("gets its answer through hundreds of messages that answer nothing", () =>
    Effect.gen(function* () {
      const { url } = yield* serverThat((socket, id) => {
        for (let i = 0; i < 400; i++) {
          socket.send('{"type":"ledgerClosed"}')
          socket.send(JSON.stringify({ id: id + 1_000 + i, result: {} }))
        }
        socket.send(JSON.stringify({ id, error: "slowDown" }))
      })
      assert.strictEqual((yield* Effect.flip(ask(url))).detail, "answered slowDown")
    })
  )

  it.live("asks for no compression", () =>
    Effect.gen(function* () {
      const { extensions, url } = yield* serverThat((socket, id) => {
        socket.send(JSON.stringify({ id, error: "slowDown" }))
      })
      yield* Effect.flip(ask(url))
      assert.deepStrictEqual(extensions, [undefined])
    })
  )

  it.live("survives an error that is not text, and removes control characters from one that is", () =>
    Effect.gen(function* () {
      const errors: Array<unknown> = [{ toString: 1 }, "no\u001b[2J\n"]
      const { url } = yield* serverThat((socket, id) => {
        socket.send(JSON.stringify({ id, error: errors.shift(), error_message: "\r\u0007" }))
      })
      const details = [yield* Effect.flip(ask(url)), yield* Effect.flip(ask(url))].map(({ detail }) => detail)
      assert.deepStrictEqual(details, [
        "answered a value that is not text: \\u000d\\u0007",
        "answered no\\u001b[2J\\u000a: \\u000d\\u0007"
      ])
    })
  )
})

it.skipIf(!corpusPresent)(
  "real ledgers take a tenth of the longest message at most (skipped without the corpus)",
  () => {
    for (const file of corpusFiles())
      assert.isBelow(
        readFileSync(join(corpusFolder, file)).length,
        ledgerLimits.ledgerMessageBytes / 10,
        file
      )
  }
)
