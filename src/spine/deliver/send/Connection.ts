/**
 * An undici client with one connection to an origin at a time. It counts what undici's parser does not report: bytes
 * outside a body, and bytes that arrive while no request is in flight. A connection is reused for about a minute, and
 * only after a response that its exchange calls clean. After unexpected bytes it is closed: undici could take them for
 * the next response.
 */
import type { Socket } from "node:net"
import { Cause, Effect, Exit } from "effect"
import { buildConnector, Client, type Dispatcher } from "undici"
import { isPublicAddress, literalAddress } from "../../domain/AddressGuard.ts"
import { connectTcp, within } from "../../net/Connect.ts"
import type { Resolve } from "../../net/Resolver.ts"

/** The part of an exchange that its connection calls. */
export interface OnConnection extends Dispatcher.DispatchHandler {
  connection: Connection | undefined
  request: Dispatcher.DispatchOptions | undefined
  /** How many bytes of the response have been read so far: status line, headers, body and framing. */
  bytesRead(bytes: number): void
}

/** Open connections of one process, over all origins. */
export interface OpenConnections {
  count: number
}

export class Connection extends Client {
  private socket: Socket | undefined
  private exchange: OnConnection | undefined
  /** `socket.bytesRead` when the current exchange began, or when the last one ended. */
  private bytesBefore = 0
  /** How long connecting took; null once an exchange has used this socket. */
  private connectMs: number | null = null
  /** When the socket is too old for another request. */
  private expiresAt = Number.POSITIVE_INFINITY
  private readonly nowMs: () => number

  /** `nowMs` is monotonic. `lifeMs` is called for each connection. */
  constructor(
    origin: URL,
    options: Omit<Client.Options, "connect">,
    connect: buildConnector.connector,
    open: OpenConnections,
    nowMs: () => number,
    lifeMs: () => number
  ) {
    const use = (socket: Socket, startedAt: number) => {
      const now = nowMs()
      this.socket = socket
      this.connectMs = Math.round(now - startedAt)
      this.expiresAt = now + lifeMs()
      open.count++
      socket.once("close", () => {
        this.expiresAt = Number.POSITIVE_INFINITY
        open.count--
      })
    }
    const watch = (socket: Socket) => this.watch(socket)
    super(origin, {
      ...options,
      connect: (target, callback) => {
        const startedAt = nowMs()
        connect(target, (...result) => {
          const [error, socket] = result
          if (error !== null) return callback(...result)
          use(socket, startedAt)
          // undici adds its listeners here, so they run before ours and have parsed what ours counts.
          callback(...result)
          watch(socket)
        })
      }
    })
    this.nowMs = nowMs
  }

  override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    // Sender dispatches exchanges only.
    const exchange = handler as OnConnection
    exchange.connection = this
    exchange.request = request
    // The client has one request at a time, so this socket is idle. The client connects again.
    if (this.nowMs() >= this.expiresAt) this.socket?.destroy()
    return super.dispatch(request, handler)
  }

  /**
   * The exchange's request is about to be written. Returns how long connecting took if it is the first one on this
   * socket, and null on a socket that is reused.
   */
  begin(exchange: OnConnection): number | null {
    this.exchange = exchange
    this.bytesBefore = this.socket?.bytesRead ?? 0
    const { connectMs } = this
    this.connectMs = null
    return connectMs
  }

  /** The exchange's response has been read to its end. */
  end(isClean: boolean) {
    this.exchange = undefined
    this.bytesBefore = this.socket?.bytesRead ?? 0
    if (!isClean) this.socket?.destroy()
  }

  private watch(socket: Socket) {
    socket.on("readable", () => {
      const bytes = socket.bytesRead - this.bytesBefore
      // The end of the stream is readable too.
      if (bytes === 0) return
      if (this.exchange !== undefined) this.exchange.bytesRead(bytes)
      else socket.destroy()
    })
  }
}

/** Opens connections for undici, after checking the address: TCP (net/Connect.ts), then TLS for https. */
export const makeConnector = (options: {
  readonly allowPrivate: boolean
  readonly timeoutMs: number
  readonly resolve: Resolve
}): buildConnector.connector => {
  const { allowPrivate, resolve, timeoutMs } = options
  const isAllowed = allowPrivate ? () => true : isPublicAddress
  // Over HTTP/2 a receiver could send without limit, and requests cost more CPU: docs/decisions/0015-http2.md.
  const connectTls = buildConnector({ allowH2: false, timeout: 0 })

  const secured = (target: buildConnector.Options, httpSocket: Socket) =>
    Effect.callback<Socket, Error>((resume) => {
      // Servers refuse a name with the root's dot (RFC 6066, section 3).
      const servername = target.hostname.replace(/\.$/, "")
      const named = literalAddress(target.hostname) === undefined ? { ...target, servername } : target
      connectTls({ ...named, httpSocket }, (...[error, socket]) =>
        resume(error === null ? Effect.succeed(socket) : Effect.fail(error))
      )
      return Effect.sync(() => httpSocket.destroy())
    })

  return (target, callback) => {
    const { hostname, port, protocol } = target
    const isSecure = protocol === "https:"
    const connecting = connectTcp(hostname, Number(port || (isSecure ? 443 : 80)), {
      isAllowed,
      resolve
    }).pipe(
      Effect.flatMap((socket) => (isSecure ? secured(target, socket) : Effect.succeed(socket))),
      within(timeoutMs)
    )
    Effect.runFork(connecting).addObserver((exit) => {
      if (Exit.isSuccess(exit)) callback(null, exit.value)
      // All failures and defects of connecting are errors.
      else callback(Cause.squash(exit.cause) as Error, null)
    })
  }
}
