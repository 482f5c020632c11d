/**
 * The errors of the API. The body of each is `{ "error": { "code", "message", "doc_url", … } }`; the code decides the
 * HTTP status. A message names the field and what is accepted. It never contains a stack trace, SQL, a secret or a key.
 * Part of the contract, so only data.
 */
import { type Array as Arr, type Cause, Schema } from "effect"
import { type Problem, sentenceOf } from "../spine/words/Nearest.ts"

/** In one list, because clients read a code alone: it has one meaning and one status in the whole API. */
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
  NOTICE_TEST_WAITING: 409,
  SESSION_OF_ANOTHER_ACCOUNT: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  STREAM_LIMIT_REACHED: 429,
  SESSION_LIMIT_REACHED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503
} as const

export type ErrorCode = keyof typeof statusOf

/** What is wrong with one parameter. */
export interface Fault {
  /** A JSON pointer into the body, or the name of a parameter of the query, the path or the headers. */
  readonly param: string
  readonly message: string
  readonly suggestion?: string | undefined
}

/** A response lists at most this many faults. */
export const FAULTS_MAX = 20

/** More about an error than its message. */
export interface About {
  readonly param?: string | undefined
  readonly suggestion?: string | undefined
  /** For `SESSION_OF_ANOTHER_ACCOUNT` only. */
  readonly accounts?: typeof TwoAccounts.Type
}

/** Relative, because the service does not know under which address it is reached. */
const docUrlOf = (code: ErrorCode): string => `/docs/errors#${code.toLowerCase()}`

interface Detail<Code extends ErrorCode> {
  readonly code: Code
  readonly message: string
  readonly param?: string
  readonly suggestion?: string
  readonly doc_url?: string
  readonly errors?: ReadonlyArray<{
    readonly param: string
    readonly message: string
    readonly suggestion?: string
  }>
  readonly accounts?: typeof TwoAccounts.Type
}

const defined = ({ param, suggestion }: About) => ({
  ...(param !== undefined && { param }),
  ...(suggestion !== undefined && { suggestion })
})

const errorOf = <Code extends ErrorCode>(
  code: Code,
  message: string,
  about: About = {},
  faults: ReadonlyArray<Fault> = []
): Detail<Code> => ({
  code,
  message,
  ...defined(about),
  doc_url: docUrlOf(code),
  ...(about.accounts !== undefined && { accounts: about.accounts }),
  ...(faults.length > 0 && {
    errors: faults
      .slice(0, FAULTS_MAX)
      .map((fault) => ({ ...defined(fault), param: fault.param, message: fault.message }))
  })
})

/** A validation error that names a parameter has it as its only fault. */
export const errorBody = <Code extends ErrorCode>(code: Code, message: string, about: About = {}) => {
  const { param, suggestion } = about
  const isFault = code === "VALIDATION_ERROR" && param !== undefined
  return { error: errorOf(code, message, about, isFault ? [{ param, message, suggestion }] : []) }
}

/** `path`: keys and indexes of the body, from its top. */
export const pointerOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/** A fault of a field at the top of the body; `problem` is the end of a sentence that begins with its name. */
export const faultOf = (field: string, problem: Problem | string): Fault => {
  const wrong = typeof problem === "string" ? { problem } : problem
  return { param: pointerOf([field]), message: sentenceOf(field, wrong), suggestion: wrong.suggestion }
}

interface Failure<Code extends ErrorCode> extends Cause.YieldableError {
  readonly error: Detail<Code>
}

/** Name of the schema in the OpenAPI document: `NOT_FOUND` → `NotFound`. */
const nameOf = (code: ErrorCode): string =>
  code.replaceAll(/([A-Z])([A-Z]*)_?/g, (_, first: string, rest: string) => first + rest.toLowerCase())

const Param = Schema.String.annotate({
  description:
    "What is wrong: a JSON pointer into the body, such as /event_types/0 (empty: the whole body), or the name of a parameter of the query, the path or the headers. Absent if the error is not about a parameter."
})

const Suggestion = Schema.String.annotate({
  description: "The accepted value, field or path that the given one is most like. Absent if none is near."
})

