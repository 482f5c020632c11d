/**
 * The failures of the API. Each is exactly `{ "error": { "code", "message" } }` on the wire; the code decides the HTTP
 * status. Messages name the field and what is accepted; they never hold a stack, SQL, a secret or a key.
 * Part of the contract: nothing but data here.
 */
import { type Cause, Schema } from "effect"

export const statusOf = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  QUOTA_EXCEEDED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PLAN_REQUIRED: 403,
  DELIVERY_NOT_FAILED: 409,
  JOB_NOT_CANCELLABLE: 409,
  REPLAY_LIMIT_REACHED: 409,
  WEBHOOK_LIMIT_REACHED: 409,
  KEY_LIMIT_REACHED: 409,
  WEBHOOK_DISABLED: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503
} as const

export type ErrorCode = keyof typeof statusOf

/** The body of every failure. */
export const errorBody = (code: ErrorCode, message: string) => ({ error: { code, message } })

interface Failure<Code extends ErrorCode> extends Cause.YieldableError {
  readonly error: { readonly code: Code; readonly message: string }
}

/** As the OpenAPI document names its schema: `NOT_FOUND` → `NotFound`. */
const nameOf = (code: ErrorCode): string =>
  code.replaceAll(/([A-Z])([A-Z]*)_?/g, (_, first: string, rest: string) => first + rest.toLowerCase())

/** `example`: such a message, for the OpenAPI document. */
const failure = <const Code extends ErrorCode>(code: Code, description: string, example: string) => {
  const error = Schema.Struct({
    code: Schema.Literal(code).annotate({ description: "for programs: stable" }),
    message: Schema.String.annotate({
      description: "for people: one sentence, whose wording may change",
      examples: [example]
    })
  }).annotate({ description: "what is wrong" })
  const notes = { httpApiStatus: statusOf[code], description }
  return class extends Schema.Error<Failure<Code>>(nameOf(code))({ error }, notes) {
    static because(message: string) {
      return new this({ error: { code, message } })
    }
  }
}

export class ValidationError extends failure(
  "VALIDATION_ERROR",
  "The request is malformed; the message names the field and what is accepted.",
  "limit must be an integer from 1 to 100."
) {}

export class Unauthorized extends failure(
  "UNAUTHORIZED",
  "No API key, or one that is unknown, revoked or expired.",
  "A valid API key is required in the header X-Service-Key."
) {}

export class QuotaExceeded extends failure(
  "QUOTA_EXCEEDED",
  "The month's delivery quota is used up.",
  "The month's delivery quota is used up; a retry is possible when the month turns or the plan grows."
) {}

export class Forbidden extends failure(
  "FORBIDDEN",
  "The key lacks the scope that the message names, or its account is suspended.",
  "This key lacks the scope webhooks:write."
) {}

export class RateLimited extends failure(
  "RATE_LIMITED",
  "The key's requests of this minute or day are used up. See Retry-After.",
  "Rate limit exceeded. Retry after 15 seconds."
) {}

export class NotFound extends failure(
  "NOT_FOUND",
  "There is no such resource for this key.",
  "There is no webhook wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE."
) {}

export class MethodNotAllowed extends failure(
  "METHOD_NOT_ALLOWED",
  "The path takes other methods; Allow names them.",
  "This path takes GET, HEAD, OPTIONS."
) {}

export class DeliveryNotFailed extends failure(
  "DELIVERY_NOT_FAILED",
  "The delivery's status is not failed.",
  "Delivery dlv_01J8ZQ4T7M3VXN5K2D9RFBHCAE is not failed; only failed deliveries can be retried."
) {}

export class PlanRequired extends failure(
  "PLAN_REQUIRED",
  "The account's plan does not have this; the message names those that do.",
  "Replay by filters needs one of the plans Professional, Compliance, Enterprise; event_ids are replayed on every plan."
) {}

export class JobNotCancellable extends failure(
  "JOB_NOT_CANCELLABLE",
  "The job has ended.",
  "Replay job rpl_job_01J8ZQ4T7M3VXN5K2D9RFBHCAE is completed; only queued and running jobs can be cancelled."
) {}

export class ReplayLimitReached extends failure(
  "REPLAY_LIMIT_REACHED",
  "The plan's replay jobs are all queued or running.",
  "The plan allows 5 replay jobs at once, and as many are queued or running; cancel one or wait for its end."
) {}

export class WebhookLimitReached extends failure(
  "WEBHOOK_LIMIT_REACHED",
  "The plan allows no more webhooks, or no more account filters in all.",
  "The plan allows 10 webhooks, and the account has 10; delete one, or choose a larger plan."
) {}

export class KeyLimitReached extends failure(
  "KEY_LIMIT_REACHED",
  "The plan allows no more keys that are neither revoked nor expired.",
  "The plan allows 5 keys that are neither revoked nor expired, and there are as many; revoke one first."
) {}

export class WebhookDisabled extends failure(
  "WEBHOOK_DISABLED",
  "The webhook is disabled.",
  "Webhook wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE is disabled; set its status to active first."
) {}

export class PayloadTooLarge extends failure(
  "PAYLOAD_TOO_LARGE",
  "The request body is too large.",
  "The request body must have at most 1048576 bytes."
) {}

export class UnsupportedMediaType extends failure(
  "UNSUPPORTED_MEDIA_TYPE",
  "The request body is not application/json.",
  "The request body must be application/json."
) {}

export class IdempotencyKeyReused extends failure(
  "IDEMPOTENCY_KEY_REUSED",
  "Another request used this Idempotency-Key within the last 24 hours.",
  "Another request has used this Idempotency-Key within the last 24 hours; choose a new one for a new request."
) {}

export class IdempotencyInProgress extends failure(
  "IDEMPOTENCY_IN_PROGRESS",
  "A request with this Idempotency-Key is still running.",
  "A request with this Idempotency-Key is still running; send it again in a second."
) {}

export class InternalError extends failure(
  "INTERNAL_ERROR",
  "A defect of the service; the message gives the request id.",
  "The service failed to answer. Tell support the request id 7b1f0a52-6a4e-4f0c-9d0e-2f6f3a1f9f11."
) {}

export class Unavailable extends failure(
  "UNAVAILABLE",
  "A store or the log cannot be reached; nothing was half-done. See Retry-After.",
  "The service cannot reach its store at the moment. Try again."
) {}

export const unavailable = () =>
  Unavailable.because("The service cannot reach its store at the moment. Try again.")

export const webhookDisabled = (id: string) =>
  WebhookDisabled.because(`Webhook ${id} is disabled; set its status to active first.`)
