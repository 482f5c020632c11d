/** Contract of `/v1/api-keys`: making, listing and revoking keys. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { apiKeyBounds, scopes } from "../../domain/ApiKey.ts"
import { keyEnvironments } from "../../domain/Network.ts"
import { KeyLimitReached, NotFound } from "../Errors.ts"
import {
  bodyErrors,
  CommonErrors,
  field,
  idOf,
  KeyRequired,
  pageOf,
  pageQuery,
  postErrors,
  rule,
  scoped,
  TimeBound,
  Timestamp
} from "./Common.ts"

const Scope = Schema.Literals(scopes)
const Environment = Schema.Literals(keyEnvironments)

const Name = Schema.String.check(
  rule(
    (name: string) => {
      // Characters, as people count them: not UTF-16 units. PostgreSQL keeps no NUL.
      const { length } = [...name]
      return length >= 1 && length <= apiKeyBounds.apiKeyNameLength && !name.includes("\0")
        ? undefined
        : `must have 1 to ${apiKeyBounds.apiKeyNameLength} characters`
    },
    { minLength: 1, maxLength: apiKeyBounds.apiKeyNameLength }
  )
).annotate({ description: "to tell it from others by", examples: ["backend"] })

const NewApiKey = Schema.Struct({
  name: Name,
  scopes: Schema.Array(Scope)
    .check(
      rule((given) => (given.length === 0 ? "must hold at least one scope" : undefined), { minItems: 1 })
    )
    .annotate({
      description: "what it may do: no more than the calling key",
      examples: [["webhooks:write", "deliveries:read"]]
    }),
  environment: Schema.optionalKey(
    field(Environment, "by default that of the calling key; a test key makes test keys only", "live")
  ),
  expires_at: Schema.optionalKey(
    field(
      Schema.NullOr(TimeBound),
      "ISO 8601 date-time with an offset, in the future; absent or null: never",
      "2027-11-21T00:00:00Z"
    )
  )
}).annotate({ identifier: "NewApiKey", description: "A key to make." })

const record = {
  id: field(Schema.String, "the key's id, not its value", "key_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
  name: field(Schema.String, "as it was given", "backend"),
  scopes: field(Schema.Array(Scope), "what it may do", ["webhooks:write", "deliveries:read"]),
  environment: field(Environment, "live: mainnet; test: testnet and devnet", "live"),
  created_at: Timestamp,
  expires_at: field(Schema.NullOr(Timestamp), "null: never", "2027-11-21T00:00:00.000Z"),
  last_used_at: field(Schema.NullOr(Timestamp), "exact to a minute; null: never", null),
  revoked_at: field(Schema.NullOr(Timestamp), "null while it is not revoked", null)
}

export const ApiKey = Schema.Struct({
  ...record,
  key_hint: field(
    Schema.String,
    "to recognise it by: its beginning and its last four characters",
    "svc_live_…x7Qb"
  )
}).annotate({ identifier: "ApiKey", description: "A key without its value." })
export type ApiKey = typeof ApiKey.Type

const CreatedApiKey = Schema.Struct({
  ...record,
  key: field(
    Schema.String,
    "the value of X-Service-Key; shown here only",
    "svc_live_I7301N4KatzDEshDMpEZ8BxT6TAoeAPj5Zy738Dx7Qb"
  )
}).annotate({ identifier: "CreatedApiKey", description: "The new key with its value." })

export class ApiKeys extends HttpApiGroup.make("api-keys")
  .add(
    HttpApiEndpoint.post("create", "/", {
      payload: NewApiKey,
      success: CreatedApiKey.pipe(HttpApiSchema.status(201)),
      error: [KeyLimitReached, ...postErrors]
    }).annotateMerge(
      scoped("api_keys:write", {
        identifier: "createApiKey",
        summary: "Make a key",
        description:
          "It can do no more than the key it is made with. The plan limits how many keys work at the same time (`GET /v1/account`)."
      })
    ),
    HttpApiEndpoint.get("list", "/", {
      query: pageQuery,
      success: pageOf("ApiKeyPage", ApiKey)
    }).annotateMerge(
      scoped("api_keys:read", {
        identifier: "listApiKeys",
        summary: "List keys",
        description: "Newest first, revoked and expired ones included; a test key sees test keys."
      })
    ),
    HttpApiEndpoint.delete("revoke", "/:id", {
      params: { id: idOf("key_") },
      success: HttpApiSchema.NoContent,
      error: [NotFound, ...bodyErrors]
    }).annotateMerge(
      scoped("api_keys:write", {
        identifier: "revokeApiKey",
        summary: "Revoke a key",
        description:
          "In effect at once, and for good. A key revokes only keys whose scopes it has; itself, always."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(OpenApi.Description, "The account's keys.")
  .prefix("/v1/api-keys") {}
