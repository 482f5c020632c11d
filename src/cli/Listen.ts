/**
 * `ledgerhook listen`: a receiver for trying webhooks out. It verifies signatures, prints what arrives (blocks on a
 * terminal, JSON lines when piped) and answers 200, or plays a bad receiver with --status and --delay.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Clock, Effect, Option, type Scope } from "effect"
import { Command, Flag } from "effect/cli"
import { Limits } from "../config/Limits.ts"
import { parseDuration } from "../config/Values.ts"
import { CommandFailed } from "./Failure.ts"
import { Invocation, stdoutColour } from "./Invocation.ts"
import { print, printError } from "./Output.ts"
import { block, jsonLine, type Received, verifySignature } from "./Received.ts"
import { Signals } from "./Signals.ts"

export interface ReceiverOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Undefined: signatures are not checked. */
  readonly secret: string | undefined
  readonly status: number
  readonly delayMs: number
}

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
      resume(Effect.fail(new CommandFailed({ message: `port ${port} of ${host} ${fault}.` })))
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
    yield* show({
      receivedAt: new Date(yield* Clock.currentTimeMillis).toISOString(),
      path: request.url ?? "/",
      headers,
      body: body.toString(),
      signature: verifySignature(options.secret, body, headers["x-service-signature"]),
      status: options.status
    })
    yield* Effect.sleep(options.delayMs)
    yield* answer(response, options.status, "")
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
  port: Flag.Int("port").pipe(
    Flag.withDescription("Port to listen on; 0: any free one"),
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "a port from 0 to 65535"
    ),
    Flag.withDefault(4000)
  ),
  host: Flag.String("host").pipe(Flag.withDescription("Address to listen on"), Flag.withDefault("127.0.0.1")),
  secret: Flag.String("secret").pipe(
    Flag.withDescription(
      "The webhook's secret, as shown when it was made; without it signatures are not checked"
    ),
    Flag.optional
  ),
  status: Flag.Int("status").pipe(
    Flag.withDescription("HTTP status to answer with, to see retries"),
    Flag.filter(
      (status) => status >= 200 && status <= 599,
      () => "a status from 200 to 599"
    ),
    Flag.withDefault(200)
  ),
  delay: Flag.String("delay").pipe(
    Flag.withDescription("How long to wait before answering, as 500ms or 12s, to see timeouts"),
    Flag.mapTryCatch(delay, (error) => (error as Error).message),
    Flag.withDefault(0)
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
  Command.withDescription(
    "Receive webhooks on this machine: verifies their signatures and shows them, as blocks on a terminal and as JSON lines when piped. The service delivers to this machine only with DELIVERY_ALLOW_PRIVATE_ADDRESSES=true and DELIVERY_ALLOW_HTTP=true."
  ),
  Command.withShortDescription("Receive webhooks here, verify and show them"),
  Command.withExamples([
    {
      command: "ledgerhook listen --secret whsec_…",
      description: "Show webhooks and verify their signatures"
    },
    {
      command: "ledgerhook listen --port 4001 --status 503",
      description: "Fail every attempt, to see retries"
    },
    { command: "ledgerhook listen --delay 12s", description: "Answer too late, to see timeouts" },
    { command: "ledgerhook listen | jq .body.payload", description: "Only the payloads" }
  ])
)
