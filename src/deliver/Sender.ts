/**
 * One HTTP attempt. One deadline covers DNS, connect, TLS, headers and body; a 2xx counts as soon as its headers are
 * in; the body is read to its cap or the deadline and never turns a 2xx into a failure. Redirects are not followed.
 * Every connection goes to an address that was checked, names and literals alike. Failure is data: `send` never fails.
 */
import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns"
import type { LookupFunction } from "node:net"
import { Clock, Context, Effect, Layer } from "effect"
import { Agent, buildConnector, type Dispatcher } from "undici"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { isPublicAddress, literalAddress } from "../domain/AddressGuard.ts"
import type { AttemptOutcome } from "../domain/Delivery.ts"
import { connectionFailure, responseFailure, timeoutFailure } from "./FailureText.ts"
import type { SignedRequest } from "./Signer.ts"

class AddressNotAllowed extends Error {
  readonly code = "ADDRESS_NOT_ALLOWED"
}

export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: ReadonlyArray<LookupAddress>) => void
) => void

/** What asks for a name's addresses: the operating system, unless a test has answers of its own. */
export const Resolver = Context.Reference<Resolve>("ledgerhook/deliver/Resolver", {
  defaultValue: () => lookup
})

/**
 * Keeps the public addresses of a name only. The socket connects to these very addresses and asks no second time, so
 * that an answer that changes after the check changes nothing.
 */
const publicOnly =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, callback) =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "", 0)
      const allowed = addresses.filter(({ address }) => isPublicAddress(address))
      const first = allowed[0]
      if (first === undefined) return callback(new AddressNotAllowed(), "", 0)
      if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })

const makeConnector = (
  allowPrivate: boolean,
  timeoutMs: number,
  resolve: Resolve
): buildConnector.connector => {
  // undici's own connect timer ticks coarsely: it only has to end what the attempt's deadline has given up.
  const connect = buildConnector({
    timeout: timeoutMs + 1_000,
    allowH2: false,
    ...(allowPrivate ? {} : { lookup: publicOnly(resolve) })
  })
  return (options, callback) => {
    // `lookup` is not called for IP literals.
    const literal = literalAddress(options.hostname)
    if (!allowPrivate && literal !== undefined && !isPublicAddress(literal)) {
      return callback(new AddressNotAllowed(), null)
    }
    connect(options, callback)
  }
}

/** What a response has brought so far: at the deadline it decides by itself. */
interface Exchange {
  status: number | null
  headersAt: number | null
  readonly chunks: Array<Buffer>
  bytes: number
}

const bodyText = (exchange: Exchange): string | null =>
  exchange.status === null
    ? null
    : // PostgreSQL's text cannot hold NUL.
      new TextDecoder().decode(Buffer.concat(exchange.chunks)).replaceAll("\0", "\uFFFD")

export class Sender extends Context.Service<
  Sender,
  { readonly send: (request: SignedRequest) => Effect.Effect<AttemptOutcome> }
>()("ledgerhook/deliver/Sender") {
  static readonly layer = Layer.effect(
    Sender,
    Effect.gen(function* () {
      const { allowPrivateAddresses, deliveryTimeoutMs } = yield* Settings
      const resolve = yield* Resolver
      const agent = yield* Effect.acquireRelease(
        Effect.sync(
          () =>
            new Agent({
              connect: makeConnector(allowPrivateAddresses, deliveryTimeoutMs, resolve),
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

      /** Ends with the error that cut the exchange short, or undefined when the response is complete. */
      const dispatch = (request: SignedRequest, exchange: Exchange, clock: Clock.Clock) =>
        Effect.callback<unknown>((resume) => {
          let controller: Dispatcher.DispatchController | undefined
          let given = false
          const end = (error: unknown) => {
            given = true
            resume(Effect.succeed(error))
          }
          const url = new URL(request.url)
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
                if (given) started.abort(new Error("deadline passed"))
              },
              onResponseStart: (_, status) => {
                exchange.status = status
                exchange.headersAt = clock.currentTimeMillisUnsafe()
              },
              onResponseData: (current, chunk) => {
                const room = Limits.responseBodyBytes - exchange.bytes
                exchange.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
                exchange.bytes += Math.min(chunk.length, room)
                if (chunk.length > room) {
                  end(undefined)
                  current.abort(new Error("response longer than what is kept"))
                }
              },
              onResponseEnd: () => end(undefined),
              onResponseError: (_, error) => end(error)
            }
          )
          return Effect.sync(() => {
            given = true
            controller?.abort(new Error("deadline passed"))
          })
        })

      const send = Effect.fnUntraced(function* (request: SignedRequest) {
        const clock = yield* Clock.Clock
        const exchange: Exchange = { status: null, headersAt: null, chunks: [], bytes: 0 }
        const startedAt = clock.currentTimeMillisUnsafe()
        const error = yield* dispatch(request, exchange, clock).pipe(
          Effect.timeoutOrElse({ duration: deliveryTimeoutMs, orElse: () => Effect.succeed("timeout") })
        )
        const { status, headersAt } = exchange
        const failure =
          status !== null
            ? responseFailure(status)
            : error === "timeout"
              ? timeoutFailure(deliveryTimeoutMs)
              : connectionFailure(error)
        const outcome: AttemptOutcome = {
          delivered: failure === undefined,
          responseStatus: status,
          // A clock that jumps back must not make a negative time.
          responseTimeMs: headersAt === null ? null : Math.max(0, headersAt - startedAt),
          responseBody: bodyText(exchange),
          error: failure ?? null
        }
        return outcome
      })

      return Sender.of({ send })
    })
  )
}
