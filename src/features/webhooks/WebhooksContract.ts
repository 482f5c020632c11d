/** Contract of `/v1/webhooks`: register, show, change and delete webhooks. */

import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  bodyErrors,
  bodyOptional,
  CommonErrors,
  count,
  field,
  idOf,
  KeyRequired,
  pageOf,
  pageQuery,
  postErrors,
  scoped,
  Timestamp
} from "../../http/ContractParts.ts"
import { NotFound, WebhookLimitReached } from "../../http/Errors.ts"
import { contractOf, Place } from "../../http/FeatureContract.ts"
import { bodyRules, RequestRules } from "../../http/RequestRules.ts"
import { healthStates } from "../../spine/domain/HealthState.ts"
import { HIDDEN_VALUE } from "../../spine/domain/RequestHeaders.ts"
import { statsPeriods } from "../../spine/domain/StatsPeriod.ts"
import { networks } from "../../spine/event/Network.ts"
import { WebhookCounts, WebhookStats } from "../statistics/WebhookStatsContract.ts"
import { webhookBounds } from "./Limits.ts"
import { newWebhookRules, webhookRules } from "./WebhookBodyRules.ts"
import {
  AccountFilters,
  Description,
  EventPattern,
  EventTypes,
  Headers,
  integer,
  ListedPattern,
  Network,
  PAYLOAD_FILTER_EXAMPLE,
  SECRET_EXAMPLE,
  Search,
  Secret,
  Status,
  settings,
  Url,
  WebhookPayloadFilter
} from "./WebhookFieldsContract.ts"
import { webhookOrders } from "./WebhookRules.ts"

export const WebhookId = idOf("wh_")
/** Optional fields, both when a webhook is registered and when it is changed. */
const changeable = {
  description: Schema.optionalKey(Description),
  account_filters: Schema.optionalKey(AccountFilters),
  payload_filter: Schema.optionalKey(WebhookPayloadFilter),
  headers: Schema.optionalKey(Headers),
  ...Struct.map(settings, Schema.optionalKey)
}

const NewWebhook = Schema.Struct({
  url: Url,
  event_types: EventTypes,
  network: Schema.optionalKey(Network),
  secret: Schema.optionalKey(Secret),
  ...changeable
}).annotate({
  identifier: "NewWebhook",
  description: "The webhook to register.",
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
  description: "The fields to change. Fields that are left out stay as they are.",
  examples: [{ status: "active" }]
})

const State = Schema.Literals(healthStates)

const Health = Schema.Struct({
  state: field(
    State,
    "The first that is true: disabled; paused; new (no event was sent to it yet); failing (nothing was answered with 2xx since the first of at least 5 failed requests in a row, or of failed requests over at least a minute); waiting (a delivery waits for a retry, a rate or its place); healthy.",
    "failing"
  ),
  since: field(Timestamp, "Since when the state holds."),
  last_error: field(
    Schema.NullOr(Schema.String),
    "Why the newest request failed; null if it was answered.",
    "connection refused"
  ),
  next_attempt_at: field(
    Schema.NullOr(Timestamp),
    "When the next retry is due; null if none waits.",
    "2026-11-21T09:30:30.000Z"
  ),
  attempts_failed_in_a_row: count("Failed requests since the newest answer. A batch counts once.", 7),
  sentence: field(
    Schema.String,
    "The same in words.",
    "Failing since 2026-11-21 09:29:00 UTC: connection refused. 7 attempts of 3 deliveries failed, 3 deliveries wait."
  )
}).annotate({
  identifier: "WebhookHealth",
  description:
    "Whether the endpoint answers. It follows from every attempt, not from deliveries that ended. Test events count nowhere."
})

