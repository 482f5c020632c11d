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
  PLAN_REQUIRED: 403,
  DELIVERY_NOT_FAILED: 409,
  JOB_NOT_CANCELLABLE: 409,
  REPLAY_LIMIT_REACHED: 409,
  WEBHOOK_LIMIT_REACHED: 409,
  KEY_LIMIT_REACHED: 409,
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

/** `example`: such a message, for the OpenAPI document. */
const fields = <const Code extends ErrorCode>(code: Code, example: string) => ({
  error: Schema.Struct({
    code: Schema.Literal(code).annotate({ description: "for programs: stable" }),
    message: Schema.String.annotate({
      description: "for people: one sentence, whose wording may change",
      examples: [example]
    })
  }).annotate({ description: "what is wrong" })
})

export class ValidationError extends Schema.Error<ValidationError>("ValidationError")(
  fields("VALIDATION_ERROR", "limit must be an integer from 1 to 100."),
  {
    httpApiStatus: 400,
    description: "The request is malformed; the message names the field and what is accepted."
  }
) {}

export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(
  fields("UNAUTHORIZED", "A valid API key is required in the header X-Service-Key."),
  {
    httpApiStatus: 401,
    description: "No API key, or one that is unknown, revoked or expired."
  }
) {}

export class QuotaExceeded extends Schema.Error<QuotaExceeded>("QuotaExceeded")(
  fields(
    "QUOTA_EXCEEDED",
    "The month's delivery quota is used up; a retry is possible when the month turns or the plan grows."
  ),
  {
    httpApiStatus: 402,
    description: "The month's delivery quota is used up."
  }
) {}

export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(
  fields("FORBIDDEN", "This key lacks the scope webhooks:write."),
  {
    httpApiStatus: 403,
    description: "The key lacks the scope that the message names, or its account is suspended."
  }
) {}

export class RateLimited extends Schema.Error<RateLimited>("RateLimited")(
  fields("RATE_LIMITED", "Rate limit exceeded. Retry after 15 seconds."),
  {
    httpApiStatus: 429,
    description: "The key's requests of this minute or day are used up. See Retry-After."
  }
) {}

export class NotFound extends Schema.Error<NotFound>("NotFound")(
  fields("NOT_FOUND", "There is no webhook wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE."),
  {
    httpApiStatus: 404,
    description: "There is no such resource for this key."
  }
) {}

export class MethodNotAllowed extends Schema.Error<MethodNotAllowed>("MethodNotAllowed")(
  fields("METHOD_NOT_ALLOWED", "This path takes GET, HEAD, OPTIONS."),
  { httpApiStatus: 405, description: "The path takes other methods; Allow names them." }
) {}

export class DeliveryNotFailed extends Schema.Error<DeliveryNotFailed>("DeliveryNotFailed")(
  fields(
    "DELIVERY_NOT_FAILED",
    "Delivery dlv_01J8ZQ4T7M3VXN5K2D9RFBHCAE is not failed; only failed deliveries can be retried."
  ),
  { httpApiStatus: 409, description: "The delivery's status is not failed." }
) {}

export class PlanRequired extends Schema.Error<PlanRequired>("PlanRequired")(
  fields(
    "PLAN_REQUIRED",
    "Replay by filters needs one of the plans Professional, Compliance, Enterprise; event_ids are replayed on every plan."
  ),
  {
    httpApiStatus: 403,
    description: "The account's plan does not have this; the message names those that do."
  }
) {}

export class JobNotCancellable extends Schema.Error<JobNotCancellable>("JobNotCancellable")(
  fields(
    "JOB_NOT_CANCELLABLE",
    "Replay job rpl_job_01J8ZQ4T7M3VXN5K2D9RFBHCAE is completed; only queued and running jobs can be cancelled."
  ),
  { httpApiStatus: 409, description: "The job has ended." }
) {}

