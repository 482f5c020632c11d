/** Contract of `/v1/account`: the account of the calling key, its limits and its usage. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { CommonErrors, field, KeyRequired, keyed } from "../../http/ContractParts.ts"
import { Place } from "../../http/FeatureContract.ts"
import { scopes } from "../../spine/domain/ApiKey.ts"
import { plans } from "../../spine/domain/Plans.ts"
import { keyEnvironments } from "../../spine/event/Network.ts"

const Deliveries = field(
  Schema.NullOr(Schema.Int),
  "Delivery attempts allowed in a calendar month (UTC). Null: no quota.",
  250_000
)

const AccountRecord = Schema.Struct({
  id: field(Schema.String, "The account's id.", "acct_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
  name: field(Schema.String, "The account's name.", "Example Ltd"),
  email: field(
    Schema.NullOr(Schema.String),
    "The address for mails about the account; null if there is none.",
    "ops@example.com"
  ),
  plan: field(Schema.Literals(plans), "The plan, which sets the limits.", "builder"),
  limits: Schema.Struct({
    requests_per_minute: field(Schema.Int, "Requests that each key may make in a minute.", 300),
    requests_per_day: field(Schema.Int, "Requests that each key may make in a UTC day.", 10_000),
    account_requests_per_minute: field(
      Schema.Int,
      "Requests that all keys of the account together may make in a minute, revoked keys included: requests_per_minute times api_keys.",
      6_000
    ),
    account_requests_per_day: field(
      Schema.Int,
      "The same in a UTC day: requests_per_day times api_keys.",
      200_000
    ),
    monthly_deliveries: Deliveries,
    concurrent_replays: field(Schema.Int, "Replay jobs that may be queued or running at the same time.", 2),
    webhooks: field(Schema.Int, "Webhooks that may exist, active or disabled.", 50),
    account_filters: field(
      Schema.Int,
      "Addresses allowed in the account filters of all webhooks together.",
      50_000
    ),
    api_keys: field(Schema.Int, "API keys that may exist, revoked and expired ones not counted.", 20),
    new_api_keys_per_day: field(
      Schema.Int,
      "API keys that may be created within 24 hours, revoked and expired ones counted.",
      80
    )
  }).annotate({
    description:
      "The limits of the plan. An Enterprise account may have limits of its own, which replace the plan's."
  }),
  usage: Schema.Struct({
    month: field(Schema.String, "The current calendar month (UTC).", "2026-11"),
    deliveries: field(
      Schema.Int,
      "Delivery attempts of this month that count towards the quota: those on mainnet, test deliveries excluded.",
      120_500
    ),
    quota: Deliveries,
    days: field(
      Schema.Array(
        Schema.Struct({
          date: field(Schema.String, "The day (UTC).", "2026-11-21"),
          deliveries: field(Schema.Int, "Delivery attempts of this day that count towards the quota.", 5_740)
        })
      ),
      "The days of the month up to today, oldest first, those without deliveries included.",
      [{ date: "2026-11-01", deliveries: 5_740 }]
    )
  }).annotate({ description: "How much of this month's quota is used." }),
  key: Schema.Struct({
    id: field(Schema.String, "The key's id.", "key_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
    name: field(Schema.String, "The key's name.", "backend"),
    key_hint: field(
      Schema.String,
      "The first and the last four characters of the key's value, to recognise it.",
      "svc_live_…x7Qb"
    ),
    environment: field(
      Schema.Literals(keyEnvironments),
      "live: the key sees mainnet. test: it sees testnet and devnet.",
      "live"
    ),
    scopes: field(Schema.Array(Schema.Literals(scopes)), "What the key may do.", [
      "webhooks:read",
      "deliveries:read"
    ])
  }).annotate({ description: "The calling key." })
}).annotate({ identifier: "Account", description: "An account, its limits and its usage." })

export class Account extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("get", "/", { success: AccountRecord }).annotateMerge(
      keyed({
        identifier: "getAccount",
        summary: "Show the account",
        description: "Shows the account of the calling key. Any valid key may call this; no scope is needed."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(Place, 140)
  .annotate(OpenApi.Description, "The calling key's account.")
  .prefix("/v1/account") {}
