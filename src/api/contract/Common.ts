/** What the groups of the contract share: the key, the failures any endpoint may answer with, ids, times and pages. */
import { Context, Schema } from "effect"
import { HttpApiMiddleware, OpenApi } from "effect/http-api"
import type { Identity, Scope } from "../../domain/ApiKey.ts"
import { isEventId } from "../../domain/EventId.ts"
import { type IdPrefix, idPattern, isId } from "../../domain/Ids.ts"
import { parseIsoTime } from "../../domain/IsoTime.ts"
import {
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
} from "../Errors.ts"

/** Who is calling; known in every handler of a group with `KeyRequired`. */
export class Caller extends Context.Service<Caller, Identity>()("ledgerhook/api/Caller") {}

export const KEY_HEADER = "x-service-key"

/** The key's name among the document's security schemes. */
const KEY_SCHEME = "apiKey"

/** Key, rate limits and scope are checked at the gate, before the handler is looked for; this documents their failures. */
export class KeyRequired extends HttpApiMiddleware.Service<KeyRequired>()("ledgerhook/api/KeyRequired", {
  error: [Unauthorized, Forbidden, RateLimited, Unavailable]
}) {}

/** Of the OpenAPI document, and not of the middleware, which would take the key out of every request once more. */
export const securitySchemes = {
  [KEY_SCHEME]: {
    description:
      "An API key: `svc_live_…` for mainnet, `svc_test_…` for the test networks. Each operation names the scope it needs.",
    type: "apiKey",
    name: "X-Service-Key",
    in: "header"
  }
}

/**
 * Annotation of an endpoint: the scope its caller needs; `admin` has every scope. Without it any valid key will do.
 * The gate checks it, and the OpenAPI document tells it.
 */
export class RequiredScope extends Context.Service<RequiredScope, Scope>()("ledgerhook/api/RequiredScope") {}

/** Annotation of an endpoint whose body may be larger than others': its bytes at most. */
export class BodyBytes extends Context.Service<BodyBytes, number>()("ledgerhook/api/BodyBytes") {}

/** Failures that any endpoint may answer with. */
export class CommonErrors extends HttpApiMiddleware.Service<CommonErrors>()("ledgerhook/api/CommonErrors", {
  error: [ValidationError, MethodNotAllowed, InternalError]
}) {}

/** Failures of requests that may carry a body: all but GET. */
export const bodyErrors = [PayloadTooLarge, UnsupportedMediaType] as const

/** Failures of POST requests: besides, those that an `Idempotency-Key` may lead to. */
export const postErrors = [...bodyErrors, IdempotencyKeyReused, IdempotencyInProgress] as const

/** A payload that may be left out: an empty body, or none, is undefined. */
export const bodyOptional = <S extends Schema.Constraint>(payload: S) => [payload, Schema.Undefined] as const

/**
 * A rule in words: undefined is fine, otherwise the end of a sentence that begins with the field's name.
 * `constraint`: what JSON Schema can say of it.
 */
export const rule = <A>(
  problemOf: (value: A) => string | undefined,
  constraint: Readonly<Record<string, string | number | boolean>> = {}
) => Schema.makeFilter(problemOf, { toJsonSchema: () => constraint })

/** What a field is, for readers of the OpenAPI document; the examples of fields make those of whole bodies. */
export const field = <S extends Schema.Top>(
  schema: S,
  description: string,
  ...examples: ReadonlyArray<S["Type"]>
): S["Rebuild"] => schema.annotate(examples.length === 0 ? { description } : { description, examples })

interface OperationNotes {
  /** The name of its function in generated clients. */
  readonly identifier: string
  readonly summary: string
  readonly description: string
}

/** Annotations of an endpoint that needs no key. */
export const keyless = (notes: OperationNotes) => OpenApi.annotations(notes)

/** Annotations of an endpoint that any valid key may use; `scopes`: those that it needs. */
export const keyed = (notes: OperationNotes, scopes: ReadonlyArray<Scope> = []) =>
  OpenApi.annotations({
    ...notes,
    transform: (operation) => ({ ...operation, security: [{ [KEY_SCHEME]: scopes }] })
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
    rule((id) => (isId(prefix, id) ? undefined : `must be an id as ${prefix}01J8ZQ4T7M3VXN5K2D9RFBHCAE`), {
      pattern: idPattern(prefix)
    })
  ).annotate({
    description: `${prefix} and 26 characters`,
    examples: [`${prefix}01J8ZQ4T7M3VXN5K2D9RFBHCAE`]
  })

export const EVENT_ID_EXAMPLE =
  "xrpl:94084608:4692464C16F25429595B3441E48A5386FF3EE73F83B0CA778A6BA2ABDD6A878D:payment.xrp"

export const EVENT_ID_FORM =
  "xrpl:<ledger_index>:<tx_hash>:<event_type>, and :<sub_index> where there are several"

export const eventIdProblem = (id: string): string | undefined =>
  isEventId(id) ? undefined : `must be an event id: ${EVENT_ID_FORM}`

/** A number of things in a response. */
export const count = (description: string, example: number) => field(Schema.Int, description, example)

/** A moment in a response. */
export const Timestamp = Schema.String.annotate({
  format: "date-time",
  description: "ISO 8601, UTC, milliseconds",
  examples: ["2026-11-21T09:30:00.000Z"]
})

/** A moment in a request, as Unix milliseconds. */
export const TimeBound = Schema.String.check(
  rule(
    (text: string) =>
      parseIsoTime(text) === undefined
        ? "must be an ISO 8601 date-time with an offset, as 2026-11-21T09:30:00Z"
        : undefined,
    { format: "date-time" }
  )
).annotate({
  description: "ISO 8601 date-time with an offset; exclusive",
  examples: ["2026-11-21T09:30:00Z"]
})

/** Of the ledger's 32-bit sequence numbers. */
export const ledgerIndexBounds = { minimum: 1, maximum: 2 ** 32 - 1 } as const

export const LedgerIndexBound = Schema.String.check(
  rule((text: string) =>
    /^[1-9]\d{0,9}$/.test(text) && Number(text) <= ledgerIndexBounds.maximum
      ? undefined
      : `must be an integer from ${ledgerIndexBounds.minimum} to ${ledgerIndexBounds.maximum}`
  )
).annotate({ description: "a ledger index; inclusive", examples: ["94084608"] })

export const pageDefaults = { limit: 20, maximum: 100 } as const

const Limit = Schema.String.check(
  rule((text: string) =>
    /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= pageDefaults.maximum
      ? undefined
      : `must be an integer from 1 to ${pageDefaults.maximum}`
  )
).annotate({ description: "items of a page at most", examples: ["50"] })

const CURSOR = "eyJrIjoiZjJhOCIsImEiOiIwMUo4In0"

/** Query parameters of every list. */
export const pageQuery = {
  limit: Schema.optionalKey(Limit),
  cursor: Schema.optionalKey(
    field(Schema.String, "next_cursor of the page before, with the same filters", CURSOR)
  )
}

export const pageOf = <S extends Schema.Constraint>(identifier: string, item: S) =>
  Schema.Struct({
    data: Schema.Array(item).annotate({ description: "the items, newest first" }),
    has_more: field(Schema.Boolean, "whether older items follow", true),
    next_cursor: field(Schema.NullOr(Schema.String), "the cursor of the next page; null on the last", CURSOR)
  }).annotate({ identifier, description: "A page of a list." })
