/**
 * One HTTP request, driven by undici's callbacks. It reports its outcome once. The status decides: a 2xx counts as
 * delivered when its headers arrive, even if reading its body fails later. The body is read up to a limit or
 * the deadline; bytes outside the body are limited too. Only a 2xx that was read to its end keeps the connection
 * open: after another response more bytes could follow, which the next request would take for its own. If the server
 * closed a reused connection while the request was on its way, the request is sent again, once, on a new connection.
 */

import type { Dispatcher } from "undici"
import type { AttemptOutcome, ExchangeDetails } from "../../domain/Delivery.ts"
import { decodedBody } from "../../net/CodedBody.ts"
import { responseLimits } from "../Limits.ts"
import { keptHeaders, type ReceivedHeaders } from "../ResponseHeaders.ts"
import type { Connection, OnConnection } from "./Connection.ts"
import {
  connectionFailure,
  HEADERS_TOO_LARGE,
  invalidStatus,
  responseFailure,
  shortageOf,
  timeoutFailure
} from "./RequestFailures.ts"
import { retryAfterMs } from "./RetryAfter.ts"

/**
 * How many headers are kept of a response that is no success, and the characters of their names and values together.
 * Failures are rare, and have rows of their own.
 */
export const FAILED_HEADERS = { headers: 64, characters: 2_048 }

/** Responses before the final one ("103 Early Hints"). A server needs one or two. */
const EARLY_RESPONSES = 10

/** HTTP's smallest status (RFC 9110, section 15). */
const LEAST_STATUS = 100

const decoder = new TextDecoder()

const joined = (chunks: ReadonlyArray<Buffer>): Buffer =>
  chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)

const textOf = (body: Buffer): string =>
  // A text in PostgreSQL cannot contain NUL.
  decoder.decode(body).replaceAll("\0", "\uFFFD")

/** This machine lacked something, so the attempt does not count. */
export interface NotSent {
  /** What it lacks, as the end of a sentence. */
  readonly shortage: string
}

/** The part of a response that has arrived. */
interface PartialResponse {
  readonly status: number
  readonly timeMs: number
  readonly headers: ReceivedHeaders
  readonly chunks: Array<Buffer>
  bytes: number
}

/** The wait that a 429 or 503 asks for with `Retry-After`; the longest if there are several. */
const askedToWait = ({ headers, status }: PartialResponse, nowMs: number): number | undefined => {
  if (status !== 429 && status !== 503) return undefined
  const asked = [headers["retry-after"] ?? []].flat().flatMap((value) => retryAfterMs(value, nowMs) ?? [])
  return asked.length === 0 ? undefined : Math.max(...asked)
}

type Timing = Omit<ExchangeDetails, "responseHeaders">

const failed = (error: string, timing: Timing): AttemptOutcome => ({
  delivered: false,
  responseStatus: null,
  responseTimeMs: null,
  responseBody: null,
  error,
  details: { ...timing, responseHeaders: null }
})

/** `decodedBytes`: a body with a Content-Encoding is decoded if it then has at most so many bytes. Undefined: never. */
const outcomeOf = (
  received: PartialResponse,
  timing: Timing,
  nowMs: number,
  decodedBytes: number | undefined
): AttemptOutcome => {
  const failure = responseFailure(received.status)
  const waitMs = askedToWait(received, nowMs)
  const body = joined(received.chunks)
  const outcome: AttemptOutcome = {
    delivered: failure === undefined,
    responseStatus: received.status,
    responseTimeMs: received.timeMs,
    responseBody: textOf(
      decodedBytes === undefined
        ? body
        : decodedBody(received.headers["content-encoding"], body, decodedBytes)
    ),
    error: failure ?? null,
    details: {
      ...timing,
      responseHeaders: keptHeaders(
        received.headers,
        failure === undefined ? responseLimits.deliveredHeaders : FAILED_HEADERS
      )
    }
  }
  return waitMs === undefined ? outcome : { ...outcome, retryAfterMs: waitMs }
}

/** Servers answer 408 by themselves when a connection was idle for too long, and then close it (RFC 9110, 15.5.9). */
const isIdleTimeout = (status: number, headers: ReceivedHeaders): boolean =>
  status === 408 && [headers["connection"] ?? []].flat().some((value) => /\bclose\b/i.test(value))

/** `wallMs` is only for dates that a response names. */
interface Clocks {
  readonly wallMs: () => number
  readonly monotonicMs: () => number
}

