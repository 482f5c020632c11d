/**
 * A receiver of traces and metrics as an operator runs one: a real HTTP server that reads OTLP's protobuf by
 * opentelemetry-proto's field numbers, and answers as a test says.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Context, Effect, Latch, type Scope } from "effect"
import { double, fixed64, hex, integer, type Message, messages, readMessage, text } from "./protobuf.ts"

type Attributes = Readonly<Record<string, string | number | boolean>>

export interface TakenSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  /** Empty for the root span of a trace. */
  readonly parentSpanId: string
  /** 2: server, 3: client. */
  readonly kind: number
  readonly durationMs: number
  readonly attributes: Attributes
  /** 2: error. */
  readonly status: number
  readonly resource: Attributes
}

export interface TakenSeries {
  readonly name: string
  readonly description: string
  readonly attributes: Attributes
  readonly value: number
  readonly isMonotonic: boolean
  readonly resource: Attributes
}

export interface OtlpRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** Answers a request: returns the status, or writes the response itself. */
export type OtlpAnswer = (request: OtlpRequest, response: ServerResponse) => number | "handled"

const attributesOf = (message: Message, field: number): Attributes =>
  Object.fromEntries(
    messages(message, field).map((pair) => {
      const [value = readMessage(Buffer.alloc(0))] = messages(pair, 2)
      return [
        text(pair, 1),
        value.has(2)
          ? integer(value, 2) === 1
          : value.has(3)
            ? integer(value, 3)
            : (double(value, 4) ?? text(value, 1))
      ]
    })
  )

/** Resource and scopes enclose both kinds of data in the same way. */
const enclosed = <A>(body: Buffer, read: (one: Message, resource: Attributes) => ReadonlyArray<A>) =>
  messages(readMessage(body), 1).flatMap((ofResource) => {
    const [resource] = messages(ofResource, 1)
    const attributes = resource === undefined ? {} : attributesOf(resource, 1)
    return messages(ofResource, 2).flatMap((ofScope) =>
      messages(ofScope, 2).flatMap((one) => read(one, attributes))
    )
  })

const spansOf = (body: Buffer): ReadonlyArray<TakenSpan> =>
  enclosed(body, (span, resource) => [
    {
      name: text(span, 5),
      traceId: hex(span, 1),
      spanId: hex(span, 2),
      parentSpanId: hex(span, 4),
      kind: integer(span, 6),
      durationMs: Number(fixed64(span, 8) - fixed64(span, 7)) / 1e6,
      attributes: attributesOf(span, 9),
      status: messages(span, 15).map((status) => integer(status, 3))[0] ?? 0,
      resource
    }
  ])

const seriesOf = (body: Buffer): ReadonlyArray<TakenSeries> =>
  enclosed(body, (metric, resource) =>
    [...messages(metric, 7), ...messages(metric, 5)].flatMap((data) =>
      messages(data, 1).map((point) => ({
        name: text(metric, 1),
        description: text(metric, 2),
        attributes: attributesOf(point, 7),
        value: double(point, 4) ?? Number(BigInt.asIntN(64, fixed64(point, 6))),
        isMonotonic: integer(data, 3) === 1,
        resource
      }))
    )
  )

export interface OtlpReceiver {
  readonly url: string
  readonly requests: ReadonlyArray<OtlpRequest>
  readonly spans: ReadonlyArray<TakenSpan>
  /** The series of the last request that contained any series. */
  readonly series: () => ReadonlyArray<TakenSeries>
  /** Waits until the condition is true of the requests received so far. */
  readonly until: (holds: () => boolean) => Effect.Effect<void>
}

export class OtlpUnderTest extends Context.Service<OtlpUnderTest, OtlpReceiver>()(
  "ledgerhook/test/OtlpUnderTest"
) {}

export const makeOtlpReceiver = (
  answer: OtlpAnswer = () => 200
): Effect.Effect<OtlpReceiver, never, Scope.Scope> =>
  Effect.gen(function* () {
    const requests: Array<OtlpRequest> = []
    const spans: Array<TakenSpan> = []
    let series: ReadonlyArray<TakenSeries> = []
    const sockets = new Set<Socket>()
    const arrived = Latch.makeUnsafe()
    const server = createServer((message, response) => {
      const chunks: Array<Buffer> = []
      message.on("data", (chunk: Buffer) => chunks.push(chunk))
      message.on("end", () => {
        const request = { path: message.url ?? "", headers: message.headers }
        requests.push(request)
        const status = answer(request, response)
        if (status === 200) {
          const body = Buffer.concat(chunks)
          if (request.path.endsWith("/v1/traces")) spans.push(...spansOf(body))
          else series = seriesOf(body)
        }
        if (status !== "handled") response.writeHead(status).end()
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
      url: `http://127.0.0.1:${port}`,
      requests,
      spans,
      series: () => series,
      until: (holds) =>
        Effect.gen(function* () {
          while (!holds()) {
            arrived.closeUnsafe()
            yield* Latch.await(arrived)
          }
        })
    }
  })
