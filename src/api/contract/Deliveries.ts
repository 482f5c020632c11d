/** Contract of `/v1/deliveries`: the log of what was sent, and the manual retry. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { deliveryStatuses } from "../../domain/Delivery.ts"
import { statsPeriods } from "../../domain/StatsPeriod.ts"
import { DeliveryNotFailed, NotFound, QuotaExceeded, WebhookDisabled } from "../Errors.ts"
import {
  CommonErrors,
  count,
  EVENT_ID_EXAMPLE,
  field,
  idOf,
  KeyRequired,
  pageOf,
  pageQuery,
  postErrors,
  scoped,
  TimeBound,
  Timestamp
} from "./Common.ts"
import { EventPattern } from "./WebhookFields.ts"
import { WebhookId } from "./Webhooks.ts"

const DeliveryId = idOf("dlv_")
const Status = field(
  Schema.Literals(deliveryStatuses),
  "pending: before its first attempt; retrying: before another; delivered; failed: only by hand again",
  "delivered"
)

const item = {
  id: field(Schema.String, "X-Service-Delivery-Id of its attempts", "dlv_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
  webhook_id: field(Schema.String, "the webhook it goes to", "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
  event_id: field(Schema.String, "the event it brings", EVENT_ID_EXAMPLE),
  event_type: field(Schema.String, "of that event", "payment.xrp"),
  status: Status,
  attempts: field(Schema.Int, "attempts that came to an end", 1),
  last_error: field(
    Schema.NullOr(Schema.String),
    "short and stable, as HTTP 503; null after a success",
    null
  ),
  created_at: Timestamp,
  updated_at: Timestamp
}

export const Delivery = Schema.Struct(item).annotate({
  identifier: "Delivery",
  description: "The attempts to send one event to one webhook."
})
export type Delivery = typeof Delivery.Type

const response = {
  response_status: field(
    Schema.NullOr(Schema.Int),
    "HTTP status of the endpoint's answer; null where there was none",
    200
  ),
  response_time_ms: field(Schema.NullOr(Schema.Int), "until that answer; null where there was none", 84)
}

const Attempt = Schema.Struct({
  attempt: field(Schema.Int, "from 1, on through manual retries", 1),
  status: field(Schema.Literals(["failed", "delivered"]), "how it ended", "delivered"),
  ...response,
  error: Schema.optionalKey(field(Schema.String, "absent on success", "HTTP 503")),
  attempted_at: field(Timestamp, "when it began")
}).annotate({
  identifier: "Attempt",
  description: "One attempt.",
  examples: [
    {
      attempt: 1,
      status: "delivered",
      response_status: 200,
      response_time_ms: 84,
      attempted_at: "2026-11-21T09:30:00.000Z"
    }
  ]
})

const DeliveryDetail = Schema.Struct({
  ...item,
  ...response,
  request_body: field(
    Schema.NullOr(Schema.String),
    "the body that is sent, byte by byte; null before the first attempt",
    `{"event_id":"${EVENT_ID_EXAMPLE}","event_type":"payment.xrp"}`
  ),
  response_body: field(
    Schema.NullOr(Schema.String),
    "of the last answer, cut at 16 KiB; null where there was none",
    "ok"
  ),
  attempt_history: Schema.Array(Attempt).annotate({ description: "every attempt, oldest first" })
}).annotate({
  identifier: "DeliveryDetail",
  description: "A delivery with what was sent and what came back."
})

const percentile = (percent: number, example: number) =>
  field(
    Schema.NullOr(Schema.Int),
    `response time that ${percent}% of delivered ones stayed within, off by an eighth at most; null where there is none`,
    example
  )

const StatsPoint = Schema.Struct({
  at: field(Timestamp, "where the point begins; the first counts only what is in the period"),
  delivered: count("of those created in it", 118),
  failed: count("of those created in it", 1),
  pending: count("of those created in it, the retrying ones included", 1),
  p50_ms: percentile(50, 80),
  p99_ms: percentile(99, 640)
}).annotate({ identifier: "DeliveryStatsPoint", description: "A part of the period." })

const Stats = Schema.Struct({
  period: field(Schema.Literals(statsPeriods), "the period that was asked for", "24h"),
  total: count("delivered, failed and pending", 120),
  delivered: count("deliveries that arrived", 118),
  failed: count("deliveries that did not, and are not tried again by themselves", 1),
  pending: count("those still to be sent, the retrying ones included", 1),
  success_rate: field(
    Schema.Finite,
    "percent of delivered and failed that were delivered, two decimals; 0 where none is finished",
    99.16
  ),
  avg_latency_ms: field(
    Schema.Finite,
    "mean response time of the last attempt of delivered ones, two decimals; 0 where there is none",
    96.25
  ),
  series: Schema.optionalKey(
    Schema.Array(StatsPoint).annotate({
      description:
        "with series=true, oldest first, without gaps: a point a minute (1h), an hour (24h), 6 hours (7d) or a day (30d)"
    })
  )
}).annotate({ identifier: "DeliveryStats", description: "Counts of the deliveries created in the period." })

const Retried = Schema.Struct({
  delivery_id: field(Schema.String, "the same id as before", "dlv_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
  status: field(Schema.Literal("pending"), "queued again")
}).annotate({ identifier: "RetriedDelivery", description: "The delivery is queued again." })

const params = { id: DeliveryId }

export class Deliveries extends HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        webhook_id: Schema.optionalKey(WebhookId),
        event_type: Schema.optionalKey(
          field(
            EventPattern,
            "deliveries of events of this type as payment.xrp, of a family as nft.*, or of every type (*)",
            "payment.xrp"
          )
        ),
        status: Schema.optionalKey(Status),
        since: Schema.optionalKey(TimeBound),
        until: Schema.optionalKey(TimeBound),
        ...pageQuery
      },
      success: pageOf("DeliveryPage", Delivery)
    }).annotateMerge(
      scoped("deliveries:read", {
        identifier: "listDeliveries",
        summary: "List deliveries",
        description: "Newest first; filters in any combination."
      })
    ),
    HttpApiEndpoint.get("stats", "/stats", {
      query: {
        webhook_id: Schema.optionalKey(WebhookId),
        period: Schema.optionalKey(
          field(Schema.Literals(statsPeriods), "deliveries created in it; 24h by default", "24h")
        ),
        series: Schema.optionalKey(
          field(Schema.Literals(["true", "false"]), "whether to add points for plotting", "true")
        )
      },
      success: Stats
    }).annotateMerge(
      scoped("deliveries:read", {
        identifier: "getDeliveryStats",
        summary: "Count deliveries",
        description: "Of a period, of one webhook or of all of them."
      })
    ),
    HttpApiEndpoint.get("get", "/:id", { params, success: DeliveryDetail, error: NotFound }).annotateMerge(
      scoped("deliveries:read", {
        identifier: "getDelivery",
        summary: "Show a delivery",
        description: "What was sent, what came back, and every attempt."
      })
    ),
    HttpApiEndpoint.post("retry", "/:id/retry", {
      params,
      success: Retried,
      error: [NotFound, DeliveryNotFailed, WebhookDisabled, QuotaExceeded, ...postErrors]
    }).annotateMerge(
      scoped("deliveries:write", {
        identifier: "retryDelivery",
        summary: "Retry a failed delivery",
        description: "The attempts count towards the month's quota."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(OpenApi.Description, "The record of what was sent, and sending it again.")
  .prefix("/v1/deliveries") {}
