/** Contract of `/v1/account`: what the calling key's account is, what its plan allows, and what it has used. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { plans } from "../../domain/Plans.ts"
import { CommonErrors, field, KeyRequired, keyed } from "./Common.ts"

const Deliveries = field(
  Schema.NullOr(Schema.Int),
  "delivery attempts a UTC calendar month; null: no quota",
  250_000
)

const AccountRecord = Schema.Struct({
  id: field(Schema.String, "the account's id", "acct_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
  name: field(Schema.String, "the account's name", "Example Ltd"),
  email: field(Schema.NullOr(Schema.String), "where mails go; null: nowhere", "ops@example.com"),
  plan: field(Schema.Literals(plans), "decides the limits", "builder"),
  limits: Schema.Struct({
    requests_per_minute: field(Schema.Int, "of each key", 300),
    requests_per_day: field(Schema.Int, "of each key", 10_000),
    monthly_deliveries: Deliveries,
    concurrent_replays: field(Schema.Int, "replays at once", 2),
    webhooks: field(Schema.Int, "webhooks, active or disabled", 50),
    account_filters: field(Schema.Int, "addresses in the filters of all webhooks", 50_000),
    api_keys: field(Schema.Int, "API keys that are neither revoked nor expired", 20)
  }).annotate({ description: "the plan's, with what the account has of its own" }),
  usage: Schema.Struct({
    month: field(Schema.String, "this UTC calendar month", "2026-11"),
    deliveries: field(Schema.Int, "delivery attempts of this month that count", 120_500),
    quota: Deliveries
  }).annotate({ description: "what is used of the month's quota" })
}).annotate({ identifier: "Account", description: "An account, its limits and its use." })

export class Account extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("get", "/", { success: AccountRecord }).annotateMerge(
      keyed({
        identifier: "getAccount",
        summary: "Show the account",
        description: "Of the calling key; any valid key may ask."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(OpenApi.Description, "The calling key's account.")
  .prefix("/v1/account") {}
