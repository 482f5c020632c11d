/** What the groups of the contract share: the key, the failures any endpoint may answer with, ids, times and pages. */
import { Context, Schema } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Identity, Scope } from "../../domain/ApiKey.ts"
import { type IdPrefix, isId } from "../../domain/Ids.ts"
import { parseIsoTime } from "../../domain/IsoTime.ts"
import {
  InternalError,
  PayloadTooLarge,
  Unauthorized,
  Unavailable,
  UnsupportedMediaType,
  ValidationError
} from "../Errors.ts"

/** Who is calling; known in every handler of a group with `KeyRequired`. */
export class Caller extends Context.Service<Caller, Identity>()("ledgerhook/api/Caller") {}

export const KEY_HEADER = "x-service-key"

/** The key itself is checked at the gate, before the path is looked at; this documents it. */
export class KeyRequired extends HttpApiMiddleware.Service<KeyRequired>()("ledgerhook/api/KeyRequired", {
  security: { apiKey: HttpApiSecurity.apiKey({ key: "X-Service-Key", in: "header" }) },
  error: Unauthorized
}) {}

/**
 * Annotation of an endpoint: the scope its caller needs; `admin` has every scope. Without it any valid key will do.
 * The gate checks it, and the OpenAPI document tells it.
 */
export class RequiredScope extends Context.Service<RequiredScope, Scope>()("ledgerhook/api/RequiredScope") {}

/** Failures that any endpoint may answer with. */
export class CommonErrors extends HttpApiMiddleware.Service<CommonErrors>()("ledgerhook/api/CommonErrors", {
  error: [ValidationError, InternalError, Unavailable]
}) {}

/** Failures of endpoints that take a body. */
export const bodyErrors = [PayloadTooLarge, UnsupportedMediaType] as const

/** A rule in words: undefined is fine, otherwise the end of a sentence that begins with the field's name. */
export const rule = <A>(problemOf: (value: A) => string | undefined) => Schema.makeFilter(problemOf)

export const idOf = (prefix: IdPrefix) =>
  Schema.String.check(
    rule((id) => (isId(prefix, id) ? undefined : `must be an id as ${prefix}01J8ZQ4T7M3VXN5K2D9RFBHCAE`))
  ).annotate({
    description: `${prefix} and 26 characters`,
    examples: [`${prefix}01J8ZQ4T7M3VXN5K2D9RFBHCAE`]
  })

/** A moment in a response. */
export const Timestamp = Schema.String.annotate({
  format: "date-time",
  description: "ISO 8601, UTC, milliseconds"
})

/** A moment in a request, as Unix milliseconds. */
export const TimeBound = Schema.String.check(
  rule((text: string) =>
    parseIsoTime(text) === undefined
      ? "must be an ISO 8601 date-time with an offset, as 2026-11-21T09:30:00Z"
      : undefined
  )
).annotate({ description: "ISO 8601 date-time with an offset; exclusive" })

export const pageDefaults = { limit: 20, maximum: 100 } as const

const Limit = Schema.String.check(
  rule((text: string) =>
    /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= pageDefaults.maximum
      ? undefined
      : `must be an integer from 1 to ${pageDefaults.maximum}`
  )
)

/** Query parameters of every list. */
export const pageQuery = {
  limit: Schema.optionalKey(Limit),
  cursor: Schema.optionalKey(
    Schema.String.annotate({ description: "next_cursor of the page before, with the same filters" })
  )
}

export const pageOf = <S extends Schema.Constraint>(item: S) =>
  Schema.Struct({
    data: Schema.Array(item),
    has_more: Schema.Boolean,
    next_cursor: Schema.NullOr(Schema.String)
  })
