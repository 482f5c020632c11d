/**
 * Checks a request's body before its fields are decoded: size (413), Content-Encoding and Content-Type (415), JSON, its
 * depth and the characters of its texts (400). Reading stops at the size limit. The body is read once; the handler's
 * decoder finds it in memory.
 */

import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { Limits } from "../spine/config/Limits.ts"
import { makeDepthMeter } from "../spine/words/JsonDepth.ts"
import type { About, ErrorCode } from "./Errors.ts"
import { httpLimits } from "./Limits.ts"
import { bodyTextProblem } from "./StorableText.ts"

export interface Refusal extends About {
  readonly code: ErrorCode
  readonly message: string
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>
}

const tooLarge = (maxBytes: number): Refusal => ({
  code: "PAYLOAD_TOO_LARGE",
  message: `The request body must have at most ${maxBytes} bytes.`
})

/** Of the whole body. */
const invalid = (message: string): Refusal => ({ code: "VALIDATION_ERROR", message, param: "" })

const decoder = new TextDecoder("utf-8", { fatal: true })

type Parsed = { readonly text: string; readonly value: unknown } | "too deep" | "not JSON"

const parsed = (bytes: Uint8Array): Parsed => {
  try {
    const text = decoder.decode(bytes)
    // One line for the meter: only JSON that is not valid has line breaks in its strings.
    return makeDepthMeter(Limits.jsonDepth)(text) ? "too deep" : { text, value: JSON.parse(text) }
  } catch {
    return "not JSON"
  }
}

const notJson: Refusal = {
  code: "UNSUPPORTED_MEDIA_TYPE",
  message: "The request body must have the Content-Type application/json.",
  param: "Content-Type"
}

/** The answer says what is accepted (RFC 9110, section 15.5.16). */
const coded: Refusal = {
  code: "UNSUPPORTED_MEDIA_TYPE",
  message: "The request body must have no Content-Encoding: send it without compression.",
  param: "Content-Encoding",
  headers: { "accept-encoding": "identity" }
}

const isCoded = (contentEncoding = "identity"): boolean => contentEncoding.trim().toLowerCase() !== "identity"

const isJsonType = (contentType = ""): boolean =>
  contentType.split(";", 1)[0]!.trim().toLowerCase() === "application/json"

export type BodyUse = "required" | "optional" | "none"

const bodyProblem = (
  bytes: Uint8Array,
  contentType: string | undefined,
  use: BodyUse
): Refusal | undefined => {
  if (bytes.length === 0) {
    if (use === "required") return invalid("The request body must be a JSON object.")
    // The handler's decoder checks the Content-Type even if the body is empty.
    return use === "optional" && contentType !== undefined && !isJsonType(contentType) ? notJson : undefined
  }
  if (!isJsonType(contentType)) return notJson
  const body = parsed(bytes)
  if (body === "not JSON") return invalid("The request body must be valid JSON in UTF-8.")
  if (body === "too deep")
    return invalid(
      `The request body must not have arrays and objects nested more than ${Limits.jsonDepth} deep.`
    )
  const { text, value } = body
  // The decoder would accept it as no body.
  if (use === "optional" && value === null) return invalid("The request body must be a JSON object.")
  // Clients that always send a body send `{}` to endpoints that take none.
  if (use === "none" && !/^\s*\{\s*\}\s*$/.test(text)) return invalid("This path accepts no body.")
  const problem = bodyTextProblem(text, value)
  return problem === undefined ? undefined : { code: "VALIDATION_ERROR", ...problem }
}

/** The most bytes that the body can have. A request without a length may have chunks. */
export const bodyBytesOf = ({ headers }: HttpServerRequest.HttpServerRequest, maxBytes: number): number =>
  headers["transfer-encoding"] !== undefined ? maxBytes : Number(headers["content-length"] ?? 0)

/**
 * Whether the answer comes before the end of a body that is large, or whose length is not known. Such an answer ends the
 * connection, so that the rest of the body costs nothing.
 */
export const leavesBody = (request: HttpServerRequest.HttpServerRequest): boolean =>
  !NodeHttpServerRequest.toIncomingMessage(request).complete &&
  bodyBytesOf(request, Number.POSITIVE_INFINITY) > httpLimits.connectionBytes

/** Refuses a body that says that it is too large, without reading it. */
export const checkLength = (
  request: HttpServerRequest.HttpServerRequest,
  maxBytes: number
): Refusal | undefined => (bodyBytesOf(request, maxBytes) > maxBytes ? tooLarge(maxBytes) : undefined)

/** Gets the number of bytes of a body that was read. The body is parsed when the effect has ended. */
export type OnRead = (bytes: number) => Effect.Effect<void>

export const checkBody = (
  request: HttpServerRequest.HttpServerRequest,
  { body, bodyBytes: maxBytes }: { readonly body: BodyUse; readonly bodyBytes: number },
  onRead: OnRead
): Effect.Effect<Refusal | undefined> =>
  Effect.gen(function* () {
    const bytes = yield* request.arrayBuffer
    yield* onRead(bytes.byteLength)
    if (bytes.byteLength > 0 && isCoded(request.headers["content-encoding"])) return coded
    return bodyProblem(new Uint8Array(bytes), request.headers["content-type"], body)
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
