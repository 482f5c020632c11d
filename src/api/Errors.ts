/**
 * The failures of the API. Each is exactly `{ "error": { "code", "message" } }` on the wire; the code decides the HTTP
 * status. Messages name the field and what is accepted; they never hold a stack, SQL, a secret or a key.
 * Part of the contract: nothing but data here.
 */
import { Schema } from "effect"

export const statusOf = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  QUOTA_EXCEEDED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  DELIVERY_NOT_FAILED: 409,
  WEBHOOK_DISABLED: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503
} as const

export type ErrorCode = keyof typeof statusOf

/** The body of every failure. */
export const errorBody = (code: ErrorCode, message: string) => ({ error: { code, message } })

const fields = <const Codes extends ReadonlyArray<ErrorCode>>(...codes: Codes) => ({
  error: Schema.Struct({ code: Schema.Literals(codes), message: Schema.String })
})

export class ValidationError extends Schema.Error<ValidationError>("ValidationError")(
  fields("VALIDATION_ERROR"),
  {
    httpApiStatus: 400,
    description: "The request is malformed; the message names the field and what is accepted."
  }
) {}

export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(fields("UNAUTHORIZED"), {
  httpApiStatus: 401,
  description: "No API key, or one that is unknown, revoked or expired."
}) {}

export class QuotaExceeded extends Schema.Error<QuotaExceeded>("QuotaExceeded")(fields("QUOTA_EXCEEDED"), {
  httpApiStatus: 402,
  description: "The month's delivery quota is used up."
}) {}

export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(fields("FORBIDDEN"), {
  httpApiStatus: 403,
  description: "The key lacks the scope that the message names, or its account is suspended."
}) {}

export class RateLimited extends Schema.Error<RateLimited>("RateLimited")(fields("RATE_LIMITED"), {
  httpApiStatus: 429,
  description: "The key's requests of this minute or day are used up. See Retry-After."
}) {}

export class NotFound extends Schema.Error<NotFound>("NotFound")(fields("NOT_FOUND"), {
  httpApiStatus: 404,
  description: "There is no such resource for this key."
}) {}

export class Conflict extends Schema.Error<Conflict>("Conflict")(
  fields("DELIVERY_NOT_FAILED", "WEBHOOK_DISABLED"),
  { httpApiStatus: 409, description: "The state of the resource does not allow it." }
) {}

export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("PayloadTooLarge")(
  fields("PAYLOAD_TOO_LARGE"),
  { httpApiStatus: 413, description: "The request body is too large." }
) {}

export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>("UnsupportedMediaType")(
  fields("UNSUPPORTED_MEDIA_TYPE"),
  { httpApiStatus: 415, description: "The request body is not application/json." }
) {}

export class InternalError extends Schema.Error<InternalError>("InternalError")(fields("INTERNAL_ERROR"), {
  httpApiStatus: 500,
  description: "A defect of the service; the message gives the request id."
}) {}

export class Unavailable extends Schema.Error<Unavailable>("Unavailable")(fields("UNAVAILABLE"), {
  httpApiStatus: 503,
  description: "A store or the log cannot be reached; nothing was half-done. See Retry-After."
}) {}

export const validationError = (message: string) =>
  new ValidationError({ error: { code: "VALIDATION_ERROR", message } })

export const quotaExceeded = (message: string) =>
  new QuotaExceeded({ error: { code: "QUOTA_EXCEEDED", message } })

export const forbidden = (message: string) => new Forbidden({ error: { code: "FORBIDDEN", message } })

export const notFound = (message: string) => new NotFound({ error: { code: "NOT_FOUND", message } })

export const conflict = (code: "DELIVERY_NOT_FAILED" | "WEBHOOK_DISABLED", message: string) =>
  new Conflict({ error: { code, message } })

export const unavailable = () =>
  new Unavailable({
    error: { code: "UNAVAILABLE", message: "The service cannot reach its store at the moment. Try again." }
  })
