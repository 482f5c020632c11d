/** The HTTP server that receives webhooks for `listen` and for the demo. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync, zstdDecompressSync } from "node:zlib"
import { Effect, type Scope } from "effect"
import { type CommandFailed, failed } from "./Failure.ts"
import { terminalLimits } from "./Limits.ts"

export interface Post {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface Answer {
  readonly status: number
  readonly text?: string
}

/** Undefined if the body is larger than `terminalLimits.listenBodyBytes`. */
const bodyOf = (request: IncomingMessage): Effect.Effect<Buffer | undefined> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= terminalLimits.listenBodyBytes) chunks.push(chunk)
    })
    request.on("end", () =>
      resume(Effect.succeed(bytes > terminalLimits.listenBodyBytes ? undefined : Buffer.concat(chunks)))
    )
    // The sender has closed the connection, so no response is needed.
    request.on("error", () => resume(Effect.interrupt))
  })

const bounded = { maxOutputLength: terminalLimits.listenBodyBytes }

const decompressors: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  identity: (body) => body,
  gzip: (body) => gunzipSync(body, bounded),
  zstd: (body) => zstdDecompressSync(body, bounded)
}

/** Undefined if the body is not in that encoding, or is larger than `terminalLimits.listenBodyBytes` without it. */
const decompressed = (body: Buffer, encoding: string): Buffer | undefined => {
  try {
    return Object.hasOwn(decompressors, encoding) ? decompressors[encoding]?.(body) : undefined
  } catch {
    return undefined
  }
}

const headersOf = (request: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))

const listening = (server: Server, host: string, port: number): Effect.Effect<void, CommandFailed> =>
  Effect.callback((resume) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const fault =
        error.code === "EADDRINUSE"
          ? "is in use; choose another one with --port"
          : `cannot be used: ${error.message}`
      resume(Effect.fail(failed(`port ${port} of ${host} ${fault}.`)))
    })
    server.listen(port, host, () => resume(Effect.void))
  })

/** Answers every POST with the result of `answer`. Returns the URL it listens on. Port 0 means any free port. */
export const makeReceiver = Effect.fnUntraced(function* (
  host: string,
  port: number,
  answer: (post: Post) => Effect.Effect<Answer>
): Effect.fn.Return<string, CommandFailed, Scope.Scope> {
  const answerTo = Effect.fnUntraced(function* (request: IncomingMessage) {
    if (request.method !== "POST") return { status: 405, text: "ledgerhook listen: only POST is accepted.\n" }
    const body = yield* bodyOf(request)
    if (body === undefined)
      return { status: 413, text: "ledgerhook listen: the request body is too large.\n" }
    const encoding = request.headers["content-encoding"] ?? "identity"
    const plain = decompressed(body, encoding)
    if (plain === undefined)
      return { status: 415, text: "ledgerhook listen: the request body cannot be decompressed.\n" }
    return yield* answer({ path: request.url ?? "/", headers: headersOf(request), body: plain })
  })
  const handle = Effect.fnUntraced(function* (request: IncomingMessage, response: ServerResponse) {
    const { status, text }: Answer = yield* answerTo(request)
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text)
  })
  const context = yield* Effect.context<never>()
  const server = createServer((request, response) => {
    Effect.runForkWith(context)(handle(request, response))
  })
  yield* Effect.acquireRelease(listening(server, host, port), () =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  )
  // `address()` returns this type for a server that listens on TCP.
  const { address, family, port: actual } = server.address() as AddressInfo
  return `http://${family === "IPv6" ? `[${address}]` : address}:${actual}`
})