export class ReplayLimitReached extends Schema.Error<ReplayLimitReached>("ReplayLimitReached")(
  fields(
    "REPLAY_LIMIT_REACHED",
    "The plan allows 5 replay jobs at once, and as many are queued or running; cancel one or wait for its end."
  ),
  { httpApiStatus: 409, description: "The plan's replay jobs are all queued or running." }
) {}

export class WebhookLimitReached extends Schema.Error<WebhookLimitReached>("WebhookLimitReached")(
  fields(
    "WEBHOOK_LIMIT_REACHED",
    "The plan allows 10 webhooks, and the account has 10; delete one, or choose a larger plan."
  ),
  { httpApiStatus: 409, description: "The plan allows no more webhooks, or no more account filters in all." }
) {}

export class KeyLimitReached extends Schema.Error<KeyLimitReached>("KeyLimitReached")(
  fields(
    "KEY_LIMIT_REACHED",
    "The plan allows 5 keys that are neither revoked nor expired, and there are as many; revoke one first."
  ),
  { httpApiStatus: 409, description: "The plan allows no more keys that are neither revoked nor expired." }
) {}

export class WebhookDisabled extends Schema.Error<WebhookDisabled>("WebhookDisabled")(
  fields(
    "WEBHOOK_DISABLED",
    "Webhook wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE is disabled; set its status to active first."
  ),
  { httpApiStatus: 409, description: "The webhook is disabled." }
) {}

export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("PayloadTooLarge")(
  fields("PAYLOAD_TOO_LARGE", "The request body must have at most 1048576 bytes."),
  { httpApiStatus: 413, description: "The request body is too large." }
) {}

export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>("UnsupportedMediaType")(
  fields("UNSUPPORTED_MEDIA_TYPE", "The request body must be application/json."),
  { httpApiStatus: 415, description: "The request body is not application/json." }
) {}

export class InternalError extends Schema.Error<InternalError>("InternalError")(
  fields(
    "INTERNAL_ERROR",
    "The service failed to answer. Tell support the request id 7b1f0a52-6a4e-4f0c-9d0e-2f6f3a1f9f11."
  ),
  {
    httpApiStatus: 500,
    description: "A defect of the service; the message gives the request id."
  }
) {}

export class Unavailable extends Schema.Error<Unavailable>("Unavailable")(
  fields("UNAVAILABLE", "The service cannot reach its store at the moment. Try again."),
  {
    httpApiStatus: 503,
    description: "A store or the log cannot be reached; nothing was half-done. See Retry-After."
  }
) {}

export const validationError = (message: string) =>
  new ValidationError({ error: { code: "VALIDATION_ERROR", message } })

export const quotaExceeded = (message: string) =>
  new QuotaExceeded({ error: { code: "QUOTA_EXCEEDED", message } })

export const forbidden = (message: string) => new Forbidden({ error: { code: "FORBIDDEN", message } })

export const notFound = (message: string) => new NotFound({ error: { code: "NOT_FOUND", message } })

export const deliveryNotFailed = (message: string) =>
  new DeliveryNotFailed({ error: { code: "DELIVERY_NOT_FAILED", message } })

export const planRequired = (message: string) =>
  new PlanRequired({ error: { code: "PLAN_REQUIRED", message } })

export const jobNotCancellable = (message: string) =>
  new JobNotCancellable({ error: { code: "JOB_NOT_CANCELLABLE", message } })

export const replayLimitReached = (message: string) =>
  new ReplayLimitReached({ error: { code: "REPLAY_LIMIT_REACHED", message } })

export const webhookLimitReached = (message: string) =>
  new WebhookLimitReached({ error: { code: "WEBHOOK_LIMIT_REACHED", message } })

export const keyLimitReached = (message: string) =>
  new KeyLimitReached({ error: { code: "KEY_LIMIT_REACHED", message } })

export const webhookDisabled = (message: string) =>
  new WebhookDisabled({ error: { code: "WEBHOOK_DISABLED", message } })

export const unavailable = () =>
  new Unavailable({
    error: { code: "UNAVAILABLE", message: "The service cannot reach its store at the moment. Try again." }
  })
