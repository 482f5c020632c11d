/** Contract of `/v1/webhooks`: what may be registered, and the record that is shown. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { eventTypes } from "../../domain/EventType.ts"
import { HIDDEN_VALUE, webhookBounds } from "../../domain/WebhookRules.ts"
import { NotFound, WebhookDisabled, WebhookLimitReached } from "../Errors.ts"
import {
  bodyErrors,
  bodyOptional,
  CommonErrors,
  field,
  idOf,
  KeyRequired,
  pageOf,
  pageQuery,
  postErrors,
  scoped,
  Timestamp
} from "./Common.ts"
import {
  AccountFilters,
  Description,
  EventTypes,
  Headers,
  integer,
  MaxInFlight,
  MaxPerSecond,
  Network,
  SECRET_EXAMPLE,
  Secret,
  Status,
  Url
} from "./WebhookFields.ts"

export const WebhookId = idOf("wh_")
/** What may be given at creation and changed later. */
const changeable = {
  description: Schema.optionalKey(Description),
  account_filters: Schema.optionalKey(AccountFilters),
  headers: Schema.optionalKey(Headers),
  max_in_flight: Schema.optionalKey(MaxInFlight),
  max_per_second: Schema.optionalKey(MaxPerSecond)
}

const NewWebhook = Schema.Struct({
  url: Url,
  event_types: EventTypes,
  network: Schema.optionalKey(Network),
  secret: Schema.optionalKey(Secret),
  ...changeable
}).annotate({
  identifier: "NewWebhook",
  description: "A webhook to register.",
  examples: [
    {
      url: "https://example.com/hooks/xrpl",
      event_types: ["payment.xrp", "nft.*"],
      account_filters: ["rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"],
      description: "Payments to the shop"
    }
  ]
})

const WebhookChange = Schema.Struct({
  url: Schema.optionalKey(Url),
  event_types: Schema.optionalKey(EventTypes),
  status: Schema.optionalKey(Status),
  ...changeable
}).annotate({
  identifier: "WebhookChange",
  description: "What is to change; what is left out stays.",
  examples: [{ status: "active" }]
})

