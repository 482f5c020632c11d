/** Contract of `/v1/deliveries`: deliveries, their attempts and statistics, and the manual retry. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { periodRules } from "../../http/CommonRules.ts"
import {
  CommonErrors,
  count,
  EVENT_ID_EXAMPLE,
  EventId,
  field,
  idOf,
  KeyRequired,
  pageOf,
  pageQuery,
  postErrors,
  queryFlag,
  scoped,
  TimeBound,
  Timestamp
} from "../../http/ContractParts.ts"
import { DeliveryNotFailed, NotFound, QuotaExceeded, WebhookDisabled } from "../../http/Errors.ts"
import { contractOf, Place, QueryTypes } from "../../http/FeatureContract.ts"
import { queryRules, RequestRules } from "../../http/RequestRules.ts"
import { deliveryStatuses } from "../../spine/domain/Delivery.ts"
import { answerTimeBoundsMs } from "../../spine/domain/LatencyBuckets.ts"
import { statsPeriods } from "../../spine/domain/StatsPeriod.ts"
import { EventPattern } from "../webhooks/WebhookFieldsContract.ts"
import { WebhookId } from "../webhooks/WebhooksContract.ts"
import { Attempt, response } from "./AttemptContract.ts"
import { statsRules } from "./StatsRules.ts"

const DeliveryId = idOf("dlv_")
export const JobId = idOf("rpl_job_")
const Status = field(
  Schema.Literals(deliveryStatuses),
  "pending: waiting for the first attempt, also after a manual retry. retrying: an attempt failed, and another will follow. delivered: the endpoint answered with a 2xx status. failed: final; send it again with POST /v1/deliveries/{id}/retry.",
  "delivered"
)

const item = {
  id: field(
    Schema.String,
    "The delivery's id. Every attempt carries it in the header X-Service-Delivery-Id.",
    "dlv_01J8ZQ4T7M3VXN5K2D9RFBHCAE"
  ),
  webhook_id: field(Schema.String, "The webhook that the event is sent to.", "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
  event_id: field(Schema.String, "The event that is sent.", EVENT_ID_EXAMPLE),
  event_type: field(Schema.String, "The type of that event.", "payment.xrp"),
  status: Status,
  attempts: field(Schema.Int, "The number of attempts that have ended.", 1),
  last_error: field(
    Schema.NullOr(Schema.String),
    "Why the last attempt failed, such as HTTP 503; null if it succeeded or there was none.",
    null
  ),
  ...response,
  next_attempt_at: field(
    Schema.NullOr(Timestamp),
    "When the next attempt is due; null unless the status is retrying.",
    null
  ),
  created_at: Timestamp,
  updated_at: Timestamp
}

export const Delivery = Schema.Struct(item).annotate({
  identifier: "Delivery",
  description: "One event on its way to one webhook."
})
export type Delivery = typeof Delivery.Type

const DeliveryDetail = Schema.Struct({
  ...item,
  request_headers: field(
    Schema.NullOr(Schema.Record(Schema.String, Schema.String)),
    "The headers of the last request, made again from the webhook as it is now. Signatures and the values of custom headers are shown as ***. Null before the first attempt, and when the event is no longer kept.",
    { "Content-Type": "application/json", "X-Service-Signature": "sha256=***" }
  ),
  request_body: field(
    Schema.NullOr(Schema.String),
    "The request body, exactly as it is sent, in the webhook's present format and before compression. If the last attempt was part of a batch: the delivery's item of the array. Null before the first attempt, and when the event is no longer kept.",
    `{"event_id":"${EVENT_ID_EXAMPLE}","event_type":"payment.xrp"}`
  ),
  response_body: field(
    Schema.NullOr(Schema.String),
    "The body of the last response, cut at 16 KiB, or at 1,024 characters for a batch; null if there was none. After 32 MiB of responses with more than 200 characters for one account in a UTC day, further ones are cut at 200 characters, with a note.",
    "ok"
  ),
  attempt_history: Schema.Array(Attempt).annotate({ description: "All attempts, oldest first." })
}).annotate({
  identifier: "DeliveryDetail",
  description: "A delivery with its request body, the last response and all attempts."
})

const percentile = (percent: number, example: number) =>
  field(
    Schema.NullOr(Schema.Int),
    `The response time in milliseconds within which ${percent}% of the delivered deliveries were answered, accurate to one eighth; null if none was delivered.`,
    example
  )

const attemptStats = {
  attempts: count(
    "Attempts that ended in this time, first ones and retries, of live and of replayed deliveries. Test events do not count.",
    130
  ),
  attempts_failed: count("Those of them that failed.", 12),
  first_attempt_success_rate: field(
    Schema.NullOr(Schema.Finite),
    "First attempts that delivered as a percentage of all first attempts that ended in this time, with two decimals; null if there were none.",
    91.6
  )
}

const StatsPoint = Schema.Struct({
  at: field(
    Timestamp,
    "The start of the interval. The first interval counts only deliveries inside the period."
  ),
  delivered: count("Deliveries created in the interval that were delivered.", 118),
  failed: count("Deliveries created in the interval that failed.", 1),
  pending: count("Deliveries created in the interval that are pending or retrying.", 1),
  retrying: count("Those of them that are retrying.", 1),
  ...attemptStats,
  p50_ms: percentile(50, 80),
  p99_ms: percentile(99, 640),
  answer_times: Schema.optionalKey(
    Schema.Array(Schema.Int).annotate({
      description: `Only with answer_times=true: the attempts that delivered by their response time, in ${answerTimeBoundsMs.length + 1} classes: up to ${answerTimeBoundsMs.join(", ")} ms, and longer. A time within an eighth of a bound may be counted in the class beside it.`,
      examples: [[0, 12, 61, 33, 9, 2, 1, 0, 0]]
    })
  )
}).annotate({ identifier: "DeliveryStatsPoint", description: "One interval of the period." })

const Stats = Schema.Struct({
  period: field(Schema.Literals(statsPeriods), "The requested period.", "24h"),
  total: count("The sum of delivered, failed and pending.", 120),
  delivered: count("Deliveries that were delivered.", 118),
  failed: count("Deliveries that failed. They are not retried automatically.", 1),
  pending: count("Deliveries that are pending or retrying.", 1),
  retrying: count("Those of them that are retrying.", 1),
  success_rate: field(
    Schema.Finite,
    "Delivered deliveries as a percentage of delivered and failed ones, with two decimals; 0 if there are none.",
    99.16
  ),
  ...attemptStats,
  avg_latency_ms: field(
    Schema.Finite,
    "The mean response time in milliseconds of the successful attempts, with two decimals; 0 if there are none.",
    96.25
  ),
  p50_ms: percentile(50, 80),
  p99_ms: percentile(99, 640),
  series: Schema.optionalKey(
    Schema.Array(StatsPoint).annotate({
      description:
        "Only with series=true: the intervals of the period, oldest first, without gaps. An interval is a minute (1h), an hour (24h), 6 hours (7d) or a day (30d); 15 minutes with interval=15m."
    })
  )
}).annotate({
  identifier: "DeliveryStats",
  description: "Statistics of the deliveries created in the period."
})

const Retried = Schema.Struct({
  delivery_id: field(
    Schema.String,
    "The delivery's id, which stays the same.",
    "dlv_01J8ZQ4T7M3VXN5K2D9RFBHCAE"
  ),
  status: field(
    Schema.Literals(["pending", "retrying"]),
    "pending: the delivery had failed and starts the retry schedule again. retrying: its next attempt is made now, and the schedule continues after it.",
    "pending"
  )
}).annotate({ identifier: "RetriedDelivery", description: "The next attempt is queued." })

const params = { id: DeliveryId }

export class Deliveries extends HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        webhook_id: Schema.optionalKey(WebhookId),
        event_type: Schema.optionalKey(
          field(
            EventPattern,
            "Only deliveries of events of this type (payment.xrp), of this family (nft.*), or of every type (*).",
            "payment.xrp"
          )
        ),
        status: Schema.optionalKey(
          field(
            Schema.Array(Schema.Literals(deliveryStatuses)),
            "Only deliveries with this status. Repeat the parameter for several.",
            ["failed"]
          )
        ),
        event_id: Schema.optionalKey(
          EventId.annotate({
            description: "Only deliveries of this event, replays included.",
            examples: [EVENT_ID_EXAMPLE]
          })
        ),
        job_id: Schema.optionalKey(
          JobId.annotate({
            description: "Only deliveries that this replay job made, or this retry job took.",
            examples: ["rpl_job_01J8ZQ4T7M3VXN5K2D9RFBHCAE"]
          })
        ),
        since: Schema.optionalKey(TimeBound),
        until: Schema.optionalKey(TimeBound),
        ...pageQuery
      },
      success: pageOf("DeliveryPage", Delivery)
    })
      .annotate(RequestRules, queryRules(periodRules))
      .annotateMerge(
        scoped("deliveries:read", {
          identifier: "listDeliveries",
          summary: "List deliveries",
          description:
            "Newest first. Filters can be combined. A delivery is shown when its first attempt has ended, or about a second after its event was found."
        })
      ),
    HttpApiEndpoint.get("stats", "/stats", {
      query: {
        webhook_id: Schema.optionalKey(WebhookId),
        period: Schema.optionalKey(
          field(
            Schema.Literals(statsPeriods),
            "Count deliveries created in this period, which ends now and begins with a whole minute. Default: 24h.",
            "24h"
          )
        ),
        series: Schema.optionalKey(
          field(
            Schema.Literals(["true", "false"]),
            "Whether to add the figures of each interval, for charts.",
            "true"
          )
        ),
        interval: Schema.optionalKey(
          field(
            Schema.Literals(["15m"]),
            "Intervals of 15 minutes instead of an hour; only with series=true and period=24h.",
            "15m"
          )
        ),
        answer_times: Schema.optionalKey(
          field(
            Schema.Literals(["true", "false"]),
            "Whether to count each interval's successful attempts by their response time; only with series=true.",
            "true"
          )
        )
      },
      success: Stats
    })
      .annotate(RequestRules, queryRules(statsRules))
      .annotateMerge(
        scoped("deliveries:read", {
          identifier: "getDeliveryStats",
          summary: "Get delivery statistics",
          description:
            "Counts and response times of the deliveries created in a period, for one webhook or for all."
        })
      ),
    HttpApiEndpoint.get("get", "/:id", { params, success: DeliveryDetail, error: NotFound }).annotateMerge(
      scoped("deliveries:read", {
        identifier: "getDelivery",
        summary: "Show a delivery",
        description:
          "The delivery with its request body, the last response and all attempts. It is shown when its first attempt has ended, or about a second after its event was found. Until then the answer is 404."
      })
    ),
    HttpApiEndpoint.post("retry", "/:id/retry", {
      params,
      success: Retried,
      error: [NotFound, DeliveryNotFailed, WebhookDisabled, QuotaExceeded, ...postErrors]
    }).annotateMerge(
      scoped("deliveries:write", {
        identifier: "retryDelivery",
        summary: "Retry a delivery now",
        description:
          "Takes failed and retrying deliveries. A failed delivery is queued again, with the full retry schedule. A retrying delivery is attempted now instead of at its due time. If that attempt fails, the schedule continues with the next delay. An attempt that is under way at the time of the request is that attempt. The attempts count towards the month's quota."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(Place, 50)
  .annotate(QueryTypes, { series: queryFlag, answer_times: queryFlag })
  .annotate(OpenApi.Description, "Deliveries and their attempts; retry failed deliveries.")
  .prefix("/v1/deliveries") {}

export const deliveriesApi = contractOf(Deliveries)
