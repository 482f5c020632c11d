/**
 * The receiver package's adapters in the real frameworks, over HTTP. Next.js is large and its handlers are functions from the
 * web's `Request` to its `Response`: that interface is tested without it.
 */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import express from "express"
import fastify from "fastify"
import { Hono } from "hono"
import { expressHandler } from "../../packages/receiver-js/src/express.ts"
import { fastifyReceiver } from "../../packages/receiver-js/src/fastify.ts"
import { honoHandler } from "../../packages/receiver-js/src/hono.ts"
import { createReceiver, type Receiver } from "../../packages/receiver-js/src/index.ts"
import { nextHandler } from "../../packages/receiver-js/src/next.ts"
import { nodeHandler } from "../../packages/receiver-js/src/node.ts"
import { cloudEventHeaders } from "../../src/spine/event/RequestFormat.ts"
import { eventBody, exampleEvent, exampleRecord, SECRET, signed } from "./support.ts"

type Send = (path: string, init: RequestInit) => Promise<Response>

interface Framework {
  readonly name: string
  readonly start: (
    receiver: Receiver
  ) => Promise<{ readonly send: Send; readonly stop: () => Promise<unknown> }>
}

const listening = async (listener: RequestListener) => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // Listening on TCP, so it is no path of a pipe.
  const { port } = server.address() as AddressInfo
  const send: Send = (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init)
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
    })
  return { send, stop }
}

const requestOf = (path: string, init: RequestInit) => new Request(`http://receiver.example${path}`, init)
const nothingToStop = () => Promise.resolve()

/** As Google's functions do it. */
const keepBytes = (request: object, _response: unknown, bytes: Buffer) => {
  Object.assign(request, { rawBody: bytes })
}

const frameworks: ReadonlyArray<Framework> = [
  { name: "node:http", start: (receiver) => listening(nodeHandler(receiver)) },
  {
    name: "Express",
    start: (receiver) => listening(express().post("/hooks", expressHandler(receiver)).use(express.json()))
  },
  {
    name: "Express after express.raw",
    start: (receiver) =>
      listening(
        express()
          .use(express.raw({ type: "application/json", limit: receiver.maxBodyBytes }))
          .post("/hooks", expressHandler(receiver))
      )
  },
  {
    name: "Express after express.json, which keeps the bytes in rawBody",
    start: (receiver) =>
      listening(
        express()
          .use(express.json({ limit: receiver.maxBodyBytes, verify: keepBytes }))
          .post("/hooks", expressHandler(receiver))
      )
  },
  {
    name: "Fastify",
    start: async (receiver) => {
      const app = fastify()
      await app.register(fastifyReceiver(receiver, "/hooks"))
      const url = await app.listen({ port: 0, host: "127.0.0.1" })
      return { send: (path, init) => fetch(`${url}${path}`, init), stop: () => app.close() }
    }
  },
  {
    name: "Hono",
    start: async (receiver) => {
      const app = new Hono().post("/hooks", honoHandler(receiver))
      return { send: async (path, init) => app.fetch(requestOf(path, init)), stop: nothingToStop }
    }
  },
  {
    name: "Next.js (by its interface)",
    start: async (receiver) => {
      const POST = nextHandler(receiver)
      return { send: (path, init) => POST(requestOf(path, init)), stop: nothingToStop }
    }
  }
]

const BODY_MAX = 3000
const PARSED_BEFORE =
  /The body was parsed before Ledgerhook's handler: mount the handler before any body parser/

const receiving = () => {
  const handled: Array<string> = []
  const receiver = createReceiver({
    secrets: [SECRET],
    maxBodyBytes: BODY_MAX,
    onError: () => undefined,
    onEvent: ({ event_id }) => {
      if (event_id === "bad") throw new Error("cannot handle it")
      handled.push(event_id)
    }
  })
  return { handled, receiver }
}

/** In several parts, without a length in advance. */
const streamOf = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (let at = 0; at < bytes.length; at += 100) controller.enqueue(bytes.subarray(at, at + 100))
      controller.close()
    }
  })

const post = ({ body, headers }: ReturnType<typeof signed>) => ({ method: "POST", headers, body })
const streamed = ({ body, headers }: ReturnType<typeof signed>) => ({
  method: "POST",
  headers,
  body: streamOf(body),
  duplex: "half" as const
})