const Faults = Schema.Array(
  Schema.Struct({
    param: Param,
    message: Schema.String.annotate({ description: "What is wrong with it, for people." }),
    suggestion: Schema.optionalKey(Suggestion)
  })
)
  .check(Schema.isMaxLength(FAULTS_MAX))
  .annotate({
    description: `Everything that is wrong with the parameters, in the order of the request: the first ${FAULTS_MAX}. The first of them is also the error's message.`
  })

const NamedAccount = Schema.Struct({
  id: Schema.String.annotate({ description: "The account's id." }),
  name: Schema.String.annotate({ description: "The account's name. Two accounts can have the same one." })
})

const TwoAccounts = Schema.Struct({
  signed_in: NamedAccount.annotate({ description: "The account that the browser is signed in to." }),
  wanted: NamedAccount.annotate({ description: "The account of the key or the link." })
}).annotate({ description: "The two accounts, for a question to the viewer. Always present." })

interface More {
  readonly errors: Schema.optionalKey<typeof Faults>
  readonly accounts: Schema.optionalKey<typeof TwoAccounts>
}

/** `example` and `about` are for the OpenAPI document's example. `more`: the field that only one error has. */
const failure = <const Code extends ErrorCode>(
  code: Code,
  description: string,
  example: string,
  about?: About,
  // For the compiler every error may have the fields, because they are optional.
  more: Partial<More> = {}
) => {
  const error = Schema.Struct({
    code: Schema.Literal(code).annotate({ description: "The code, for programs. It does not change." }),
    message: Schema.String.annotate({ description: "What is wrong, for people. The wording may change." }),
    param: Schema.optionalKey(Param),
    suggestion: Schema.optionalKey(Suggestion),
    doc_url: Schema.optionalKey(
      Schema.String.annotate({
        format: "uri-reference",
        description: "The page about this code, relative to the address of the service. Always present."
      })
    ),
    ...(more as More)
  }).annotate({ description: "What is wrong.", examples: [errorBody(code, example, about).error] })
  const notes = { httpApiStatus: statusOf[code], description }
  return class extends Schema.Error<Failure<Code>>(nameOf(code))({ error }, notes) {
    static because(message: string, about?: About) {
      return new this(errorBody(code, message, about))
    }
  }
}

export class ValidationError extends failure(
  "VALIDATION_ERROR",
  "The request is not valid. The message names the field and what is accepted.",
  "limit must be an integer from 1 to 100.",
  { param: "limit" },
  { errors: Schema.optionalKey(Faults) }
) {
  static of(faults: Arr.NonEmptyReadonlyArray<Fault>) {
    return new this({ error: errorOf("VALIDATION_ERROR", faults[0].message, faults[0], faults) })
  }
}

export class Unauthorized extends failure(
  "UNAUTHORIZED",
  "The API key is missing, unknown, revoked or expired, or the session of the dashboard has ended.",
  "A valid API key is required in the header X-Service-Key, or as Authorization: Bearer."
) {}

export class QuotaExceeded extends failure(
  "QUOTA_EXCEEDED",
  "The month's delivery quota is used up. It is renewed at the start of the next month (UTC).",
  "The month's delivery quota is used up; retry when the next month (UTC) begins, or choose a larger plan."
) {}

export class Forbidden extends failure(
  "FORBIDDEN",
  "The key lacks the scope named in the message, or its account is suspended.",
  "This key lacks the scope webhooks:write."
) {}

export class RateLimited extends failure(
  "RATE_LIMITED",
  "The key, or all keys of its account together, have used up their requests of this minute or day. Try again after the seconds in Retry-After.",
  "Rate limit exceeded. Retry after 15 seconds."
) {}

export class StreamLimitReached extends failure(
  "STREAM_LIMIT_REACHED",
  "The account has all the streams of this kind open that it may have on one server. See Retry-After.",
  "This account has 10 event streams open on this server, and may have no more; end one first."
) {}

export class NoticeTestWaiting extends failure(
  "NOTICE_TEST_WAITING",
  "A test notice of the account waits to be sent.",
  "A test notice of this account waits to be sent; try again when it has been answered, in some seconds."
) {}

