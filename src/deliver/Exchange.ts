/**
 * One request on the wire, driven by undici's callbacks: reports its outcome once, at its end. A 2xx counts as soon as its
 * headers are in; the body is read to its cap or the deadline and never turns a 2xx into a failure. What comes besides the
 * body is bounded, too. Only a 2xx that was read to its end leaves the connection open: after any other response more
 * could follow that the next request would take for its own. A class, since its methods cost a request no closures.
 */
import type { Dispatcher } from "undici"
import { Limits } from "../config/Limits.ts"
import type { AttemptOutcome } from "../domain/Delivery.ts"
import { retryAfterMs } from "../domain/RetryAfter.ts"
import type { Connection, OnConnection } from "./Connection.ts"
import { connectionFailure, responseFailure, timeoutFailure } from "./FailureText.ts"

const decoder = new TextDecoder()

const textOf = (chunks: ReadonlyArray<Buffer>): string =>
  // PostgreSQL's text cannot hold NUL.
  decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).replaceAll("\0", "\uFFFD")

/** A response as far as it has come. */
interface PartialResponse {
  readonly status: number
  readonly timeMs: number
  readonly retryAfter: string | ReadonlyArray<string> | undefined
  readonly chunks: Array<Buffer>
  bytes: number
}

/** Milliseconds that the receiver asks to be left alone: the longest, if it says several. */
const askedToWait = ({ status, retryAfter = [] }: PartialResponse, nowMs: number): number | undefined => {
  if (status !== 429 && status !== 503) return undefined
  const asked = [retryAfter].flat().flatMap((value) => retryAfterMs(value, nowMs) ?? [])
  return asked.length === 0 ? undefined : Math.max(...asked)
}

const failed = (error: string): AttemptOutcome => ({
  delivered: false,
  responseStatus: null,
  responseTimeMs: null,
  responseBody: null,
  error
})

const outcomeOf = (received: PartialResponse, nowMs: number): AttemptOutcome => {
  const failure = responseFailure(received.status)
  const waitMs = askedToWait(received, nowMs)
  const outcome: AttemptOutcome = {
    delivered: failure === undefined,
    responseStatus: received.status,
    responseTimeMs: received.timeMs,
    responseBody: textOf(received.chunks),
    error: failure ?? null
  }
  return waitMs === undefined ? outcome : { ...outcome, retryAfterMs: waitMs }
}

export class Exchange implements OnConnection {
  connection: Connection | undefined
  private readonly nowMs: () => number
  private readonly onOutcome: (exchange: Exchange, outcome: AttemptOutcome) => void
  private readonly startedAt: number
  private controller: Dispatcher.DispatchController | undefined
  private response: PartialResponse | undefined
  private informational = 0
  private over = false

  /** `nowMs`: the wall clock; `ended` is called once, unless the exchange was cancelled before. */
  constructor(nowMs: () => number, ended: (exchange: Exchange, outcome: AttemptOutcome) => void) {
    this.nowMs = nowMs
    this.onOutcome = ended
    this.startedAt = nowMs()
  }

  /** The time for it has passed. */
  expire(timeoutMs: number) {
    this.end(timeoutFailure(timeoutMs))
    this.abort()
  }

  /** Nobody waits for its outcome any more. */
  cancel() {
    this.over = true
    this.abort()
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.controller = controller
    if (this.over) this.abort()
    else this.connection?.begin(this)
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | Array<string> | undefined>>
  ) {
    // What comes before the response itself ("103 Early Hints") says nothing of its outcome.
    if (status < 200) {
      if (++this.informational > Limits.informationalResponses) this.cutShort()
      return
    }
    this.response = {
      status,
      // A clock that jumps back must not make a negative time.
      timeMs: Math.max(0, this.nowMs() - this.startedAt),
      retryAfter: headers["retry-after"],
      chunks: [],
      bytes: 0
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer) {
    const { response } = this
    if (response === undefined) return
    const left = Limits.responseBodyBytes - response.bytes
    response.chunks.push(chunk.length > left ? chunk.subarray(0, left) : chunk)
    response.bytes += Math.min(chunk.length, left)
    if (chunk.length > left) this.cutShort()
  }

  bytesRead(bytes: number) {
    if (bytes - (this.response?.bytes ?? 0) > Limits.responseOverheadBytes) this.cutShort()
  }

  onResponseEnd() {
    const { response } = this
    this.connection?.end(response !== undefined && responseFailure(response.status) === undefined)
    this.end("connection failed")
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error) {
    if (!this.over) this.end(connectionFailure(error))
  }

  /** More has come than is read of a response. */
  private cutShort() {
    this.end("too many informational responses")
    this.abort()
  }

  /** `failure` only counts where no response has come. */
  private end(failure: string) {
    if (this.over) return
    this.over = true
    const { response } = this
    this.onOutcome(this, response === undefined ? failed(failure) : outcomeOf(response, this.nowMs()))
  }

  private abort() {
    this.controller?.abort(new Error("the attempt is over"))
  }
}
