/**
 * A webhook receiver as a customer would run it: a real HTTP server that keeps every request, answers as the test
 * says, and checks signatures with its own code, not with the service's signer.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { gunzipSync, zstdDecompressSync } from "node:zlib"
import { Effect, Latch, type Scope } from "effect"

export interface Received {
  readonly headers: IncomingMessage["headers"]
  readonly body: string
  readonly path: string
  /** The body, parsed. */
  readonly event: {
    readonly event_id: string
    readonly event_type: string
    readonly webhook_id: string
    readonly [field: string]: unknown
  }
  readonly deliveryId: string
}

/** Returns the status to answer with, or "handled" if it writes the response itself. */
export type Answer = (received: Received, response: ServerResponse) => number | "handled"

export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  /** Waits until the predicate is true of the requests received so far. */
  readonly until: (holds: (received: ReadonlyArray<Received>) => boolean) => Effect.Effect<void>
}

export const signatureHolds = (secret: string, received: Received): boolean => {
  const header = received.headers["x-service-signature"]
  const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(received.body).digest("hex")}`)
  const given = Buffer.from(typeof header === "string" ? header : "")
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The ids of the deliveries that the request carries: one, or those of a batch. */
export const deliveryIdsOf = ({ deliveryId, event }: Received): ReadonlyArray<string> =>
  // Other code reads single events only.
  Array.isArray(event) ? event.map((item) => item.delivery_id) : [deliveryId]

const decompressed = (encoding: string | undefined, body: Buffer): Buffer =>
  encoding === "gzip" ? gunzipSync(body) : encoding === "zstd" ? zstdDecompressSync(body) : body

export const makeReceiver = (answer: Answer = () => 200): Effect.Effect<Receiver, never, Scope.Scope> =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const sockets = new Set<Socket>()
    const arrived = Latch.makeUnsafe()
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const body = decompressed(request.headers["content-encoding"], Buffer.concat(chunks)).toString("utf8")
        const one: Received = {
          headers: request.headers,
          body,
          path: request.url ?? "",
          event: JSON.parse(body),
          deliveryId: String(request.headers["x-service-delivery-id"])
        }
        received.push(one)
        const status = answer(one, response)
        if (status !== "handled") response.writeHead(status).end("thanks")
        arrived.openUnsafe()
      })
    })
    server.on("connection", (socket) => {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          for (const socket of sockets) socket.destroy()
          server.close(() => resume(Effect.void))
        })
    )
    const { port } = server.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${port}/hook`,
      received,
      until: (holds) =>
        Effect.gen(function* () {
          while (!holds(received)) {
            yield* Latch.await(arrived)
            arrived.closeUnsafe()
          }
        })
    }
  })