export class SessionLimitReached extends failure(
  "SESSION_LIMIT_REACHED",
  "The key has all the sessions and unused links that it may have. None of them ends for a new one.",
  "This key has 100 sessions and unused links, and may have no more; sign out of one, or wait until one ends."
) {}

export class SessionOfAnotherAccount extends failure(
  "SESSION_OF_ANOTHER_ACCOUNT",
  "This browser is signed in to another account. Nothing was changed: a link can still be used.",
  "This browser is signed in to the account Example. To leave it and sign in to the account Other, send replace: true and the header X-Requested-With: ledgerhook.",
  {
    accounts: {
      signed_in: { id: "acct_01J8ZQ4T7M3VXN5K2D9RFBHCAE", name: "Example" },
      wanted: { id: "acct_01J8ZQ4T7M3VXN5K2D9RFBHCAF", name: "Other" }
    }
  },
  { accounts: Schema.optionalKey(TwoAccounts) }
) {}

export class NotFound extends failure(
  "NOT_FOUND",
  "The path or the resource does not exist, or this key cannot see it.",
  "There is no webhook wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE."
) {}

export class MethodNotAllowed extends failure(
  "METHOD_NOT_ALLOWED",
  "The path does not accept this method. The header Allow names those that it accepts.",
  "This path accepts GET, HEAD, OPTIONS."
) {}

export class DeliveryNotFailed extends failure(
  "DELIVERY_NOT_FAILED",
  "The delivery's status is delivered or pending.",
  "Delivery dlv_01J8ZQ4T7M3VXN5K2D9RFBHCAE is delivered; only failed and retrying deliveries can be retried."
) {}

export class PlanRequired extends failure(
  "PLAN_REQUIRED",
  "The account's plan does not include this. The message names the plans that do.",
  "Replay by filters needs one of the plans Professional, Compliance, Enterprise; on every plan you can replay event_ids."
) {}

export class JobNotCancellable extends failure(
  "JOB_NOT_CANCELLABLE",
  "The job has ended already.",
  "Replay job rpl_job_01J8ZQ4T7M3VXN5K2D9RFBHCAE is completed; only queued and running jobs can be cancelled."
) {}

export class ReplayLimitReached extends failure(
  "REPLAY_LIMIT_REACHED",
  "The account has as many queued or running replay jobs as its plan allows.",
  "The plan allows 5 queued or running replay jobs, and the account has 5; cancel one or wait until one ends."
) {}

export class WebhookLimitReached extends failure(
  "WEBHOOK_LIMIT_REACHED",
  "The account has as many webhooks, or as many account filters in all webhooks, as its plan allows.",
  "The plan allows 10 webhooks, and the account has 10; delete one, or choose a larger plan."
) {}

export class KeyLimitReached extends failure(
  "KEY_LIMIT_REACHED",
  "The account has as many valid API keys, or has created as many within 24 hours, as its plan allows.",
  "The plan allows 5 valid API keys, and the account has 5; revoke one first."
) {}

export class WebhookDisabled extends failure(
  "WEBHOOK_DISABLED",
  "The webhook is disabled. Set its status to active first.",
  "Webhook wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE is disabled; set its status to active first."
) {}

export class PayloadTooLarge extends failure(
  "PAYLOAD_TOO_LARGE",
  "The request body is too large.",
  "The request body must have at most 1048576 bytes."
) {}

export class UnsupportedMediaType extends failure(
  "UNSUPPORTED_MEDIA_TYPE",
  "The request body is not application/json, or has a Content-Encoding.",
  "The request body must have the Content-Type application/json."
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
  "The service has a defect. Report the request id in the message.",
  "The request failed because of a defect of the service. Report the request id 7b1f0a52-6a4e-4f0c-9d0e-2f6f3a1f9f11."
) {}

export class Unavailable extends failure(
  "UNAVAILABLE",
  "The service cannot reach its database or log. Nothing was changed. Try again after the seconds in Retry-After.",
  "The service is temporarily unavailable. Try again."
) {}

export const unavailable = () => Unavailable.because("The service is temporarily unavailable. Try again.")

/** `param`: where the request names the webhook, or the delivery to it. */
export const webhookDisabled = (id: string, param: string) =>
  WebhookDisabled.because(`Webhook ${id} is disabled; set its status to active first.`, { param })
