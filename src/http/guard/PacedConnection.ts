/**
 * A connection that passes bytes from a socket to the HTTP parser, one request at a time: the next request only after
 * the response to the previous one has been written to the network. Pipelined requests stay in the socket, whose flow
 * control stops the sender. A client that sends much and reads nothing therefore costs one response and a bounded
 * buffer. If the last response comes before the end of its request's body, the parser gets no more of it: some of it is
 * dropped, so that the client can read the response, and the connection is closed.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"

/** Bytes of a request body that the parser gets at once, so at most 42 further requests can hide behind its end. */
const BODY_PIECE_BYTES = 1_024

/**
 * The most bytes that are dropped after the last response. A close with unread bytes makes the client's system report an
 * error, which may hide the response.
 */
const DROP_BYTES = 256 * 1_024

const HEAD_END = "\r\n\r\n"
const NOTHING = Buffer.alloc(0)

type Done = (error?: Error | null) => void

export class PacedConnection extends Duplex {
  /** Node's HTTP server sets its keep-alive and stall timeouts with it. */
  readonly setTimeout: Socket["setTimeout"]
  readonly remoteAddress: string | undefined
  /** Ends the event stream that is the current response; undefined if there is none. */
  endStream: (() => void) | undefined
  readonly #socket: Socket
  #unanswered = 0
  #latest: IncomingMessage | undefined
  /** Bytes read from the socket that the parser has not got yet. */
  #rest: Buffer = NOTHING
  #wanted = false
  /** Bytes that may still be dropped before the connection is closed; undefined: its last response is not written yet. */
  #toDrop: number | undefined

  constructor(socket: Socket) {
    super({
      // No read-ahead: each piece goes to the parser before the next one is cut.
      readableHighWaterMark: 0,
      writableHighWaterMark: socket.writableHighWaterMark,
      // Strings reach the socket undecoded, as without this class.
      decodeStrings: false
    })
    this.#socket = socket
    this.setTimeout = socket.setTimeout.bind(socket)
    this.remoteAddress = socket.remoteAddress
    socket.on("readable", () => this.#advance())
    socket.on("end", () => this.#advance())
    socket.on("timeout", () => this.emit("timeout"))
    socket.on("error", (error) => this.destroy(error))
    socket.on("close", () => this.destroy())
  }

  /** Whether no request runs on it. */
  get idle(): boolean {
    return this.#unanswered === 0
  }

  began(request: IncomingMessage): void {
    this.#unanswered++
    this.#latest = request
  }

  answered(): void {
    this.#unanswered--
    this.#advance()
  }

  override _read(): void {
    this.#wanted = true
    this.#advance()
  }

  override _writev(
    chunks: ReadonlyArray<{ readonly chunk: Buffer | string; readonly encoding: BufferEncoding }>,
    done: Done
  ): void {
    this.#socket.cork()
    chunks.forEach(({ chunk, encoding }, i) => {
      this.#socket.write(chunk, encoding, i === chunks.length - 1 ? done : undefined)
    })
    this.#socket.uncork()
  }

  /** The HTTP server calls this after the last response. The parser gets nothing afterwards. */
  override _final(done: Done): void {
    this.#socket.end(() => {
      done()
      if (this.#latest?.complete !== false) return this.destroy()
      this.#toDrop = DROP_BYTES
      this.#rest = NOTHING
      this.#drop(this.#toDrop)
    })
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#rest = NOTHING
    this.#socket.destroy()
    done(error)
  }

  #drop(most: number): void {
    this.#toDrop = most - (this.#socket.read()?.length ?? 0)
    if (this.#toDrop < 0 || this.#socket.readableEnded) this.destroy()
  }

  #advance(): void {
    if (this.#toDrop !== undefined) {
      this.#drop(this.#toDrop)
      return
    }
    // Also true after the response: the rest of the body is not a new request.
    const receiving = this.#latest?.complete === false
    const busy = this.writableEnded || (this.#unanswered > 0 && !receiving)
    // Read even while a request runs: otherwise the socket would not notice that the client has closed.
    if (this.#rest.length === 0) this.#rest = this.#socket.read() ?? NOTHING
    if (this.#rest.length === 0 && this.#socket.readableEnded) this.push(null)
    if (this.#rest.length === 0 || busy || !this.#wanted) return
    const piece = receiving ? BODY_PIECE_BYTES : this.#headEnd()
    const bytes = this.#rest.subarray(0, piece)
    this.#rest = this.#rest.subarray(piece)
    this.#wanted = false
    this.push(bytes)
  }

  /** A piece ends with a request head, so it starts one request, or two if the previous piece cut the blank line. */
  #headEnd(): number {
    const mark = this.#rest.indexOf(HEAD_END)
    return mark === -1 ? this.#rest.length : mark + HEAD_END.length
  }
}