const record = {
  id: field(Schema.String, "the webhook's id", "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
  url: field(Schema.String, "where deliveries go", "https://example.com/hooks/xrpl"),
  description: field(Schema.NullOr(Schema.String), "in the customer's words", "Payments to the shop"),
  event_types: field(Schema.Array(Schema.String), "as they were given", ["payment.xrp", "nft.*"]),
  account_filters: field(
    Schema.Array(Schema.String),
    `classic addresses; empty: every account. A list shows the first ${webhookBounds.listedAccountFilters} of each webhook`,
    ["rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"]
  ),
  account_filters_count: field(Schema.Int, "how many there are in all", 1),
  network: Network,
  status: Status,
  consecutive_failures: field(Schema.Int, "failed deliveries since the last one that was delivered", 0),
  max_in_flight: field(Schema.Int, "attempts at once at most", webhookBounds.defaultInFlight),
  max_per_second: field(Schema.NullOr(Schema.Int), "attempts a second at most; null: no limit", 50),
  headers: field(
    Schema.Record(Schema.String, Schema.String),
    `the names of the headers sent with every delivery; their values are not shown again, but as ${HIDDEN_VALUE}`,
    { "X-Tenant": HIDDEN_VALUE }
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  disabled_at: field(Schema.NullOr(Timestamp), "null while it is active", null),
  disabled_reason: field(Schema.NullOr(Schema.String), "null while it is active", null)
}

export const Webhook = Schema.Struct(record).annotate({
  identifier: "Webhook",
  description: "A registered endpoint, without its secret."
})
export type Webhook = typeof Webhook.Type

const CreatedWebhook = Schema.Struct({
  ...record,
  secret: field(Schema.String, "signs deliveries; shown here and at rotation only", SECRET_EXAMPLE)
}).annotate({ identifier: "CreatedWebhook", description: "The new webhook with its secret." })

const Rotation = Schema.Struct({
  grace_seconds: Schema.optionalKey(
    field(
      integer(0, webhookBounds.graceSeconds),
      "for how long the secret until now signs too, as the second signature of X-Service-Signature; by default 0",
      3_600
    )
  )
}).annotate({
  identifier: "SecretRotation",
  description: "How to rotate. A secret that was in the grace of an earlier rotation ends at once."
})

const RotatedSecret = Schema.Struct({
  id: field(Schema.String, "the webhook's id", "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
  secret: field(Schema.String, "the new secret, shown this once", SECRET_EXAMPLE),
  rotated_at: Timestamp
}).annotate({ identifier: "RotatedSecret", description: "The new secret." })

const TestEvent = Schema.Struct({
  event_type: field(Schema.Literals(eventTypes), "of the event to make up", "payment.xrp")
}).annotate({
  identifier: "TestEvent",
  description:
    "An event of that type is made up and delivered whatever the webhook's filters, free of charge. Its envelope says testnet."
})

const QueuedTest = Schema.Struct({
  delivery_id: field(Schema.String, "under which it is in the deliveries", "dlv_01J8ZQ4T7M3VXN5K2D9RFBHCAE")
}).annotate({ identifier: "QueuedTest", description: "The test is queued." })

const params = { id: WebhookId }

export class Webhooks extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("create", "/", {
      payload: NewWebhook,
      success: CreatedWebhook.pipe(HttpApiSchema.status(201)),
      error: [WebhookLimitReached, ...postErrors]
    }).annotateMerge(
      scoped("webhooks:write", {
        identifier: "createWebhook",
        summary: "Register a webhook",
        description:
          "It holds from the next ledger that is routed after the answer, which shows its secret, once. The plan limits webhooks, and account filters in all (`GET /v1/account`)."
      })
    ),
    HttpApiEndpoint.get("list", "/", {
      query: { status: Schema.optionalKey(Status), ...pageQuery },
      success: pageOf("WebhookPage", Webhook)
    }).annotateMerge(
      scoped("webhooks:read", {
        identifier: "listWebhooks",
        summary: "List webhooks",
        description: `Those of the key's environment, newest first, with at most ${webhookBounds.listedAccountFilters} account filters each.`
      })
    ),
    HttpApiEndpoint.get("get", "/:id", { params, success: Webhook, error: NotFound }).annotateMerge(
      scoped("webhooks:read", {
        identifier: "getWebhook",
        summary: "Show a webhook",
        description:
          "With all its account filters; without its secret and its headers' values, which are not shown again."
      })
    ),
    HttpApiEndpoint.patch("change", "/:id", {
      params,
      payload: WebhookChange,
      success: Webhook,
      error: [NotFound, WebhookLimitReached, ...bodyErrors]
    }).annotateMerge(
      scoped("webhooks:write", {
        identifier: "changeWebhook",
        summary: "Change a webhook",
        description:
          "Status active enables a disabled webhook again. A new url, headers and limits hold for waiting retries too. Each field replaces what was there, headers all of them: name every header with its value."
      })
    ),
    HttpApiEndpoint.delete("remove", "/:id", {
      params,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ...bodyErrors]
    }).annotateMerge(
      scoped("webhooks:write", {
        identifier: "deleteWebhook",
        summary: "Delete a webhook",
        description:
          "Its deliveries stay readable; queued attempts are dropped and marked failed, the newest at once, those of a long queue within minutes."
      })
    ),
    HttpApiEndpoint.post("rotateSecret", "/:id/rotate-secret", {
      params,
      payload: bodyOptional(Rotation),
      success: RotatedSecret,
      error: [NotFound, ...postErrors]
    }).annotateMerge(
      scoped("webhooks:write", {
        identifier: "rotateWebhookSecret",
        summary: "Rotate a webhook's secret",
        description: "Every attempt sent after the answer, retries included, is signed with the new secret."
      })
    ),
    HttpApiEndpoint.post("test", "/:id/test", {
      params,
      payload: TestEvent,
      success: QueuedTest.pipe(HttpApiSchema.status(202)),
      error: [NotFound, WebhookDisabled, ...postErrors]
    }).annotateMerge(
      scoped("webhooks:write", {
        identifier: "testWebhook",
        summary: "Send a test event",
        description:
          "An event of that type is made up and sent through the same path as real ones, free of charge."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(OpenApi.Description, "The customer's endpoints, and what is sent to them.")
  .prefix("/v1/webhooks") {}
