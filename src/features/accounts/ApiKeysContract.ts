/** Contract of `/v1/api-keys`: create, list and revoke keys. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  bodyErrors,
  CommonErrors,
  field,
  idOf,
  KeyRequired,
  pageOf,
  pageQuery,
  postErrors,
  queryFlag,
  rule,
  scoped,
  TimeBound,
  Timestamp
} from "../../http/ContractParts.ts"
import { KeyLimitReached, NotFound } from "../../http/Errors.ts"
import { Place, QueryTypes } from "../../http/FeatureContract.ts"
import { bodyRules, RequestRules } from "../../http/RequestRules.ts"
import { scopes } from "../../spine/domain/ApiKey.ts"
import { keyEnvironments } from "../../spine/event/Network.ts"
import { newKeyRules } from "./ApiKeyRules.ts"
import { accountBounds } from "./Limits.ts"

const Scope = Schema.Literals(scopes)
const Environment = Schema.Literals(keyEnvironments)

const Name = Schema.String.check(
  rule(
    (name: string) => {
      // Characters, as people count them: not UTF-16 units.
      const { length } = [...name]
      return length >= 1 && length <= accountBounds.nameLength
        ? undefined
        : `must have 1 to ${accountBounds.nameLength} characters`
    },
    { minLength: 1, maxLength: accountBounds.nameLength }
  )
).annotate({ description: "A name that tells the key from others.", examples: ["backend"] })

const NewApiKey = Schema.Struct({
  name: Name,
  scopes: Schema.Array(Scope)
    .check(
      rule((given) => (given.length === 0 ? "must contain at least one scope" : undefined), { minItems: 1 })
    )
    .annotate({
      description: "What the key may do. A key cannot grant a scope that it does not have itself.",
      examples: [["webhooks:write", "deliveries:read"]]
    }),
  environment: Schema.optionalKey(
    field(
      Environment,
      "Which networks the key sees: live means mainnet, test means testnet and devnet. Default: the environment of the calling key. A test key can create test keys only.",
      "test"
    )
  ),
  expires_at: Schema.optionalKey(
    field(
      Schema.NullOr(TimeBound),
      "When the key expires: an ISO 8601 date-time with an offset, in the future. Absent or null: it never expires.",
      "2027-11-21T00:00:00Z"
    )
  )
}).annotate({ identifier: "NewApiKey", description: "The key to create." })

const record = {
  id: field(
    Schema.String,
    "The key's id. It is not the value that goes into X-Service-Key.",
    "key_01J8ZQ4T7M3VXN5K2D9RFBHCAE"
  ),
  name: field(Schema.String, "The key's name.", "backend"),
  scopes: field(Schema.Array(Scope), "What the key may do.", ["webhooks:write", "deliveries:read"]),
  environment: field(Environment, "live: the key sees mainnet. test: it sees testnet and devnet.", "live"),
  created_at: Timestamp,
  expires_at: field(
    Schema.NullOr(Timestamp),
    "When the key expires; null if it never does.",
    "2027-11-21T00:00:00.000Z"
  ),
  last_used_at: field(
    Schema.NullOr(Timestamp),
    "When the key was last used, to the minute; null if it never was.",
    null
  ),
  revoked_at: field(Schema.NullOr(Timestamp), "When the key was revoked; null if it was not.", null)
}

export const ApiKey = Schema.Struct({
  ...record,
  key_hint: field(
    Schema.String,
    "The first and the last four characters of the key's value, to recognise it.",
    "svc_live_…x7Qb"
  )
}).annotate({ identifier: "ApiKey", description: "An API key, without its value." })
export type ApiKey = typeof ApiKey.Type

const CreatedApiKey = Schema.Struct({
  ...record,
  key: field(
    Schema.String,
    "The value for the header X-Service-Key, or for Authorization: Bearer. It is shown only in this response: store it.",
    "svc_live_I7301N4KatzDEshDMpEZ8BxT6TAoeAPj5Zy738Dx7Qb"
  )
}).annotate({ identifier: "CreatedApiKey", description: "The new key with its value." })

export class ApiKeys extends HttpApiGroup.make("api-keys")
  .add(
    HttpApiEndpoint.post("create", "/", {
      payload: NewApiKey,
      success: CreatedApiKey.pipe(HttpApiSchema.status(201)),
      error: [KeyLimitReached, ...postErrors]
    })
      .annotateMerge(
        scoped("api_keys:write", {
          identifier: "createApiKey",
          summary: "Create an API key",
          description:
            "The new key cannot have a scope that the calling key lacks. The plan limits the number of valid keys (`GET /v1/account`)."
        })
      )
      .annotate(RequestRules, bodyRules<typeof NewApiKey.Type>(newKeyRules)),
    HttpApiEndpoint.get("list", "/", {
      query: pageQuery,
      success: pageOf("ApiKeyPage", ApiKey)
    }).annotateMerge(
      scoped("api_keys:read", {
        identifier: "listApiKeys",
        summary: "List API keys",
        description: "Newest first, revoked and expired keys included. A test key sees test keys only."
      })
    ),
    HttpApiEndpoint.delete("revoke", "/:id", {
      params: { id: idOf("key_") },
      query: {
        self: Schema.optionalKey(
          field(Schema.Literals(["true", "false"]), "Whether the key of this request may be revoked.", "true")
        )
      },
      success: HttpApiSchema.NoContent,
      error: [NotFound, ...bodyErrors]
    }).annotateMerge(
      scoped("api_keys:write", {
        identifier: "revokeApiKey",
        summary: "Revoke an API key",
        description:
          "Revokes the key permanently. Every request that arrives after the response is refused with 401, by every process. A key can revoke keys whose scopes it has itself. To revoke the key of the request, add self=true."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(Place, 130)
  .annotate(QueryTypes, { self: queryFlag })
  .annotate(OpenApi.Description, "The account's API keys.")
  .prefix("/v1/api-keys") {}
