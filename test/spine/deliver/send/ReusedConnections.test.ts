/** What happens to a request on a connection that was used before: servers close those when they like. */

import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer } from "effect"
import { DeliverLimits, deliverLimits } from "../../../../src/spine/deliver/Limits.ts"
import { Sender } from "../../../../src/spine/deliver/send/Sender.ts"
import { sendBy, senderWith, tcpServer } from "../../../support/deliver/sending.ts"

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

type Answer = (socket: Socket, place: { readonly connection: number; readonly request: number }) => void

/** A server that answers each whole request, and the connections of its requests. */
const server = Effect.fnUntraced(function* (answer: Answer) {
  const requests: Array<number> = []
  let connections = 0
  const port = yield* tcpServer((socket) => {
    const connection = connections++
    let request = 0
    let text = ""
    socket.on("data", (data) => {
      text += data.toString("latin1")
      const [head, body] = text.split("\r\n\r\n")
      const length = Number(/content-length: *(\d+)/i.exec(head!)?.[1])
      if (body === undefined || body.length < length) return
      text = ""
      requests.push(connection)
      answer(socket, { connection, request: request++ })
    })
  })
  return { port, requests }
})

const makeSender = (limits: Partial<typeof deliverLimits> = {}) =>
  Effect.map(
    Layer.build(senderWith({ DELIVERY_TIMEOUT: "1 second" })).pipe(
      // A second connection would be opened while the first one is not free yet.
      Effect.provideService(DeliverLimits, { ...deliverLimits, connectionsPerOrigin: 1, ...limits })
    ),
    (context) => Context.get(context, Sender)
  )

/** Outcomes of requests one after the other. */
const sendInTurn = Effect.fnUntraced(function* (
  port: number,
  count: number,
  limits?: Partial<typeof deliverLimits>
) {
  const sender = yield* makeSender(limits)
  return yield* Effect.forEach(Array.from({ length: count }), () =>
    sendBy(sender, `http://127.0.0.1:${port}/`)
  )
})

const TIMEOUT = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n"

describe("a request on a connection that was used before", () => {
  it.live.each<{ readonly name: string; readonly end: (socket: Socket) => void }>([
    { name: "resets it", end: (socket) => socket.resetAndDestroy() },
    { name: "closes it", end: (socket) => socket.end() },
    {
      name: "answers 408 because it was idle",
      end: (socket) => socket.end(`${TIMEOUT}Connection: close\r\n\r\n`)
    }
  ])("is sent again at once on a new one if the server $name, and no attempt fails", ({ end }) =>
    Effect.gen(function* () {
      const { port, requests } = yield* server((socket, { request }) =>
        request === 0 ? socket.write(OK) : end(socket)
      )
      const outcomes = yield* sendInTurn(port, 6)
      assert.deepStrictEqual(
        outcomes.map(({ error }) => error),
        outcomes.map(() => null)
      )
      // The second request on each connection was not answered, and came again on the next connection.
      assert.deepStrictEqual(requests, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5])
    })
  )

  it.live("is sent twice at most: a new connection that dies as well is a failure of the receiver", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* server((socket, { connection, request }) =>
        connection === 0 && request === 0 ? socket.write(OK) : socket.resetAndDestroy()
      )
      const outcomes = yield* sendInTurn(port, 3)
      assert.deepStrictEqual(
        outcomes.map(({ error }) => error),
        [null, "connection reset", "connection reset"]
      )
      assert.deepStrictEqual(requests, [0, 0, 1, 2])
      assert.isNumber(outcomes[1]?.details?.connectMs)
    })
  )

  it.live.each([
    { name: "after a part of the answer", answer: "HTTP/1.1 2", error: "connection reset" },
    {
      name: "after an informational response",
      answer: "HTTP/1.1 103 Early Hints\r\n\r\n",
      error: "connection reset"
    },
    { name: "after a 408 of the receiver's own", answer: `${TIMEOUT}\r\n`, error: "HTTP 408" }
  ])("is not sent again $name", ({ answer, error }) =>
    Effect.gen(function* () {
      const { port, requests } = yield* server((socket, { request }) =>
        request === 0 ? socket.write(OK) : socket.end(answer)
      )
      const outcomes = yield* sendInTurn(port, 2)
      assert.strictEqual(outcomes[1]?.error, error)
      assert.deepStrictEqual(requests, [0, 0])
    })
  )

  it.live("ends at its deadline also if it was sent again", () =>
    Effect.gen(function* () {
      const { port } = yield* server((socket, { connection, request }) => {
        if (connection === 0 && request === 0) socket.write(OK)
        else if (connection === 0) socket.end()
      })
      const sender = yield* makeSender()
      const send = sendBy(sender, `http://127.0.0.1:${port}/`)
      yield* send
      assert.deepInclude(yield* send, { delivered: false, error: "timeout after 1000 ms" })
    })
  )
})

describe("a connection", () => {
  it.live("is not reused once it is old, so that a change of DNS is followed", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* server((socket) => socket.write(OK))
      yield* sendInTurn(port, 4)
      assert.deepStrictEqual(requests, [0, 0, 0, 0])
      const other = yield* server((socket) => socket.write(OK))
      yield* sendInTurn(other.port, 4, { connectionLifeMs: 0.001 })
      assert.deepStrictEqual(other.requests, [0, 1, 2, 3])
    })
  )

  it.live.each([
    { name: "the idle time if the server announces none", header: "", limits: { connectionIdleMs: 50 } },
    {
      name: "the time that the server announces, less a margin",
      header: "Keep-Alive: timeout=1\r\n",
      limits: { connectionIdleMarginMs: 950 }
    }
  ])("is closed after $name", ({ header, limits }) =>
    Effect.gen(function* () {
      const openMs = Deferred.makeUnsafe<number>()
      const { port } = yield* server((socket) => {
        const began = performance.now()
        socket.once("close", () => Deferred.doneUnsafe(openMs, Effect.succeed(performance.now() - began)))
        socket.write(`HTTP/1.1 200 OK\r\n${header}Content-Length: 2\r\n\r\nok`)
      })
      yield* sendInTurn(port, 1, limits)
      assert.isBelow(yield* Deferred.await(openMs), deliverLimits.connectionIdleMs / 2)
    })
  )
})
