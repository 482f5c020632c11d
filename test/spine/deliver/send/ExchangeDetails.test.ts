/** An attempt's recorded details, besides its result, against real servers: times, and headers of the response. */

import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Dispatcher } from "undici"
import { responseLimits } from "../../../../src/spine/deliver/Limits.ts"
import { Exchange, FAILED_HEADERS } from "../../../../src/spine/deliver/send/Exchange.ts"
import { Sender } from "../../../../src/spine/deliver/send/Sender.ts"
import { makeReceiver } from "../../../support/deliver/receiver.ts"
import { attemptAt, send, sendBy, senderWith, tcpServer } from "../../../support/deliver/sending.ts"

describe("the details of an attempt", () => {
  it.live("say how long connecting took, of the first attempt on a connection only", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const sender = Context.get(yield* Layer.build(senderWith()), Sender)
      const first = yield* sendBy(sender, receiver.url)
      assert.isNumber(first.details?.connectMs)
      // A connection is free a moment after its response has been reported.
      const reused = yield* sendBy(sender, receiver.url).pipe(
        Effect.repeat({ until: ({ details }) => details?.connectMs === null, times: 20 })
      )
      assert.isNull(reused.details!.connectMs)
      for (const { details, responseTimeMs } of [first, reused]) {
        assert.isAtMost(details!.connectMs ?? 0, details!.firstByteMs!)
        assert.isAtMost(details!.firstByteMs!, responseTimeMs!)
        assert.isAtMost(responseTimeMs!, details!.totalMs)
      }
    })
  )

  it("show whether the answer or the body was slow", () => {
    let now = 1_000
    const told: Array<unknown> = []
    const exchange = new Exchange(
      { wallMs: () => 0, monotonicMs: () => now },
      responseLimits.responseBodyBytes,
      (_, outcome) => void told.push(outcome)
    )
    const controller = {} as Dispatcher.DispatchController
    exchange.onRequestStart(controller)
    now += 40
    // The server sends a part of the headers, then the rest, then the body.
    exchange.bytesRead(10)
    now += 20
    exchange.onResponseStart(controller, 200, { server: "test" })
    now += 30
    exchange.onResponseData(controller, Buffer.from("ok"))
    exchange.onResponseEnd()
    assert.deepStrictEqual(told, [
      {
        delivered: true,
        responseStatus: 200,
        responseTimeMs: 60,
        responseBody: "ok",
        error: null,
        details: { connectMs: null, firstByteMs: 40, totalMs: 90, responseHeaders: { server: "test" } }
      }
    ])
  })

  it.live("have the first byte of headers that never end, and none of a receiver that never answers", () =>
    Effect.gen(function* () {
      const begins = yield* tcpServer((socket) => socket.write("HTTP/1.1 200 OK\r\nx-a: 1\r\n"))
      const { details, error } = yield* send(`http://127.0.0.1:${begins}/`)
      assert.strictEqual(error, "timeout after 300 ms")
      assert.isNumber(details!.connectMs)
      assert.isBelow(details!.firstByteMs!, details!.totalMs)
      assert.isNull(details!.responseHeaders)
      const silent = yield* attemptAt(() => "handled")
      assert.deepInclude(silent.details, { firstByteMs: null, responseHeaders: null })
      assert.isAtLeast(silent.details!.totalMs, 299)
    })
  )

  it.live("of an attempt that made no connection are its total time alone", () =>
    Effect.gen(function* () {
      const { details } = yield* send("http://127.0.0.1:1/")
      assert.deepInclude(details, { connectMs: null, firstByteMs: null, responseHeaders: null })
      assert.isAtLeast(details!.totalMs, 0)
    })
  )

  it.live("keep bounded headers of a response, more of a failure, and no cookie", () =>
    Effect.gen(function* () {
      const headersOf = (status: number) =>
        Effect.map(
          attemptAt((_, response) => {
            response.setHeader("Server", "test")
            response.setHeader("Set-Cookie", ["session=secret", "other=secret"])
            for (let i = 0; i < 100; i++) response.setHeader(`X-Filler-${i}`, "a".repeat(40))
            response.writeHead(status).end()
            return "handled"
          }),
          ({ details }) => details!.responseHeaders!
        )
      const [delivered, failed] = [yield* headersOf(204), yield* headersOf(503)]
      for (const headers of [delivered, failed])
        assert.deepInclude(headers, { server: "test", "set-cookie": "***" })
      const size = (headers: Readonly<Record<string, string>>) =>
        Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
      assert.isAtMost(size(delivered), responseLimits.deliveredHeaders.characters)
      assert.isAtMost(size(failed), FAILED_HEADERS.characters)
      assert.isAbove(size(failed), responseLimits.deliveredHeaders.characters)
    })
  )
})
