/**
 * `Idempotency-Key`: lets a client repeat a POST safely. The first successful response is stored for 24 hours, and a
 * repeated request of the same API key gets that response without running again. Failed responses are not stored, so
 * the client can correct the request and send it with the same key. Nor are responses of requests that change nothing.
 * Only the change runs in the transaction (http/IdempotencyStore.ts), not the rest of the handler.
 */
import { createHash } from "node:crypto"
import { Clock, Context, Data, Deferred, Effect, Fiber, Layer, type Types } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Identity } from "../spine/domain/ApiKey.ts"
import { provideChanging } from "./Change.ts"
import type { About, ErrorCode, Unavailable } from "./Errors.ts"
import { IdempotencyStore, type KeptAnswer, type Outcome } from "./IdempotencyStore.ts"
import { orUnavailable } from "./StoreFailures.ts"

type Response = HttpServerResponse.HttpServerResponse

const IDEMPOTENCY_HEADER = "idempotency-key"
const REPLAYED_HEADER = "idempotency-replayed"

/** 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = "^[!-~]{1,255}$"
const acceptable = new RegExp(IDEMPOTENCY_KEY_PATTERN)

const HEADER: About = { param: "Idempotency-Key" }

const refusals = {
  invalid: ["VALIDATION_ERROR", "Idempotency-Key must be 1 to 255 visible ASCII characters."],
  other: [
    "IDEMPOTENCY_KEY_REUSED",
    "Another request has used this Idempotency-Key within the last 24 hours; choose a new one for a new request."
  ],
  running: [
    "IDEMPOTENCY_IN_PROGRESS",
    "A request with this Idempotency-Key is still running; send it again in a second."
  ]
} as const satisfies Record<string, readonly [ErrorCode, string]>

/** Carries a failed response: it rolls the transaction back, then goes to the caller unchanged. */
class NotKept extends Data.TaggedError("NotKept")<{ readonly response: Response }> {}

const textOf = ({ body }: Response): string => {
  if (body._tag === "Empty") return ""
  if (body._tag === "Uint8Array") return Buffer.from(body.body).toString()
  throw new Error(`an answer to POST has a body of the kind ${body._tag}`)
}

const responseOf = ({ status, body }: KeptAnswer): Response => {
  const headers = { [REPLAYED_HEADER]: "true" }
  return body === ""
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.text(body, { status, headers, contentType: "application/json" })
}

/** The API key belongs to it: a response may contain a secret, or what the scopes of another key do not allow. */
const fingerprintOf = (
  keyId: string,
  { method, url }: HttpServerRequest.HttpServerRequest,
  body: ArrayBuffer
): string =>
  createHash("sha256").update(`${keyId} ${method} ${url}\n`).update(new Uint8Array(body)).digest("hex")

type Known = Exclude<Outcome<unknown>, { readonly is: "first" }>

const isSuccess = ({ status }: Response): boolean => status >= 200 && status < 300

/**
 * Starts `handler`. `change` is what it wants to change, undefined if it ends without. `response` ends after `change`
 * has run; `waits` are for after the commit.
 */
const startHandler = Effect.fnUntraced(function* <R>(handler: Effect.Effect<Response, Types.unhandled, R>) {
  const wanted = Deferred.makeUnsafe<Effect.Effect<unknown> | undefined>()
  const waits: Array<Effect.Effect<void>> = []
  const running = yield* handler.pipe(
    provideChanging({
      change: <A, E, R>(change: Effect.Effect<A, E, R>) =>
        Effect.contextWith((context: Context.Context<R>) => {
          const changed = Deferred.makeUnsafe<A, E>()
          const reported = Effect.provideContext(Deferred.into(change, changed), context)
          return Deferred.doneUnsafe(wanted, Effect.succeed(reported))
            ? Deferred.await(changed)
            : Effect.die(new Error("a handler makes a second change"))
        }),
      afterCommit: (wait) => Effect.sync(() => void waits.push(wait)),
      isCommitted: false
    }),
    Effect.ensuring(Deferred.succeed(wanted, undefined)),
    Effect.forkChild
  )
  return {
    change: yield* Deferred.await(wanted),
    response: Fiber.join(running),
    waits: Effect.suspend(() => Effect.all(waits, { discard: true })),
    stop: Fiber.interrupt(running)
  }
})

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /** Runs `handler` or returns the stored response. `refuse` makes the response to a request that may not run. */
    readonly run: <R>(
      request: HttpServerRequest.HttpServerRequest,
      caller: Identity,
      handler: Effect.Effect<Response, Types.unhandled, R>,
      refuse: (code: ErrorCode, message: string, about: About) => Response
    ) => Effect.Effect<Response, Types.unhandled | Unavailable, R>
  }
>()("ledgerhook/api/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      return Idempotency.of({
        run: Effect.fnUntraced(function* (request, { accountId, environment, keyId }, handler, refuse) {
          const key = request.headers[IDEMPOTENCY_HEADER]
          if (key === undefined || request.method !== "POST") return yield* handler
          if (!acceptable.test(key)) return refuse(...refusals.invalid, HEADER)
          const shown = (outcome: Known) => {
            if (outcome.is === "again") return responseOf(outcome.answer)
            const [code, message] = refusals[outcome.is]
            return refuse(code, message, HEADER)
          }
          // The request's validation has read the body into memory already, so this cannot fail.
          const body = yield* Effect.orDie(request.arrayBuffer)
          const asked = { accountId, environment, key, fingerprint: fingerprintOf(keyId, request, body) }
          const nowMs = yield* Clock.currentTimeMillis
          const known = yield* orUnavailable(store.find(asked, nowMs))
          if (known !== undefined) return shown(known)

          const { change, response, waits, stop } = yield* startHandler(handler)
          if (change === undefined) return yield* response
          const kept = Effect.flatMap(Effect.andThen(change, response), (response) =>
            isSuccess(response)
              ? Effect.succeed({ response, answer: { status: response.status, body: textOf(response) } })
              : Effect.fail(new NotKept({ response }))
          )
          const outcome = yield* orUnavailable(store.once(asked, nowMs, kept)).pipe(
            Effect.catchTag("NotKept", Effect.succeed),
            Effect.ensuring(stop)
          )
          if ("response" in outcome) return outcome.response
          if (outcome.is !== "first") return shown(outcome)
          yield* waits
          return outcome.result.response
        })
      })
    })
  )
}
