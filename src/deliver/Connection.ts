/**
 * An undici client with one connection to an origin at a time. It counts what undici's parser does not report: bytes
 * outside a body, and bytes that arrive while no request is under way. A connection is reused only after a response
 * that its exchange calls clean. After unexpected bytes it is closed: undici could take them for the next response.
 */
import type { Socket } from "node:net"
import { type buildConnector, Client, type Dispatcher } from "undici"

/** The part of an exchange that its connection calls. */
export interface OnConnection extends Dispatcher.DispatchHandler {
  connection: Connection | undefined
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
  /** How long connecting took; null after an exchange has read it. */
  private connectMs: number | null = null

  constructor(
    origin: URL,
    options: Omit<Client.Options, "connect">,
    connect: buildConnector.connector,
    open: OpenConnections,
    nowMs: () => number
  ) {
    const use = (socket: Socket, connectMs: number) => {
      this.socket = socket
      this.connectMs = connectMs
    }
    const watch = (socket: Socket) => this.watch(socket)
    super(origin, {
      ...options,
      connect: (target, callback) => {
        const startedAt = nowMs()
        connect(target, (...result) => {
          const [error, socket] = result
          if (error !== null) return callback(...result)
          open.count++
          socket.once("close", () => open.count--)
          use(socket, Math.max(0, nowMs() - startedAt))
          // undici adds its listeners here, so they run before ours and have parsed what ours counts.
          callback(...result)
          watch(socket)
        })
      }
    })
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    // Sender dispatches exchanges only.
    const exchange = handler as OnConnection
    exchange.connection = this
    return super.dispatch(options, handler)
  }

  /** The exchange's request is about to be written. Returns how long connecting took if it was for this exchange. */
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
      if (this.exchange !== undefined) this.exchange.bytesRead(bytes)
      else if (bytes > 0) socket.destroy()
    })
  }
}
