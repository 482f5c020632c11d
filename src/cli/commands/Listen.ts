/**
 * `ledgerhook listen`: a receiver for trying webhooks out. It prints what arrives (blocks on a terminal, JSON lines when
 * piped) and answers 200, or 401 when the signature is wrong, as a receiver should. With --status and --delay it plays a
 * bad receiver.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Clock, Effect, Option, type Scope } from "effect"
import { Command, Flag } from "effect/cli"
import { Limits } from "../../config/Limits.ts"
import { parseDuration } from "../../config/Values.ts"
import { type CommandFailed, failed } from "../terminal/Failure.ts"
import { wholeNumber, withDefault } from "../terminal/Flags.ts"
import { about } from "../terminal/Help.ts"
import { Invocation, stdoutColour } from "../terminal/Invocation.ts"
import { print, printError } from "../terminal/Output.ts"
import { Signals } from "../terminal/Signals.ts"
import { block, jsonLine, type Received, verifySignature } from "./Received.ts"

export interface ReceiverOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Undefined: signatures are not checked. */
  readonly secret: string | undefined
  /** The answer to a webhook whose signature is not wrong. */
  readonly status: number
  readonly delayMs: number
}

const WRONG_SIGNATURE_STATUS = 401

/** Undefined when it is larger than what `listen` takes. */
const bodyOf = (request: IncomingMessage): Effect.Effect<Buffer | undefined> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= Limits.listenBodyBytes) chunks.push(chunk)
    })
    request.on("end", () =>
      resume(Effect.succeed(bytes > Limits.listenBodyBytes ? undefined : Buffer.concat(chunks)))
    )
    // A sender that has gone away waits for nothing.
    request.on("error", () => resume(Effect.interrupt))
  })

const headersOf = (request: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))

const answer = (response: ServerResponse, status: number, text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text)
  })

const listening = (server: Server, { host, port }: ReceiverOptions): Effect.Effect<void, CommandFailed> =>
  Effect.callback((resume) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const fault =
        error.code === "EADDRINUSE"
          ? "is in use; choose another with --port"
          : `cannot be used: ${error.message}`
      resume(Effect.fail(failed(`port ${port} of ${host} ${fault}.`)))
    })
    server.listen(port, host, () => resume(Effect.void))
  })

/** Hands every POST to `show` and answers it; gives the address it listens on. */
export const receiver = Effect.fnUntraced(function* (
  options: ReceiverOptions,
  show: (received: Received) => Effect.Effect<void>
): Effect.fn.Return<string, CommandFailed, Scope.Scope> {
  const handle = Effect.fnUntraced(function* (request: IncomingMessage, response: ServerResponse) {
    if (request.method !== "POST") {
      return yield* answer(response, 405, "ledgerhook listen: webhooks come as POST.\n")
    }
    const body = yield* bodyOf(request)
    if (body === undefined) return yield* answer(response, 413, "ledgerhook listen: too large.\n")
    const headers = headersOf(request)
    const signature = verifySignature(options.secret, body, headers["x-service-signature"])
    const status = signature === "wrong" ? WRONG_SIGNATURE_STATUS : options.status
    yield* show({
      receivedAt: new Date(yield* Clock.currentTimeMillis).toISOString(),
      path: request.url ?? "/",
      headers,
      body: body.toString(),
      signature,
      status
    })
    yield* Effect.sleep(options.delayMs)
    yield* answer(response, status, signature === "wrong" ? "ledgerhook listen: wrong signature.\n" : "")
  })
  const context = yield* Effect.context<never>()
  const server = createServer((request, response) => {
    Effect.runForkWith(context)(handle(request, response))
  })
  yield* Effect.acquireRelease(listening(server, options), () =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  )
  // A server that listens on TCP has such an address.
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`
})

const delay = (text: string): number => {
  const ms = /^0+$/.test(text) ? 0 : parseDuration(text)
  if (ms === undefined || ms > Limits.listenDelayMs) {
    throw new Error("a number with a unit, as `500ms` or `12 seconds`, up to 10 minutes")
  }
  return ms
}

const flags = {
  port: wholeNumber("port", 0, 65_535, "a port from 0 to 65535").pipe(
    withDefault(4000, "Port to listen on; 0: any free one")
  ),
  host: Flag.String("host").pipe(withDefault("127.0.0.1", "Address to listen on")),
  secret: Flag.String("secret").pipe(
    Flag.withDescription(
      "The webhook's secret, as shown when it was made; without it signatures are not checked"
    ),
    Flag.optional
  ),
  status: wholeNumber("status", 200, 599, "a status from 200 to 599").pipe(
    withDefault(200, "HTTP status to answer with, to see retries; a wrong signature is answered with 401")
  ),
  delay: Flag.String("delay").pipe(
    Flag.withMetavar("TIME"),
    Flag.mapTryCatch(delay, (error) => (error as Error).message),
    withDefault(0, "How long to wait before answering, as 500ms or 12s, to see timeouts", "0s")
  )
}

export const listen = Command.make(
  "listen",
  flags,
  Effect.fnUntraced(function* ({ host, port, secret, status, delay: delayMs }) {
    const invocation = yield* Invocation
    const { untilStopped } = yield* Signals
    const colour = stdoutColour(invocation)
    const show = (received: Received) =>
      print(invocation.stdoutTerminal ? block(received, colour) : jsonLine(received))
    const serve = Effect.gen(function* () {
      const url = yield* receiver(
        { host, port, secret: Option.getOrUndefined(secret), status, delayMs },
        show
      )
      yield* printError(`Listening on ${url}; Ctrl-C ends it.`)
      return yield* Effect.never
    })
    yield* untilStopped(Effect.scoped(serve))
  })
).pipe(
  about(
    "Receive webhooks here, verify and show them",
    "Receive webhooks on this machine: verifies their signatures, answers 401 to wrong ones, and shows them, as blocks on a terminal and as JSON lines when piped. The service delivers to this machine only with DELIVERY_ALLOW_PRIVATE_ADDRESSES=true and DELIVERY_ALLOW_HTTP=true.",
    {
      "ledgerhook listen --secret whsec_…": "Show webhooks and verify their signatures",
      "ledgerhook listen --port 4001 --status 503": "Fail every attempt, to see retries",
      "ledgerhook listen --delay 12s": "Answer too late, to see timeouts",
      "ledgerhook listen | jq .body.payload": "Only the payloads"
    }
  )
)
