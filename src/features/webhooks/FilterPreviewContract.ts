/** Contract of `POST /v1/webhooks/:id/preview`: filters to try, and what they would have matched. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  bodyOptional,
  CommonErrors,
  count,
  EVENT_ID_EXAMPLE,
  field,
  KeyRequired,
  postErrors,
  scoped
} from "../../http/ContractParts.ts"
import { NotFound } from "../../http/Errors.ts"
import { Place } from "../../http/FeatureContract.ts"
import { bodyRules, RequestRules } from "../../http/RequestRules.ts"
import { webhookBounds } from "./Limits.ts"
import { previewRules } from "./WebhookBodyRules.ts"
import {
  AccountFilters,
  EventTypes,
  integer,
  PAYLOAD_FILTER_EXAMPLE,
  WebhookPayloadFilter
} from "./WebhookFieldsContract.ts"
import { WebhookId } from "./WebhooksContract.ts"

const PreviewRequest = Schema.Struct({
  event_types: Schema.optionalKey(EventTypes),
  account_filters: Schema.optionalKey(AccountFilters),
  payload_filter: Schema.optionalKey(WebhookPayloadFilter),
  events: Schema.optionalKey(
    field(
      integer(1, webhookBounds.previewEvents),
      `How many of the network's newest events to examine. Default ${webhookBounds.defaultPreviewEvents}.`,
      webhookBounds.defaultPreviewEvents
    )
  )
}).annotate({
  identifier: "PreviewRequest",
  description: "Filters to try. A field that is left out is taken from the webhook.",
  examples: [{ event_types: ["payment.*"], payload_filter: PAYLOAD_FILTER_EXAMPLE, events: 5_000 }]
})

const PreviewResult = Schema.Struct({
  examined: count(
    "How many of the newest events of the webhook's network were examined, of every type.",
    5_000
  ),
  candidates: count(
    "How many of them have a wanted type and involve a wanted account, whatever the payload.",
    1_180
  ),
  matched: count(
    "How many of these have a payload that the filter matches. They would have been delivered.",
    37
  ),
  by_type: field(
    Schema.Record(Schema.String, Schema.Int),
    "The matches of each type. A type without matches is left out.",
    {
      "payment.xrp": 37
    }
  ),
  oldest_at: field(
    Schema.NullOr(Schema.String),
    "When the ledger of the oldest examined event closed; null if no event was examined.",
    "2026-11-21T09:28:10Z"
  ),
  newest_at: field(
    Schema.NullOr(Schema.String),
    "When the ledger of the newest examined event closed; null if no event was examined.",
    "2026-11-21T09:30:00Z"
  ),
  sample_event_ids: field(
    Schema.Array(Schema.String),
    `The newest matches, at most ${webhookBounds.previewSamples}. \`GET /v1/events/:event_id\` shows an event.`,
    [EVENT_ID_EXAMPLE]
  )
}).annotate({ identifier: "FilterPreview", description: "What the filters would have matched." })

export class FilterPreviews extends HttpApiGroup.make("filterPreviews")
  .add(
    HttpApiEndpoint.post("preview", "/:id/preview", {
      params: { id: WebhookId },
      payload: bodyOptional(PreviewRequest),
      success: PreviewResult,
      error: [NotFound, ...postErrors]
    })
      .annotate(RequestRules, bodyRules(previewRules))
      .annotateMerge(
        scoped("webhooks:read", {
          identifier: "previewWebhook",
          summary: "Preview filters",
          description:
            "Counts what filters would have matched among the newest events of the webhook's network. It changes nothing and sends nothing."
        })
      )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(OpenApi.Title, "webhooks")
  .annotate(Place, 14)
  .prefix("/v1/webhooks") {}
