/**
 * The checks of a request's body that come before its fields: 413, 415, then 400 for what is no JSON. The body is bounded
 * while it is read, and read once: the handler's decoder finds it in memory.
 */
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { Limits } from "../config/Limits.ts"
import type { ErrorCode } from "./Errors.ts"

export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
}

const tooLarge = (maxBytes: number): Refusal => ({
  code: "PAYLOAD_TOO_LARGE",
  message: `The request body must have at most ${maxBytes} bytes.`
})

const invalid = (message: string): Refusal => ({ code: "VALIDATION_ERROR", message })

const decoder = new TextDecoder("utf-8", { fatal: true })

const isJson = (bytes: Uint8Array): boolean => {
  try {
    JSON.parse(decoder.decode(bytes))
    return true
  } catch {
    return false
  }
}

const notJson: Refusal = {
  code: "UNSUPPORTED_MEDIA_TYPE",
  message: "The request body must be application/json."
}

const isJsonType = (contentType = ""): boolean =>
  contentType.split(";", 1)[0]!.trim().toLowerCase() === "application/json"

/** Whether an endpoint takes a body. */
export type BodyUse = "required" | "optional" | "none"

/** What is wrong with a body that was read. Pure. */
const bodyProblem = (
  bytes: Uint8Array,
  contentType: string | undefined,
  use: BodyUse
): Refusal | undefined => {
  if (bytes.length === 0) {
    if (use === "required") return invalid("The request body must be a JSON object.")
    // The handler's decoder goes by the type, also where nothing follows.
    return use === "optional" && contentType !== undefined && !isJsonType(contentType) ? notJson : undefined
  }
  if (!isJsonType(contentType)) return notJson
  if (!isJson(bytes)) return invalid("The request body must be valid JSON in UTF-8.")
  // Clients that always send a body send `{}` where there is nothing to say.
  return use !== "none" || /^\s*\{\s*\}\s*$/.test(decoder.decode(bytes))
    ? undefined
    : invalid("This request takes no body.")
}

export const checkBody = (
  request: HttpServerRequest.HttpServerRequest,
  use: BodyUse,
  maxBytes: number = Limits.requestBodyBytes
): Effect.Effect<Refusal | undefined> =>
  Effect.gen(function* () {
    // Not read at all: what announces itself as too large would only be thrown away.
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) return tooLarge(maxBytes)
    const bytes = yield* request.arrayBuffer
    return bodyProblem(new Uint8Array(bytes), request.headers["content-type"], use)
  }).pipe(
    Effect.catch(({ reason }) =>
      Effect.succeed(
        reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
          ? tooLarge(maxBytes)
          : invalid("The request body could not be read.")
      )
    ),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBytes))
  )
