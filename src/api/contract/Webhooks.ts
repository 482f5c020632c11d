/** Contract of `/v1/webhooks`: what may be registered, and the record that is shown. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { networks } from "../../domain/Network.ts"
import { addressProblem, headersProblem, isEventPattern, webhookBounds } from "../../domain/WebhookRules.ts"
import { NotFound } from "../Errors.ts"
import {
  bodyErrors,
  CommonErrors,
  idOf,
  KeyRequired,
  pageOf,
  pageQuery,
  RequiredScope,
  rule,
  Timestamp
} from "./Common.ts"

export const WebhookId = idOf("wh_")
const Status = Schema.Literals(["active", "disabled"])
const Network = Schema.Literals(networks)

const Url = Schema.String.annotate({
  description: `https, no user info, at most ${webhookBounds.urlLength} characters`
})

const Description = Schema.NullOr(
  Schema.String.check(
    rule((text: string) =>
      // Characters, as people count them: not UTF-16 units. PostgreSQL keeps no NUL.
      [...text].length > webhookBounds.descriptionLength || text.includes("\0")
        ? `must have at most ${webhookBounds.descriptionLength} characters`
        : undefined
    )
  )
)

const EventTypes = Schema.Array(
  Schema.String.check(
    rule((pattern: string) =>
      isEventPattern(pattern)
        ? undefined
        : "must be one of the 23 event types (as payment.xrp), a family (as nft.*), or *"
    )
  )
).check(rule((patterns) => (patterns.length === 0 ? "must hold at least one event type" : undefined)))

const AccountFilters = Schema.Array(Schema.String.check(rule(addressProblem)))
  .check(
    rule((filters) =>
      filters.length > webhookBounds.accountFilters
        ? `must hold at most ${webhookBounds.accountFilters} addresses`
        : undefined
    )
  )
  .annotate({ description: "classic addresses; empty: every account" })

const Secret = Schema.String.check(
  rule((secret: string) => {
    const { minimum, maximum } = webhookBounds.secretLength
    return secret.length >= minimum && secret.length <= maximum && /^[!-~]*$/.test(secret)
      ? undefined
      : `must have ${minimum} to ${maximum} visible ASCII characters`
  })
)

const Headers = Schema.Record(Schema.String, Schema.String).check(rule(headersProblem))

const integer = (maximum: number) =>
  Schema.Int.check(
    rule((value: number) =>
      value >= 1 && value <= maximum ? undefined : `must be an integer from 1 to ${maximum}`
    )
  )

/** What may be given at creation and changed later. */
const changeable = {
  description: Schema.optionalKey(Description),
  account_filters: Schema.optionalKey(AccountFilters),
  headers: Schema.optionalKey(Headers),
  max_in_flight: Schema.optionalKey(integer(webhookBounds.maxInFlight)),
  max_per_second: Schema.optionalKey(Schema.NullOr(integer(webhookBounds.maxPerSecond)))
}

const NewWebhook = Schema.Struct({
  url: Url,
  event_types: EventTypes,
  network: Schema.optionalKey(Network),
  secret: Schema.optionalKey(Secret),
  ...changeable
}).annotate({ identifier: "NewWebhook" })

const WebhookChange = Schema.Struct({
  url: Schema.optionalKey(Url),
  event_types: Schema.optionalKey(EventTypes),
  status: Schema.optionalKey(Status),
  ...changeable
}).annotate({ identifier: "WebhookChange" })

const record = {
  id: Schema.String,
  url: Schema.String,
  description: Schema.NullOr(Schema.String),
  event_types: Schema.Array(Schema.String),
  account_filters: Schema.Array(Schema.String),
  network: Network,
  status: Status,
  consecutive_failures: Schema.Int,
  max_in_flight: Schema.Int,
  max_per_second: Schema.NullOr(Schema.Int),
  headers: Schema.Record(Schema.String, Schema.String),
  created_at: Timestamp,
  updated_at: Timestamp,
  disabled_at: Schema.NullOr(Timestamp),
  disabled_reason: Schema.NullOr(Schema.String)
}

export const Webhook = Schema.Struct(record).annotate({ identifier: "Webhook" })
export type Webhook = typeof Webhook.Type

const CreatedWebhook = Schema.Struct({
  ...record,
  secret: Schema.String.annotate({ description: "shown here and at rotation only" })
}).annotate({ identifier: "CreatedWebhook" })

const params = { id: WebhookId }

export class Webhooks extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("create", "/", {
      payload: NewWebhook,
      success: CreatedWebhook.pipe(HttpApiSchema.status(201)),
      error: bodyErrors
    }).annotate(RequiredScope, "webhooks:write"),
    HttpApiEndpoint.get("list", "/", {
      query: { status: Schema.optionalKey(Status), ...pageQuery },
      success: pageOf(Webhook)
    }).annotate(RequiredScope, "webhooks:read"),
    HttpApiEndpoint.get("get", "/:id", { params, success: Webhook, error: NotFound }).annotate(
      RequiredScope,
      "webhooks:read"
    ),
    HttpApiEndpoint.patch("change", "/:id", {
      params,
      payload: WebhookChange,
      success: Webhook,
      error: [NotFound, ...bodyErrors]
    }).annotate(RequiredScope, "webhooks:write"),
    HttpApiEndpoint.delete("remove", "/:id", {
      params,
      success: HttpApiSchema.NoContent,
      error: NotFound
    }).annotate(RequiredScope, "webhooks:write")
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .prefix("/v1/webhooks") {}