/** A class, because methods cost less per request than closures. */
export class Exchange implements OnConnection {
  connection: Connection | undefined
  request: Dispatcher.DispatchOptions | undefined
  private readonly clocks: Clocks
  private readonly bodyBytes: number
  private readonly decodes: boolean
  private readonly onOutcome: (exchange: Exchange, outcome: AttemptOutcome | NotSent) => void
  private readonly startedAt: number
  private controller: Dispatcher.DispatchController | undefined
  private response: PartialResponse | undefined
  private firstByteMs: number | null = null
  private connectMs: number | null = null
  private informational = 0
  /** The server's 408 is not an answer to this request. */
  private isUnanswered = false
  private isSecondSending = false
  private over = false

  /**
   * At most `bodyBytes` of the response's body are read. `ended` is called once, unless the exchange is cancelled
   * before. `decodes`: a body with a Content-Encoding is decoded.
   */
  constructor(
    clocks: Clocks,
    bodyBytes: number,
    ended: (exchange: Exchange, outcome: AttemptOutcome | NotSent) => void,
    decodes = false
  ) {
    this.clocks = clocks
    this.bodyBytes = bodyBytes
    this.decodes = decodes
    this.onOutcome = ended
    this.startedAt = clocks.monotonicMs()
  }

  /** The deadline has passed. */
  expire(timeoutMs: number) {
    this.end(timeoutFailure(timeoutMs))
    this.abort()
  }

  /** Aborts without reporting an outcome. */
  cancel() {
    this.over = true
    this.abort()
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.controller = controller
    if (this.over) this.abort()
    else this.connectMs = this.connection?.begin(this) ?? null
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | Array<string> | undefined>>
  ) {
    this.firstByteMs ??= this.elapsedMs()
    if (status < LEAST_STATUS) return this.refuse(invalidStatus(status))
    if (isIdleTimeout(status, headers) && this.maySendAgain()) {
      this.isUnanswered = true
      return this.abort()
    }
    // Informational responses, such as "103 Early Hints", come before the response and do not decide the outcome.
    if (status < 200) {
      if (++this.informational > EARLY_RESPONSES) this.cutShort()
      return
    }
    this.response = {
      status,
      timeMs: this.elapsedMs(),
      headers,
      chunks: [],
      bytes: 0
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer) {
    const { response } = this
    if (response === undefined) return
    const left = this.bodyBytes - response.bytes
    response.chunks.push(chunk.length > left ? chunk.subarray(0, left) : chunk)
    response.bytes += Math.min(chunk.length, left)
    if (chunk.length > left) this.cutShort()
  }

  bytesRead(bytes: number) {
    this.firstByteMs ??= this.elapsedMs()
    if (bytes - (this.response?.bytes ?? 0) > responseLimits.responseOverheadBytes) this.cutShort()
  }

  onResponseEnd() {
    const { response } = this
    this.connection?.end(response !== undefined && responseFailure(response.status) === undefined)
    this.end("connection failed")
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error) {
    if (this.over) return
    if (this.maySendAgain() && (this.isUnanswered || this.firstByteMs === null)) this.sendAgain()
    else this.end(connectionFailure(error), shortageOf(error))
  }

  /** The request has been written, to a connection that had served another one. */
  private maySendAgain(): boolean {
    return !this.isSecondSending && this.controller !== undefined && this.connectMs === null
  }

  private sendAgain() {
    this.isSecondSending = true
    this.firstByteMs = null
    // The client has lost its socket, so it connects again.
    this.connection!.dispatch(this.request!, this)
  }

  /** The response exceeds a limit: use what has arrived and close the connection. */
  private cutShort() {
    this.refuse(this.informational > 0 ? "too many informational responses" : HEADERS_TOO_LARGE)
  }

  private refuse(failure: string) {
    this.end(failure)
    this.abort()
  }

  /** `failure` is the error, and `shortage` its cause on this machine, if no response has arrived. */
  private end(failure: string, shortage?: string) {
    if (this.over) return
    this.over = true
    const { connectMs, firstByteMs, response } = this
    const timing = { connectMs, firstByteMs, totalMs: this.elapsedMs() }
    this.onOutcome(
      this,
      response === undefined
        ? shortage === undefined
          ? failed(failure, timing)
          : { shortage }
        : outcomeOf(response, timing, this.clocks.wallMs(), this.decodes ? this.bodyBytes : undefined)
    )
  }

  private elapsedMs(): number {
    return Math.round(this.clocks.monotonicMs() - this.startedAt)
  }

  private abort() {
    this.controller?.abort(new Error("the attempt is over"))
  }
}
