/**
 * An undici client with one connection to an origin at a time. It counts what undici's parser does not report: bytes
 * outside a body, and bytes that arrive while no request is under way. A connection is reused for about a minute, and
 * only after a response that its exchange calls clean. After unexpected bytes it is closed: undici could take them for
 * the next response.
 */
import type { Socket } from "node:net"
import { type buildConnector, Client, type Dispatcher } from "undici"

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