const record = {
  id: field(Schema.String, "The webhook's id.", "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
  url: field(Schema.String, "The endpoint that receives the deliveries.", "https://example.com/hooks/xrpl"),
  description: field(Schema.NullOr(Schema.String), "Your note about the webhook.", "Payments to the shop"),
  event_types: field(
    Schema.Array(ListedPattern),
    "The event types, families or * that the webhook was registered with.",
    ["payment.xrp", "nft.*"]
  ),
  account_filters: field(
    Schema.Array(Schema.String),
    `Only events that involve one of these classic addresses are delivered; empty: events of every address. In a list of webhooks, only the first ${webhookBounds.listedAccountFilters} are shown.`,
    ["rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"]
  ),
  account_filters_count: field(Schema.Int, "The number of account filters.", 1),
  payload_filter: field(
    Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
    "The payload filter as it was given; null for every payload.",
    PAYLOAD_FILTER_EXAMPLE
  ),
  network: Network,
  status: Status,
  health: Health,
  consecutive_failures: field(
    Schema.Int,
    "Failed deliveries in a row. When the number reaches the service's limit, the webhook is disabled.",
    0
  ),
  ...settings,
  max_in_flight: field(
    Schema.Int,
    "The most attempts that may be under way at the same time.",
    webhookBounds.defaultInFlight
  ),
  max_per_second: field(
    Schema.NullOr(Schema.Int),
    "The most attempts that may start in a second; null for no limit.",
    50
  ),
  headers: field(
    Schema.Record(Schema.String, Schema.String),
    `HTTP headers added to every delivery. Their values are shown as ${HIDDEN_VALUE}.`,
    { "X-Tenant": HIDDEN_VALUE }
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  disabled_at: field(Schema.NullOr(Timestamp), "When the webhook was disabled; null if it is active.", null),
  disabled_reason: field(
    Schema.NullOr(Schema.String),
    "Why the webhook was disabled; null if it is active.",
    null
  )
}

export const Webhook = Schema.Struct(record).annotate({
  identifier: "Webhook",
  description: "A webhook, without its secret."
})
export type Webhook = typeof Webhook.Type

const ListedWebhook = Schema.Struct({
  ...record,
  stats: Schema.optionalKey(
    field(
      WebhookStats,
      "The webhook's deliveries that were created in the period. Present only if the request asks for stats."
    )
  )
}).annotate({ identifier: "ListedWebhook", description: "A webhook in a list, without its secret." })
export type ListedWebhook = typeof ListedWebhook.Type

const CreatedWebhook = Schema.Struct({
  ...record,
  secret: field(
    Schema.String,
    "The secret that deliveries are signed with. It is shown only in this response: store it.",
    SECRET_EXAMPLE
  )
}).annotate({ identifier: "CreatedWebhook", description: "The new webhook with its secret." })

const Rotation = Schema.Struct({
  grace_seconds: Schema.optionalKey(
    field(
      integer(0, webhookBounds.graceSeconds),
      "For how many seconds deliveries are also signed with the old secret, as a second signature in X-Service-Signature or webhook-signature. Default: 0.",
      3_600
    )
  )
}).annotate({
  identifier: "SecretRotation",
  description:
    "How long the old secret stays valid. A secret from before an earlier rotation stops signing at once."
})

const RotatedSecret = Schema.Struct({
  id: field(Schema.String, "The webhook's id.", "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
  secret: field(
    Schema.String,
    "The new secret. It is shown only in this response: store it.",
    SECRET_EXAMPLE
  ),
  rotated_at: Timestamp
}).annotate({ identifier: "RotatedSecret", description: "The new secret." })

const params = { id: WebhookId }

export class Webhooks extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("create", "/", {
      payload: NewWebhook,
      success: CreatedWebhook.pipe(HttpApiSchema.status(201)),
      error: [WebhookLimitReached, ...postErrors]
    })
      .annotateMerge(
        scoped("webhooks:write", {
          identifier: "createWebhook",
          summary: "Register a webhook",
          description:
            "The response contains the webhook's secret, which is not shown again. Events that the service finds after the response are delivered. The plan limits the number of webhooks and of account filters in all webhooks together (`GET /v1/account`)."
        })
      )
      .annotate(RequestRules, bodyRules<typeof NewWebhook.Type>(newWebhookRules)),
    HttpApiEndpoint.get("list", "/", {
      query: {
        status: Schema.optionalKey(field(Status, "Only webhooks with this status.", "active")),
        health: Schema.optionalKey(field(State, "Only webhooks in this state of health.", "failing")),
        network: Schema.optionalKey(
          field(Schema.Literals(networks), "Only webhooks that watch this network.", "testnet")
        ),
        event_type: Schema.optionalKey(
          field(
            EventPattern,
            "Only webhooks that ask for events of this type (payment.xrp) or of this family (nft.*), those that ask for everything included.",
            "payment.xrp"
          )
        ),
        sort: Schema.optionalKey(
          field(
            Schema.Literals(webhookOrders),
            "created_at: newest first (default). health: failing ones first, then waiting, disabled, paused, new and healthy ones; newest first in each state. A webhook whose state changes between two pages may be missing or shown twice.",
            "health"
          )
        ),
        search: Schema.optionalKey(Search),
        stats: Schema.optionalKey(
          field(
            Schema.Literals(statsPeriods),
            "Adds to each webhook the counts of its deliveries of this period. Needs the scope deliveries:read too.",
            "24h"
          )
        ),
        ...pageQuery
      },
      success: pageOf("WebhookPage", ListedWebhook)
    }).annotateMerge(
      scoped("webhooks:read", {
        identifier: "listWebhooks",
        summary: "List webhooks",
        description: `Newest first, or by health: webhooks of mainnet with a live key, of testnet and devnet with a test key. Each is shown with at most ${webhookBounds.listedAccountFilters} account filters.`
      })
    ),
    HttpApiEndpoint.get("health", "/health", { success: WebhookCounts }).annotateMerge(
      scoped("webhooks:read", {
        identifier: "countWebhooks",
        summary: "Count webhooks by health",
        description:
          "How many webhooks of mainnet (with a live key) or of testnet and devnet (with a test key) are failing, waiting, disabled, paused, new and healthy."
      })
    ),
    HttpApiEndpoint.get("get", "/:id", { params, success: Webhook, error: NotFound }).annotateMerge(
      scoped("webhooks:read", {
        identifier: "getWebhook",
        summary: "Show a webhook",
        description:
          "The webhook with all its account filters. Its secret and the values of its headers are not shown."
      })
    ),
    HttpApiEndpoint.patch("change", "/:id", {
      params,
      payload: WebhookChange,
      success: Webhook,
      error: [NotFound, WebhookLimitReached, ...bodyErrors]
    })
      .annotateMerge(
        scoped("webhooks:write", {
          identifier: "changeWebhook",
          summary: "Change a webhook",
          description:
            "To enable a disabled webhook, set status to active. Each given field replaces the old value; for headers and account_filters this is the whole set, so give every header with its value. A new url, headers, limits, signing, format, compression and batch also apply to deliveries that wait for a retry."
        })
      )
      .annotate(RequestRules, bodyRules<typeof WebhookChange.Type>(webhookRules)),
    HttpApiEndpoint.delete("remove", "/:id", {
      params,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ...bodyErrors]
    }).annotateMerge(
      scoped("webhooks:write", {
        identifier: "deleteWebhook",
        summary: "Delete a webhook",
        description:
          "Deliveries that wait are not sent; they end failed within minutes. All deliveries of the webhook can still be read."
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
        description:
          "Generates a new secret. Every attempt that starts after the response, retries included, is signed with it. To change the secret without failed deliveries, set grace_seconds and let your receiver accept both signatures."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(Place, 10)
  .annotate(OpenApi.Description, "Endpoints that receive events, and which events they receive.")
  .prefix("/v1/webhooks") {}

export const webhooksApi = contractOf(Webhooks)
