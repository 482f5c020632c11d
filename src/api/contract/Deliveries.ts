/** Contract of `/v1/deliveries`: the log of what was sent, and the manual retry. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { deliveryStatuses } from "../../domain/Delivery.ts"
import { eventTypes } from "../../domain/EventType.ts"
import { Conflict, NotFound } from "../Errors.ts"
import {
  CommonErrors,
  idOf,
  KeyRequired,
  pageOf,
  pageQuery,
  RequiredScope,
  TimeBound,
  Timestamp
} from "./Common.ts"
import { WebhookId } from "./Webhooks.ts"

const DeliveryId = idOf("dlv_")
const Status = Schema.Literals(deliveryStatuses)

const item = {
  id: Schema.String,
  webhook_id: Schema.String,
  event_id: Schema.String,
  event_type: Schema.String,
  status: Status,
  attempts: Schema.Int,
  last_error: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  updated_at: Timestamp
}

export const Delivery = Schema.Struct(item).annotate({ identifier: "Delivery" })
export type Delivery = typeof Delivery.Type

const Attempt = Schema.Struct({
  attempt: Schema.Int,
  status: Schema.Literals(["failed", "delivered"]),
  response_status: Schema.NullOr(Schema.Int),
  response_time_ms: Schema.NullOr(Schema.Int),
  error: Schema.optionalKey(Schema.String.annotate({ description: "absent on success" })),
  attempted_at: Timestamp
}).annotate({ identifier: "Attempt" })

const DeliveryDetail = Schema.Struct({
  ...item,
  response_status: Schema.NullOr(Schema.Int),
  response_time_ms: Schema.NullOr(Schema.Int),
  request_body: Schema.NullOr(Schema.String),
  response_body: Schema.NullOr(Schema.String),
  attempt_history: Schema.Array(Attempt)
}).annotate({ identifier: "DeliveryDetail" })

const params = { id: DeliveryId }

export class Deliveries extends HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        webhook_id: Schema.optionalKey(WebhookId),
        event_type: Schema.optionalKey(Schema.Literals(eventTypes)),
        status: Schema.optionalKey(Status),
        since: Schema.optionalKey(TimeBound),
        until: Schema.optionalKey(TimeBound),
        ...pageQuery
      },
      success: pageOf(Delivery)
    }).annotate(RequiredScope, "deliveries:read"),
    HttpApiEndpoint.get("get", "/:id", { params, success: DeliveryDetail, error: NotFound }).annotate(
      RequiredScope,
      "deliveries:read"
    ),
    HttpApiEndpoint.post("retry", "/:id/retry", {
      params,
      success: Schema.Struct({ delivery_id: Schema.String, status: Schema.Literal("pending") }),
      error: [NotFound, Conflict]
    }).annotate(RequiredScope, "deliveries:write")
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .prefix("/v1/deliveries") {}
