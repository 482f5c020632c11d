/** Contract of `POST /v1/deliveries/retry`: a job that retries many deliveries of a webhook. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  CommonErrors,
  count,
  field,
  KeyRequired,
  postErrors,
  rule,
  scoped,
  TimeBound,
  Timestamp
} from "../../http/ContractParts.ts"
import { NotFound, QuotaExceeded, ReplayLimitReached, WebhookDisabled } from "../../http/Errors.ts"
import { Place } from "../../http/FeatureContract.ts"
import { bodyRules, RequestRules } from "../../http/RequestRules.ts"
import { retryStatuses } from "../../spine/domain/Replay.ts"
import { EventTypes } from "../webhooks/WebhookFieldsContract.ts"
import { WebhookId } from "../webhooks/WebhooksContract.ts"
import { retryRules } from "./JobRefusals.ts"

const NewRetryJob = Schema.Struct({
  webhook_id: WebhookId,
  statuses: Schema.optionalKey(
    Schema.Array(Schema.Literals(retryStatuses))
      .check(
        rule(
          (statuses: ReadonlyArray<string>) =>
            statuses.length === 0 ? "must contain failed, retrying or both" : undefined,
          { minItems: 1 }
        )
      )
      .annotate({
        description: "Only deliveries in these statuses. Default: failed and retrying.",
        examples: [["failed"]]
      })
  ),
  event_types: Schema.optionalKey(EventTypes),
  since: Schema.optionalKey(TimeBound),
  until: Schema.optionalKey(TimeBound),
  dry_run: Schema.optionalKey(field(Schema.Boolean, "true: only count the deliveries. Default: false.", true))
}).annotate({
  identifier: "NewRetryJob",
  description:
    "Which deliveries of the webhook to retry. since and until compare with created_at. By default all event types match.",
  examples: [
    { webhook_id: "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE", statuses: ["failed"], since: "2026-11-21T09:30:00Z" }
  ]
})
export type NewRetryJob = typeof NewRetryJob.Type

const counted = {
  matched: count("How many deliveries match now.", 1200),
  at_least: Schema.optionalKey(
    field(
      Schema.Literal(true),
      "Present if more deliveries may match: the webhook has too many in the ten minutes of since or until to count them all.",
      true
    )
  )
}

const QueuedRetryJob = Schema.Struct({
  job_id: field(
    Schema.String,
    "The job's id, for GET and DELETE /v1/replay/{job_id}.",
    "rpl_job_01J8ZQ4T7M3VXN5K2D9RFBHCAE"
  ),
  status: field(Schema.Literal("queued"), "The job is queued."),
  ...counted,
  created_at: Timestamp
}).annotate({ identifier: "QueuedRetryJob", description: "The new job." })

const CountedRetries = Schema.Struct({
  ...counted,
  by_type: field(
    Schema.Record(Schema.String, Schema.Int),
    "How many there are of each event type. Types without any are left out.",
    { "payment.xrp": 1100, "nft.minted": 100 }
  )
}).annotate({ identifier: "CountedRetries", description: "The result of dry_run. Nothing is queued." })

export class RetryJobs extends HttpApiGroup.make("retryJobs")
  .add(
    HttpApiEndpoint.post("create", "/retry", {
      payload: NewRetryJob,
      success: [CountedRetries, QueuedRetryJob.pipe(HttpApiSchema.status(202))],
      error: [NotFound, WebhookDisabled, ReplayLimitReached, QuotaExceeded, ...postErrors]
    })
      .annotate(RequestRules, bodyRules(retryRules))
      .annotateMerge(
        scoped("deliveries:write", {
          identifier: "retryDeliveries",
          summary: "Retry many deliveries of a webhook",
          description:
            "Creates a job (202) that retries failed and retrying deliveries of one webhook, oldest first, as POST /v1/deliveries/{id}/retry does for one. The deliveries keep their ids. Their attempts come after the webhook's live deliveries and count towards the month's quota. A delivery that succeeds meanwhile is left alone. The job counts as a replay job: /v1/replay shows, lists and cancels it, with the mode retry. With dry_run, the response (200) only counts the deliveries."
        })
      )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(OpenApi.Title, "deliveries")
  .annotate(Place, 55)
  .prefix("/v1/deliveries") {}
