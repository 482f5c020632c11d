/** Shared by all groups of the contract: the API key, common errors, ids, times and pages. */
import { Context, Schema, SchemaIssue } from "effect"
import { HttpApiMiddleware, OpenApi } from "effect/http-api"
import type { Identity, Scope } from "../spine/domain/ApiKey.ts"
import {
  EVENT_ID_PATTERN,
  isEventId,
  isTransactionHash,
  TRANSACTION_HASH_PATTERN
} from "../spine/event/EventId.ts"
import { ADDRESS } from "../spine/event/LedgerForms.ts"
import { type IdPrefix, idPattern, isId } from "../spine/words/Ids.ts"
import { parseIsoTime } from "../spine/words/IsoTime.ts"
import type { Problem } from "../spine/words/Nearest.ts"
import {
  FAULTS_MAX,
  Forbidden,
  IdempotencyInProgress,
  IdempotencyKeyReused,
  InternalError,
  MethodNotAllowed,
  PayloadTooLarge,
  RateLimited,
  Unauthorized,
  Unavailable,
  UnsupportedMediaType,
  ValidationError
} from "./Errors.ts"

/** The caller's identity. Every handler of a group with `KeyRequired` can read it. */
export class Caller extends Context.Service<Caller, Identity>()("ledgerhook/api/Caller") {}

export const KEY_HEADER = "x-service-key"

/** Names of the security schemes in the OpenAPI document. */
const KEY_SCHEME = "apiKey"
const BEARER_SCHEME = "bearer"

/** Documents the errors of the gate, which checks key, rate limits and scope before a handler runs (Gate.ts). */
export class KeyRequired extends HttpApiMiddleware.Service<KeyRequired>()("ledgerhook/api/KeyRequired", {
  error: [Unauthorized, Forbidden, RateLimited, Unavailable]
}) {}

/**
 * The security is not declared on the middleware, because the middleware would then read the key of every request a
 * second time.
 */
export const securitySchemes = {
  [KEY_SCHEME]: {
    description:
      "An API key: `svc_live_…` for mainnet, `svc_test_…` for testnet and devnet. Each operation names the scope that it needs.",
    type: "apiKey",
    name: "X-Service-Key",
    in: "header"
  },
  [BEARER_SCHEME]: {
    description: "The same API key as `Authorization: Bearer svc_…`.",
    type: "http",
    scheme: "bearer"
  }
}

/**
 * Annotation of an endpoint: the scope that the key needs. A key with `admin` has every scope. Without this annotation
 * any valid key is accepted. The gate checks it, and the OpenAPI document shows it.
 */
export class RequiredScope extends Context.Service<RequiredScope, Scope>()("ledgerhook/api/RequiredScope") {}

/** Annotation of an endpoint that takes a body: its largest size in bytes, where it is not `Limits.requestBodyBytes`. */
export class BodyBytes extends Context.Service<BodyBytes, number>()("ledgerhook/api/BodyBytes") {}

/** Annotation of an endpoint under /v1 that needs no key. */
export class Keyless extends Context.Service<Keyless, boolean>()("ledgerhook/api/Keyless") {}

/** Errors that every endpoint may return. */
export class CommonErrors extends HttpApiMiddleware.Service<CommonErrors>()("ledgerhook/api/CommonErrors", {
  error: [ValidationError, MethodNotAllowed, InternalError]
}) {}

/** Errors of the methods that may have a body: all except GET. */
export const bodyErrors = [PayloadTooLarge, UnsupportedMediaType] as const

/** Errors of POST requests, those of the header `Idempotency-Key` included. */
export const postErrors = [...bodyErrors, IdempotencyKeyReused, IdempotencyInProgress] as const

/** A payload that may be omitted. An empty or absent body is decoded as undefined. */
export const bodyOptional = <S extends Schema.Constraint>(payload: S) => [payload, Schema.Undefined] as const

