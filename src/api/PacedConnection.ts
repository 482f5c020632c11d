/**
 * A connection as the HTTP parser sees it, which gets the bytes of the next request only after the request before has
 * been answered and its answer has left for the network. Requests sent ahead (pipelined) stay in the socket, whose own
 * flow control stops the sender. So a caller that sends much and reads nothing costs one answer and a bounded buffer.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import { Limits } from "../config/Limits.ts"

const HEAD_END = "\r\n\r\n"
const NOTHING = Buffer.alloc(0)

type Done = (error?: Error | null) => void

export class PacedConnection extends Duplex {
  /** Node's HTTP server calls it for its keep-alive and stall timeouts. */
  readonly setTimeout: Socket["setTimeout"]
  readonly remoteAddress: string | undefined
  readonly #socket: Socket
  #unanswered = 0
  #latest: IncomingMessage | undefined
  /** Read from the socket, and not yet given to the parser. */
  #rest: Buffer = NOTHING
  #wanted = false

  constructor(socket: Socket) {
    super({
      // Nothing is read ahead here: each piece goes to the parser before the next is cut.
      readableHighWaterMark: 0,
      writableHighWaterMark: socket.writableHighWaterMark,
      // Texts reach the socket as they are, as they do without this class.
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

  /** No request has come yet. */
  get silent(): boolean {
    return this.#latest === undefined
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

  /** The HTTP server ends a connection after its last answer: nothing is read any more. */
  override _final(done: Done): void {
    this.#socket.end(() => {
      done()
      this.destroy()
    })
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#rest = NOTHING
    this.#socket.destroy()
    done(error)
  }

  #advance(): void {
    // Also after the answer: what is left of the body is no request.
    const receiving = this.#latest?.complete === false
    const busy = this.#unanswered > 0 && !receiving
    // Also while busy: without a read the socket would not notice that the caller has gone.
    if (this.#rest.length === 0) this.#rest = this.#socket.read() ?? NOTHING
    if (this.#rest.length === 0 && this.#socket.readableEnded) this.push(null)
    if (this.#rest.length === 0 || busy || !this.#wanted) return
    const piece = receiving ? Limits.connectionBodyPieceBytes : this.#headEnd()
    const bytes = this.#rest.subarray(0, piece)
    this.#rest = this.#rest.subarray(piece)
    this.#wanted = false
    this.push(bytes)
  }

  /** A piece that ends with a request's head begins one request at most, or two where the piece before cut this mark. */
  #headEnd(): number {
    const mark = this.#rest.indexOf(HEAD_END)
    return mark === -1 ? this.#rest.length : mark + HEAD_END.length
  }
}
