/**
 * One connection at a time to an origin, as an undici client that knows the exchange on it. It sees what undici's parser
 * does not report: bytes that belong to no body, and bytes that arrive while no request is under way. A connection is used
 * again only after a response that its exchange calls clean, and never after bytes that nobody asked for: they could be
 * taken for the response to the next request.
 */
import type { Socket } from "node:net"
import { type buildConnector, Client, type Dispatcher } from "undici"

/** What a connection tells the exchange on it. */
export interface OnConnection extends Dispatcher.DispatchHandler {
  connection: Connection | undefined
  /** So many bytes of its response have been read and parsed, all kinds together. */
  bytesRead(bytes: number): void
}

/** Connections of one process, over all origins. */
export interface OpenConnections {
  count: number
}

export class Connection extends Client {
  private socket: Socket | undefined
  private exchange: OnConnection | undefined
  /** What the socket had read when the exchange began, or the last one ended. */
  private bytesBefore = 0

  constructor(
    origin: URL,
    options: Omit<Client.Options, "connect">,
    connect: buildConnector.connector,
    open: OpenConnections
  ) {
    const use = (socket: Socket) => {
      this.socket = socket
    }
    const watch = (socket: Socket) => this.watch(socket)
    super(origin, {
      ...options,
      connect: (target, callback) =>
        connect(target, (...result) => {
          const [error, socket] = result
          if (error !== null) return callback(...result)
          open.count++
          socket.once("close", () => open.count--)
          use(socket)
          // undici's listeners come first: what they have parsed is known when ours runs.
          callback(...result)
          watch(socket)
        })
    })
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    // The sender dispatches nothing else.
    const exchange = handler as OnConnection
    exchange.connection = this
    return super.dispatch(options, handler)
  }

  /** The exchange's request is about to be written. */
  begin(exchange: OnConnection) {
    this.exchange = exchange
    this.bytesBefore = this.socket?.bytesRead ?? 0
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
