/** One attempt, as deliveries and test events show it. */
import { Schema } from "effect"
import { field, Timestamp } from "../../http/ContractParts.ts"

/** Fields that a delivery has too, of its last attempt. */
export const response = {
  response_status: field(
    Schema.NullOr(Schema.Int),
    "The HTTP status of the endpoint's last response; null if there was none.",
    200
  ),
  response_time_ms: field(
    Schema.NullOr(Schema.Int),
    "Milliseconds until that response; null if there was none.",
    84
  )
}

export const Attempt = Schema.Struct({
  attempt: field(Schema.Int, "The number of the attempt, from 1. Manual retries continue the count.", 1),
  status: field(Schema.Literals(["failed", "delivered"]), "How the attempt ended.", "delivered"),
  ...response,
  error: Schema.optionalKey(
    field(Schema.String, "Why the attempt failed; absent if it succeeded.", "HTTP 503")
  ),
  attempted_at: field(Timestamp, "When the attempt started."),
  response_headers: field(
    Schema.NullOr(Schema.Record(Schema.String, Schema.String)),
    "Headers of the response; null if none are kept. Of an attempt that delivered, up to 192 characters are kept, of others up to 2,048. Headers of the connection, content-length and date are left out, and cookies are shown as ***.",
    { server: "nginx" }
  ),
  response_body: field(
    Schema.NullOr(Schema.String),
    "The first 2,048 characters of the response body, or 200 with a note (see response_body of the delivery); null if there was no response.",
    "ok"
  ),
  connect_ms: field(
    Schema.NullOr(Schema.Int),
    "Milliseconds for DNS, connecting and TLS; null if the connection was reused or none was made.",
    31
  ),
  first_byte_ms: field(
    Schema.NullOr(Schema.Int),
    "Milliseconds from the start of the attempt to the first byte of a response; null if none arrived.",
    84
  ),
  total_ms: field(
    Schema.NullOr(Schema.Int),
    "Milliseconds from the start of the attempt to its end; null if it is not known.",
    85
  ),
  batch_id: field(
    Schema.NullOr(Schema.String),
    "The X-Service-Batch-Id of the request if it carried several events (the webhook's batch); otherwise null.",
    null
  )
}).annotate({
  identifier: "Attempt",
  description: "One HTTP request of a delivery. With the webhook's batch, other deliveries share it.",
  examples: [
    {
      attempt: 1,
      status: "delivered",
      response_status: 200,
      response_time_ms: 84,
      attempted_at: "2026-11-21T09:30:00.000Z",
      response_headers: { server: "nginx" },
      response_body: "ok",
      connect_ms: 31,
      first_byte_ms: 84,
      total_ms: 85,
      batch_id: null
    }
  ]
})