/** An issue of the place `path` that carries the problem's suggestion to the error (RequestFaults.ts). */
export const issueOf = (problem: Problem | string, path: ReadonlyArray<PropertyKey> = []) => {
  const { problem: message, suggestion } = typeof problem === "string" ? { problem } : problem
  return { path, issue: new SchemaIssue.InvalidValue({ message, suggestion }) }
}

type Constraint = Readonly<Record<string, string | number | boolean | ReadonlyArray<string>>>

/**
 * A check with its own message. `problemOf` returns undefined if the value is valid; otherwise the end of a sentence
 * that begins with the field's name. `constraint` is the same check in JSON Schema, as far as it can be expressed.
 */
export const rule = <A>(problemOf: (value: A) => Problem | string | undefined, constraint: Constraint = {}) =>
  Schema.makeFilter(
    (value: A) => {
      const problem = problemOf(value)
      return problem === undefined ? undefined : issueOf(problem)
    },
    { toJsonSchema: () => constraint }
  )

/** A text that is checked elsewhere, as the items of a `textList`, or that only the service makes. */
export const uncheckedText = (constraint: Constraint) =>
  Schema.String.check(rule<string>(() => undefined, constraint))

/** The form of a classic address. Its checksum is not in the form. */
export const addressForm = { pattern: ADDRESS.source }

/**
 * A list of texts. Its length is checked before its items: a body has room for many more items than a list may have, and
 * some checks take microseconds. `lengthProblem` and `itemProblem` are as `problemOf` of a `rule`. The check ends after
 * as many wrong items as an error lists.
 */
export const textList = <S extends Schema.Schema<string>>(
  item: S,
  lengthProblem: (length: number) => string | undefined,
  itemProblem: (item: string) => Problem | string | undefined,
  constraint: Readonly<Record<string, number>> = {}
) =>
  Schema.Array(item).check(
    Schema.makeFilter(
      (items) => {
        const wrong = lengthProblem(items.length)
        if (wrong !== undefined) return wrong
        const found: Array<ReturnType<typeof issueOf>> = []
        for (const [index, text] of items.entries()) {
          const problem = itemProblem(text)
          if (problem !== undefined) found.push(issueOf(problem, [index]))
          if (found.length === FAULTS_MAX) break
        }
        return found
      },
      { toJsonSchema: () => constraint }
    )
  )

/** Adds a description and examples to a field. The examples of whole bodies are built from these. */
export const field = <S extends Schema.Top>(
  schema: S,
  description: string,
  ...examples: ReadonlyArray<S["Type"]>
): S["Rebuild"] => schema.annotate(examples.length === 0 ? { description } : { description, examples })

interface OperationNotes {
  /** Name of the function in generated clients (`operationId`). */
  readonly identifier: string
  readonly summary: string
  readonly description: string
}

/** Annotations of an endpoint that needs no key. */
export const keyless = (notes: OperationNotes) => OpenApi.annotations(notes)

/** Annotations of an endpoint that needs a key. */
export const keyed = (notes: OperationNotes, scopes: ReadonlyArray<Scope> = []) =>
  OpenApi.annotations({
    ...notes,
    transform: (operation) => ({
      ...operation,
      security: [{ [KEY_SCHEME]: scopes }, { [BEARER_SCHEME]: scopes }]
    })
  })

/** Annotations of an endpoint that needs a scope. */
export const scoped = (scope: Scope, { description, ...notes }: OperationNotes) =>
  Context.add(
    keyed({ ...notes, description: `${description} Needs the scope \`${scope}\`.` }, [scope]),
    RequiredScope,
    scope
  )

export const idOf = (prefix: IdPrefix) =>
  Schema.String.check(
    rule(
      (id) => (isId(prefix, id) ? undefined : `must be an id such as ${prefix}01J8ZQ4T7M3VXN5K2D9RFBHCAE`),
      {
        pattern: idPattern(prefix)
      }
    )
  ).annotate({
    description: `An id: ${prefix} and 26 characters.`,
    examples: [`${prefix}01J8ZQ4T7M3VXN5K2D9RFBHCAE`]
  })

