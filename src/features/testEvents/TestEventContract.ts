/** Contract of `POST /v1/webhooks/:id/test`: the event to send, and what became of it. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CommonErrors, field, KeyRequired, postErrors, rule, scoped } from "../../http/ContractParts.ts"
import { NotFound, WebhookDisabled } from "../../http/Errors.ts"
import { Place } from "../../http/FeatureContract.ts"
import { bodyRules, RequestRules } from "../../http/RequestRules.ts"
import { eventTypes } from "../../spine/event/EventType.ts"
import { Attempt } from "../deliveries/AttemptContract.ts"
import { WebhookId } from "../webhooks/WebhooksContract.ts"
import { testEventRules } from "./TestPayload.ts"
import { MOST_WAIT_MS, TEST_WAIT_PATTERN, testWaitMs } from "./TestWait.ts"

const TestEvent = Schema.Struct({
  event_type: field(Schema.Literals(eventTypes), "The type of the synthetic event.", "payment.xrp"),
  payload: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({
      description:
        "The payload to send, which the type's schema must accept; GET /v1/event-types has the schemas and an example of each. tx_hash is replaced by a new one, so that a receiver which ignores duplicates accepts the event. Default: the payload of a transaction of the simulated ledger."
    })
  )
}).annotate({
  identifier: "TestEvent",
  description: "The event to send."
})

const Wait = Schema.String.check(
  rule(
    (text: string) =>
      testWaitMs(text) === undefined
        ? `must be a time from 0s to ${MOST_WAIT_MS / 1_000}s, such as 10s or 500ms`
        : undefined,
    { pattern: TEST_WAIT_PATTERN }
  )
).annotate({
  description: `How long to wait for the first attempt, at most ${MOST_WAIT_MS / 1_000}s. Default: the response does not wait. A request with an Idempotency-Key does not wait either, because its stored response is written before the attempt.`,
  examples: ["10s"]
})

const delivery_id = field(
  Schema.String,
  "The id of the delivery. Follow it with GET /v1/deliveries/{id}.",
  "dlv_01J8ZQ4T7M3VXN5K2D9RFBHCAE"
)

const AttemptedTest = Schema.Struct({ delivery_id, attempt: Attempt }).annotate({
  identifier: "AttemptedTest",
  description: "The test delivery with its first attempt. If the attempt failed, the delivery is retried."
})

const QueuedTest = Schema.Struct({
  delivery_id,
  attempt: Schema.optionalKey(
    field(Schema.Null, "Present with wait: the first attempt has not ended in that time.", null)
  )
}).annotate({ identifier: "QueuedTest", description: "The queued test delivery." })

export class TestEvents extends HttpApiGroup.make("testEvents")
  .add(
    HttpApiEndpoint.post("send", "/:id/test", {
      params: { id: WebhookId },
      query: { wait: Schema.optionalKey(Wait) },
      payload: TestEvent,
      success: [AttemptedTest, QueuedTest.pipe(HttpApiSchema.status(202))],
      error: [NotFound, WebhookDisabled, ...postErrors]
    })
      .annotate(RequestRules, bodyRules(testEventRules))
      .annotateMerge(
        scoped("webhooks:write", {
          identifier: "testWebhook",
          summary: "Send a test event",
          description:
            "Sends a synthetic event of the given type, with the given payload if there is one, signed and retried like a real one. The webhook's filters are ignored, and the delivery does not count towards the quota. Its `network` is always testnet. With `wait`, the response is 200 with the first attempt if it ends in that time, otherwise 202."
        })
      )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(OpenApi.Title, "webhooks")
  .annotate(Place, 12)
  .prefix("/v1/webhooks") {}
