/** What lists of webhooks say of their deliveries, and how many webhooks are in each state. */
import { Schema } from "effect"
import { count, field, Timestamp } from "../../http/ContractParts.ts"
import { healthStates } from "../../spine/domain/HealthState.ts"

const rate = (description: string) => field(Schema.NullOr(Schema.Finite), description, 99.75)
const latency = (percent: number, example: number) =>
  field(
    Schema.NullOr(Schema.Int),
    `Milliseconds within which ${percent} % of the deliveries of the period were answered, exact within an eighth; null if none was.`,
    example
  )

export const WebhookStats = Schema.Struct({
  delivered: count("Deliveries that succeeded.", 1180),
  failed: count("Deliveries that were given up.", 3),
  pending: count("Deliveries that wait for an attempt, retries included.", 12),
  success_rate: field(
    Schema.Finite,
    "delivered / (delivered + failed) as a percentage with two decimals; 0 if no delivery has ended.",
    99.75
  ),
  first_attempt_success_rate: rate(
    "First attempts that delivered as a percentage of all first attempts of the period, with two decimals; null if there were none."
  ),
  p50_ms: latency(50, 80),
  p99_ms: latency(99, 640),
  waiting: count(
    "Live deliveries that wait now, for longer than about a ledger. If there are more than 1,000, those that were created in the period.",
    12
  ),
  attempts: field(
    Schema.Array(
      Schema.Tuple([count("Answered with 2xx.", 120), count("Failed.", 0)]).annotate({
        description: "The attempts of a half hour."
      })
    ),
    "The attempts of the last 24 hours, whatever the period, by half hour, oldest first: how many were answered with 2xx, and how many failed. Empty if there were none.",
    [
      [120, 0],
      [96, 4]
    ]
  ),
  last_answer: field(
    Schema.NullOr(
      Schema.Struct({
        at: field(Timestamp, "When the attempt ended."),
        response_status: field(
          Schema.NullOr(Schema.Int),
          "The HTTP status of the response; null if there was none.",
          503
        ),
        error: field(
          Schema.NullOr(Schema.String),
          "Why the attempt failed; null if it delivered.",
          "HTTP 503"
        )
      })
    ),
    "What came of the newest attempt; null if none of the webhook's newest deliveries had one.",
    { at: "2026-11-21T09:30:30.000Z", response_status: 503, error: "HTTP 503" }
  )
}).annotate({ identifier: "WebhookStats", description: "How the deliveries of a webhook go." })

export const WebhookCounts = Schema.Struct({
  states: Schema.Record(Schema.Literals(healthStates), count("Webhooks in this state.", 2)).annotate({
    description: "How many of the webhooks are in each state of health. Every state is there.",
    examples: [{ failing: 2, waiting: 1, disabled: 0, paused: 0, new: 0, healthy: 6 }]
  })
}).annotate({ identifier: "WebhookCounts", description: "How many webhooks are in each state of health." })