export const HASH_EXAMPLE = "4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D"

export const TransactionHash = Schema.String.check(
  rule(
    (hash) => (isTransactionHash(hash) ? undefined : "must be a transaction hash: 64 hexadecimal digits"),
    {
      pattern: TRANSACTION_HASH_PATTERN.source
    }
  )
).annotate({ description: "The hash of the transaction.", examples: [HASH_EXAMPLE] })

export const EVENT_ID_EXAMPLE =
  "xrpl:94084608:4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D:payment.xrp"

export const EVENT_ID_FORM =
  "xrpl:<ledger_index>:<tx_hash>:<event_type>, followed by :<sub_index> if one transaction caused several events of the type"

export const eventIdProblem = (id: string): string | undefined =>
  isEventId(id) ? undefined : `must be an event id: ${EVENT_ID_FORM}`

export const EventId = Schema.String.check(
  rule(eventIdProblem, { pattern: EVENT_ID_PATTERN.source })
).annotate({ description: `${EVENT_ID_FORM}.`, examples: [EVENT_ID_EXAMPLE] })

export const count = (description: string, example: number) => field(Schema.Int, description, example)

/** A time in a response. */
export const Timestamp = Schema.String.annotate({
  format: "date-time",
  description: "ISO 8601 date-time in UTC with milliseconds.",
  examples: ["2026-11-21T09:30:00.000Z"]
})

/** A time in a request. */
export const TimeBound = Schema.String.check(
  rule(
    (text: string) =>
      parseIsoTime(text) === undefined
        ? "must be an ISO 8601 date-time with an offset, such as 2026-11-21T09:30:00Z"
        : undefined,
    { format: "date-time" }
  )
).annotate({
  description: "ISO 8601 date-time with an offset. Exclusive: an item of exactly this time is not included.",
  examples: ["2026-11-21T09:30:00Z"]
})

/** Ledger indexes are 32-bit numbers. */
export const ledgerIndexBounds = { minimum: 1, maximum: 2 ** 32 - 1 } as const

/** The types of query parameters, for `QueryTypes` of a group. */
export const queryFlag = { type: "boolean", default: false, examples: [true] }
export const queryLedgerIndex = (example: number) => ({
  type: "integer",
  ...ledgerIndexBounds,
  examples: [example]
})

export const LedgerIndexBound = Schema.String.check(
  rule((text: string) =>
    /^[1-9]\d{0,9}$/.test(text) && Number(text) <= ledgerIndexBounds.maximum
      ? undefined
      : `must be an integer from ${ledgerIndexBounds.minimum} to ${ledgerIndexBounds.maximum}`
  )
).annotate({ description: "A ledger index. Inclusive.", examples: ["94084608"] })

export const pageDefaults = { limit: 20, maximum: 100 } as const

const Limit = Schema.String.check(
  rule((text: string) =>
    /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= pageDefaults.maximum
      ? undefined
      : `must be an integer from 1 to ${pageDefaults.maximum}`
  )
).annotate({ description: "The most items in the response.", examples: ["50"] })

const CURSOR = "eyJrIjoiZjJhOCIsImEiOiIwMUo4In0"

/** Query parameters of every list. */
export const pageQuery = {
  limit: Schema.optionalKey(Limit),
  cursor: Schema.optionalKey(
    field(Schema.String, "The next_cursor of the previous page. Use it with the same filters.", CURSOR)
  )
}

export const pageOf = <S extends Schema.Constraint>(identifier: string, item: S) =>
  Schema.Struct({
    data: Schema.Array(item).annotate({ description: "The items, newest first." }),
    has_more: field(Schema.Boolean, "Whether there are older items.", true),
    next_cursor: field(
      Schema.NullOr(Schema.String),
      "The cursor of the next page; null on the last page.",
      CURSOR
    )
  }).annotate({ identifier, description: "A page of a list." })
