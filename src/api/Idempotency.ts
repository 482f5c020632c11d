/**
 * `Idempotency-Key`: lets a client repeat a POST safely. The first successful response is stored for 24 hours, and a
 * repeated request gets that response without running again. Failed responses are not stored, so the client can correct
 * the request and send it with the same key. storage/accounts/IdempotencyStore.ts has the transaction.
 */
import { createHash } from "node:crypto"
import { Clock, Context, Data, Effect, Layer, type Types } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Identity } from "../domain/ApiKey.ts"
import { IdempotencyStore, type KeptAnswer } from "../storage/accounts/IdempotencyStore.ts"
import { collectingWaits } from "./AfterCommit.ts"
import type { ErrorCode, Unavailable } from "./Errors.ts"
import { orUnavailable } from "./Failures.ts"

type Response = HttpServerResponse.HttpServerResponse

const IDEMPOTENCY_HEADER = "idempotency-key"
const REPLAYED_HEADER = "idempotency-replayed"

/** 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = "^[!-~]{1,255}$"
const acceptable = new RegExp(IDEMPOTENCY_KEY_PATTERN)

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

const fingerprintOf = ({ method, url }: HttpServerRequest.HttpServerRequest, body: ArrayBuffer): string =>
  createHash("sha256").update(`${method} ${url}\n`).update(new Uint8Array(body)).digest("hex")

const isSuccess = ({ status }: Response): boolean => status >= 200 && status < 300

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /** Runs `handler` or returns the stored response. `refuse` makes the response to a request that may not run. */
    readonly run: <R>(
      request: HttpServerRequest.HttpServerRequest,
      caller: Identity,
      handler: Effect.Effect<Response, Types.unhandled, R>,
      refuse: (code: ErrorCode, message: string) => Response
    ) => Effect.Effect<Response, Types.unhandled | Unavailable, R>
  }
>()("ledgerhook/api/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      return Idempotency.of({
        run: Effect.fnUntraced(function* (request, { accountId, environment }, handler, refuse) {
          const key = request.headers[IDEMPOTENCY_HEADER]
          if (key === undefined || request.method !== "POST") return yield* handler
          if (!acceptable.test(key)) return refuse(...refusals.invalid)
          // The request's validation has read the body into memory already, so this cannot fail.
          const body = yield* Effect.orDie(request.arrayBuffer)
          const collected = collectingWaits(handler)
          const kept = Effect.flatMap(collected.handler, (response) =>
            isSuccess(response)
              ? Effect.succeed({ response, answer: { status: response.status, body: textOf(response) } })
              : Effect.fail(new NotKept({ response }))
          )
          const asked = { accountId, environment, key, fingerprint: fingerprintOf(request, body) }
          const outcome = yield* orUnavailable(store.once(asked, yield* Clock.currentTimeMillis, kept)).pipe(
            Effect.catchTag("NotKept", Effect.succeed)
          )
          if ("response" in outcome) return outcome.response
          switch (outcome.is) {
            case "first":
              yield* collected.waits
              return outcome.result.response
            case "again":
              return responseOf(outcome.answer)
            default: {
              const [code, message] = refusals[outcome.is]
              return refuse(code, message)
            }
          }
        })
      })
    })
  )
}
