/**
 * One HTTP attempt. One deadline covers DNS, connect, TLS, headers and body; a 2xx counts as soon as its headers are
 * in; the body is read to its cap or the deadline and never turns a 2xx into a failure. A connection whose response was
 * read to its end is used again, one whose response was cut short is closed. Redirects are not followed. Failure is
 * data: `send` never fails.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Agent, type Dispatcher } from "undici"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import type { AttemptOutcome } from "../domain/Delivery.ts"
import { retryAfterMs } from "../domain/RetryAfter.ts"
import { makeConnector } from "./Connector.ts"
import { makeDeadlines } from "./Deadlines.ts"
import { connectionFailure, responseFailure, timeoutFailure } from "./FailureText.ts"
import { Resolver, remembering } from "./Resolver.ts"
import type { SignedRequest } from "./Signer.ts"

const NANOS_PER_MS = 1_000_000

const decoder = new TextDecoder()

const textOf = (chunks: ReadonlyArray<Buffer>): string =>
  // PostgreSQL's text cannot hold NUL.
  decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).replaceAll("\0", "\uFFFD")

/** A response as far as it has come. */
interface Received {
  readonly status: number
  readonly timeMs: number
  readonly retryAfter: string | ReadonlyArray<string> | undefined
  readonly chunks: Array<Buffer>
  bytes: number
}

/** Milliseconds that the receiver asks to be left alone: the longest, if it says several. */
const askedToWait = ({ status, retryAfter = [] }: Received, nowMs: number): number | undefined => {
  if (status !== 429 && status !== 503) return undefined
  const asked = [retryAfter].flat().flatMap((value) => retryAfterMs(value, nowMs) ?? [])
  return asked.length === 0 ? undefined : Math.max(...asked)
}

export class Sender extends Context.Service<
  Sender,
  { readonly send: (request: SignedRequest) => Effect.Effect<AttemptOutcome> }
>()("ledgerhook/deliver/Sender") {
  static readonly layer = Layer.effect(
    Sender,
    Effect.gen(function* () {
      const { allowPrivateAddresses, deliveryTimeoutMs } = yield* Settings
      const clock = yield* Clock.Clock
      const monotonicMs = () => Number(clock.monotonicTimeNanosUnsafe()) / NANOS_PER_MS
      const deadline = yield* makeDeadlines(deliveryTimeoutMs)
      const connect = makeConnector({
        allowPrivate: allowPrivateAddresses,
        // undici's own connect timer ticks coarsely: it only has to end what the attempt's deadline has given up.
        timeoutMs: deliveryTimeoutMs + 1_000,
        resolve: remembering(yield* Resolver, monotonicMs)
      })
      const agent = yield* Effect.acquireRelease(
        Effect.sync(
          () =>
            new Agent({
              connect,
              connections: Limits.connectionsPerOrigin,
              keepAliveTimeout: Limits.connectionIdleMs,
              keepAliveMaxTimeout: Limits.connectionIdleMs,
              // The attempt's deadline replaces both.
              headersTimeout: 0,
              bodyTimeout: 0
            })
        ),
        (agent) => Effect.promise(() => agent.destroy())
      )

      const failed = (error: string): AttemptOutcome => ({
        delivered: false,
        responseStatus: null,
        responseTimeMs: null,
        responseBody: null,
        error
      })

      const outcomeOf = (received: Received): AttemptOutcome => {
        const failure = responseFailure(received.status)
        const waitMs = askedToWait(received, clock.currentTimeMillisUnsafe())
        return {
          delivered: failure === undefined,
          responseStatus: received.status,
          responseTimeMs: received.timeMs,
          responseBody: textOf(received.chunks),
          error: failure ?? null,
          ...(waitMs === undefined ? {} : { retryAfterMs: waitMs })
        }
      }

      const send = (request: SignedRequest) =>
        Effect.callback<AttemptOutcome>((resume) => {
          const url = new URL(request.url)
          const startedAt = clock.currentTimeMillisUnsafe()
          let controller: Dispatcher.DispatchController | undefined
          let received: Received | undefined
          let over = false

          /** `failure` only counts where no response has come. */
          const end = (failure: () => string = () => "connection failed") => {
            if (over) return
            over = true
            cancelDeadline()
            resume(Effect.succeed(received === undefined ? failed(failure()) : outcomeOf(received)))
          }
          const abort = () => controller?.abort(new Error("the attempt is over"))
          const cancelDeadline = deadline(() => {
            end(() => timeoutFailure(deliveryTimeoutMs))
            abort()
          })

          agent.dispatch(
            {
              origin: url.origin,
              path: url.pathname + url.search,
              method: "POST",
              headers: request.headers,
              body: request.body
            },
            {
              onRequestStart: (started) => {
                controller = started
                if (over) abort()
              },
              onResponseStart: (_, status, headers) => {
                // What comes before the response itself ("103 Early Hints") says nothing of its outcome.
                if (status < 200) return
                received = {
                  status,
                  // A clock that jumps back must not make a negative time.
                  timeMs: Math.max(0, clock.currentTimeMillisUnsafe() - startedAt),
                  retryAfter: headers["retry-after"],
                  chunks: [],
                  bytes: 0
                }
              },
              onResponseData: (_, chunk) => {
                if (received === undefined) return
                const room = Limits.responseBodyBytes - received.bytes
                received.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
                received.bytes += Math.min(chunk.length, room)
                if (chunk.length > room) {
                  end()
                  abort()
                }
              },
              onResponseEnd: () => end(),
              onResponseError: (_, error) => end(() => connectionFailure(error))
            }
          )
          return Effect.sync(() => {
            over = true
            cancelDeadline()
            abort()
          })
        })

      return Sender.of({ send })
    })
  )
}