describe.each(frameworks)("the adapter for $name", ({ start }) => {
  it("verifies the bytes that arrived, hands over the event and answers", async () => {
    const { handled, receiver } = receiving()
    const { send, stop } = await start(receiver)
    try {
      // A parser that read it and wrote it again would change this body.
      const spaced = eventBody({ event_id: "a", note: "Grüße" }).replace("{", "{ \n")
      const statuses = [
        await send("/hooks", post(signed(spaced))),
        await send("/hooks", post(signed(spaced))),
        await send("/hooks", streamed(signed(eventBody({ event_id: "b" })))),
        await send("/hooks", post({ ...signed(spaced), body: Buffer.from(spaced.replace("a", "b")) })),
        await send("/hooks", { method: "POST" }),
        await send("/hooks", post(signed("no event"))),
        await send("/hooks", post(signed(eventBody({ event_id: "bad" })))),
        await send("/hooks", streamed(signed(eventBody({ note: "x".repeat(BODY_MAX) }))))
      ].map(({ status }) => status)
      assert.deepStrictEqual(statuses, [200, 200, 200, 401, 401, 400, 500, 413])
      assert.deepStrictEqual(handled, ["a", "b"])
      const answer = await send("/hooks", post(signed(eventBody({ event_id: "c" }))))
      assert.match(answer.headers.get("content-type") ?? "", /^application\/json/)
      assert.deepStrictEqual(await answer.json(), { received: 1 })
    } finally {
      await stop()
    }
  })

  it("takes a compressed CloudEvent, and no bomb", async () => {
    const { handled, receiver } = receiving()
    const { send, stop } = await start(receiver)
    const compressed = (content: string) => {
      const { body, headers } = signed(content)
      const attributes = cloudEventHeaders(exampleRecord, exampleRecord.webhook_id)
      const init = post({
        body: gzipSync(body),
        headers: { ...headers, ...attributes, "Content-Encoding": "gzip" }
      } as ReturnType<typeof signed>)
      return send("/hooks", init)
    }
    try {
      assert.strictEqual((await compressed(JSON.stringify(exampleEvent.payload))).status, 200)
      assert.deepStrictEqual(handled, [exampleEvent.event_id])
      assert.strictEqual((await compressed(" ".repeat(BODY_MAX + 1))).status, 413)
    } finally {
      await stop()
    }
  })
})

describe("the adapters", () => {
  it("leave the body parsers of other Fastify routes as they are", async () => {
    const app = fastify()
    await app.register(fastifyReceiver(receiving().receiver, "/hooks"))
    app.post("/other", async (request) => ({ got: request.body }))
    const { body } = await app.inject({ method: "POST", url: "/other", payload: { a: 1 } })
    await app.close()
    assert.strictEqual(body, '{"got":{"a":1}}')
  })

  it("give Express's error handler an error if a parser has taken the bytes", async () => {
    const { handled, receiver } = receiving()
    let told = ""
    const app = express().use(express.json()).post("/hooks", expressHandler(receiver))
    app.use(((error: Error, _request, response, _next) => {
      told = error.message
      response.status(500).end()
    }) satisfies express.ErrorRequestHandler)
    const { send, stop } = await listening(app)
    const { status } = await send("/hooks", post(signed(eventBody())))
    await stop()
    assert.strictEqual(status, 500)
    assert.match(told, PARSED_BEFORE)
    assert.deepStrictEqual(handled, [])
  })

  it("give Hono's error handler the same error, and reject it in Next.js", async () => {
    const { handled, receiver } = receiving()
    let told = ""
    const app = new Hono()
      .use(async (context, next) => {
        await context.req.json()
        await next()
      })
      .post("/hooks", honoHandler(receiver))
      .onError((error, context) => {
        told = error.message
        return context.text("", 500)
      })
    const { status } = await app.fetch(requestOf("/hooks", post(signed(eventBody()))))
    assert.strictEqual(status, 500)
    assert.match(told, PARSED_BEFORE)

    const request = requestOf("/hooks", post(signed(eventBody())))
    await request.text()
    const error = await nextHandler(receiver)(request).catch((error: unknown) => error)
    assert.match(String(error), PARSED_BEFORE)
    assert.deepStrictEqual(handled, [])
  })
})
