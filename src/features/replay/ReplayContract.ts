/** Contract of `/v1/replay`: jobs that send past events to a webhook again. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  addressForm,
  BodyBytes,
  bodyErrors,
  CommonErrors,
  count,
  EVENT_ID_EXAMPLE,
  eventIdProblem,
  field,
  KeyRequired,
  pageOf,
  pageQuery,
  postErrors,
  scoped,
  TimeBound,
  Timestamp,
  textList,
  uncheckedText
} from "../../http/ContractParts.ts"
import {
  JobNotCancellable,
  NotFound,
  PlanRequired,
  QuotaExceeded,
  ReplayLimitReached,
  WebhookDisabled
} from "../../http/Errors.ts"
import { Place } from "../../http/FeatureContract.ts"
import { bodyRules, RequestRules } from "../../http/RequestRules.ts"
import { Limits } from "../../spine/config/Limits.ts"
import { replayBounds, replayModes, replayStatuses, retryStatuses } from "../../spine/domain/Replay.ts"
import { addressProblem } from "../../spine/event/AccountId.ts"
import { EVENT_ID_PATTERN } from "../../spine/event/EventId.ts"
import { JobId } from "../deliveries/DeliveriesContract.ts"
import { ListedPattern, PayloadFilter, patternProblem } from "../webhooks/WebhookFieldsContract.ts"
import { WebhookId } from "../webhooks/WebhooksContract.ts"
import { replayRules } from "./JobRefusals.ts"
import { replayLimits } from "./Limits.ts"

const JOB_EXAMPLE = "rpl_job_01J8ZQ4T7M3VXN5K2D9RFBHCAE"

/** A list of 1 to `maximum` items, each checked by `problemOf`. */
const listOf = (
  maximum: number,
  problemOf: (item: string) => string | undefined,
  form: { readonly pattern: string },
  description: string,
  example: string
) =>
  textList(
    uncheckedText(form).annotate({ examples: [example] }),
    (length) => (length >= 1 && length <= maximum ? undefined : `must contain 1 to ${maximum} items`),
    problemOf,
    { minItems: 1, maxItems: maximum }
  ).annotate({ description })

const EventIds = listOf(
  replayBounds.replayEventIds,
  eventIdProblem,
  { pattern: EVENT_ID_PATTERN.source },
  "The ids of the events. A repeated id counts once. An id that does not exist counts as failed.",
  EVENT_ID_EXAMPLE
)

const Filters = Schema.Struct({
  event_types: Schema.optionalKey(
    textList(
      ListedPattern,
      (length) => (length >= 1 ? undefined : "must contain at least one type; leave it out for all types"),
      patternProblem,
      { minItems: 1 }
    ).annotate({
      description: "Only events of these types (payment.xrp) or families (nft.*). Default: all types.",
      examples: [["payment.xrp", "nft.*"]]
    })
  ),
  accounts: Schema.optionalKey(
    listOf(
      replayLimits.replayAccounts,
      addressProblem,
      addressForm,
      "Only events that involve at least one of these classic addresses. Default: all events.",
      "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"
    )
  ),
  payload_filter: Schema.optionalKey(
    Schema.NullOr(PayloadFilter).annotate({
      description:
        "The payloads to send, see docs/payload-filters.md. At least one of the event types must have each of its fields. Default null: every payload."
    })
  ),
  since: Schema.optionalKey(TimeBound),
  until: Schema.optionalKey(TimeBound)
}).annotate({
  description:
    "Which events to send. The webhook's own filters are ignored. Without any filter, every event of the webhook's network that is still kept is sent."
})

export type Filters = typeof Filters.Type

const NewReplayJob = Schema.Struct({
  webhook_id: WebhookId,
  event_ids: Schema.optionalKey(EventIds),
  filters: Schema.optionalKey(Filters),
  dry_run: Schema.optionalKey(field(Schema.Boolean, "true: only count the events. Default: false.", false))
}).annotate({
  identifier: "NewReplayJob",
  description: "The replay job to create. Give either event_ids or filters.",
  examples: [{ webhook_id: "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE", event_ids: [EVENT_ID_EXAMPLE] }]
})

const Status = field(
  Schema.Literals(replayStatuses),
  "queued: no process works on it yet. running. completed: all its events are queued for delivery. cancelled. failed: error says why.",
  "running"
)
const id = field(Schema.String, "The job's id.", JOB_EXAMPLE)
const webhook = field(
  Schema.String,
  "The webhook that the events are sent to.",
  "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"
)

const atLeast = Schema.optionalKey(
  field(
    Schema.Literal(true),
    `Present if more events may match: filters.accounts match too many to count. About ${Limits.countedRows} are then counted.`,
    true
  )
)

const QueuedReplayJob = Schema.Struct({
  job_id: id,
  status: field(Schema.Literal("queued"), "The job is queued."),
  webhook_id: webhook,
  estimated_events: count(
    "How many events the job will send. For event_ids it is the number of ids. For filters it is an estimate. It does not include payload_filter, and events of the last seconds may be missing from it.",
    1200
  ),
  at_least: atLeast,
  created_at: Timestamp
}).annotate({ identifier: "QueuedReplayJob", description: "The new job." })

const CountedReplay = Schema.Struct({
  estimated_events: count("How many events the job would send, as for a job.", 1200),
  at_least: atLeast,
  by_type: field(
    Schema.NullOr(Schema.Record(Schema.String, Schema.Int)),
    `How many of the events that the service has are of each type, payload_filter ignored. Types without any are left out. Null if there is at_least.`,
    { "payment.xrp": 1100, "nft.minted": 100 }
  ),
  first_ledger: field(
    Schema.NullOr(Schema.Int),
    "The ledger of the first of these events; null if by_type is null or empty.",
    94_084_608
  ),
  last_ledger: field(
    Schema.NullOr(Schema.Int),
    "The ledger of the last of these events; null if by_type is null or empty.",
    94_090_112
  )
}).annotate({ identifier: "CountedReplay", description: "The result of dry_run. No job is created." })

const outcome = (what: string, example: number) =>
  field(
    Schema.NullOr(Schema.Int),
    `${what}. A delivery that several retry jobs take counts in the last of them. Final once the job has ended and none waits. Null for jobs from before release 0.3.`,
    example
  )

const Requested = Schema.Struct({
  statuses: Schema.optionalKey(
    field(Schema.Array(Schema.Literals(retryStatuses)), "Only for a retry: deliveries in these statuses.", [
      "failed"
    ])
  ),
  event_types: Schema.optionalKey(
    field(Schema.Array(Schema.String), "Events of these types. Absent: of all types.", ["payment.xrp"])
  ),
  since: Schema.optionalKey(Timestamp),
  until: Schema.optionalKey(Timestamp)
})

const job = {
  job_id: id,
  mode: field(
    Schema.Literals(replayModes),
    "replay: sends past events as new deliveries. retry: makes the next attempts of deliveries that have not succeeded (POST /v1/deliveries/retry).",
    "replay"
  ),
  status: Status,
  webhook_id: webhook,
  total_events: count(
    "How many events the job sends. Replay: an estimate until the job has completed, then exact. Retry: the deliveries that matched when the job was created; when it has completed, those that it queued.",
    1200
  ),
  processed_events: count("Events that are queued for delivery so far.", 800),
  failed_events: count(
    "Events that could not be queued: ids that do not exist, events that are no longer kept, or the rest of a job that failed. Set when the job ends.",
    0
  ),
  delivered: outcome("Deliveries of the job that were delivered", 780),
  waiting: outcome("Deliveries of the job that wait for an attempt, retries included", 15),
  failed: outcome("Deliveries of the job that have failed finally", 5),
  error: field(Schema.NullOr(Schema.String), "Why the job failed; null if it did not.", null),
  requested: field(
    Schema.NullOr(Requested),
    "What the job was asked for, accounts and payload_filter left out; null for event_ids. since and until compare with the time at which the ledger closed, for a retry with the time at which the delivery was created.",
    { event_types: ["payment.xrp"], since: "2026-11-21T09:30:00.000Z" }
  ),
  created_at: Timestamp,
  completed_at: field(Schema.NullOr(Timestamp), "When all events were queued; null until then.", null),
  finished_at: field(
    Schema.NullOr(Timestamp),
    "When the job had ended and none of its deliveries waited any more; null until then.",
    null
  )
}

const ReplayJob = Schema.Struct(job).annotate({
  identifier: "ReplayJob",
  description: "A job that sends past events, or deliveries that have not succeeded, to a webhook again."
})
export type ReplayJob = typeof ReplayJob.Type

const ReplayJobDetail = Schema.Struct({
  ...job,
  progress_percent: field(
    Schema.Finite,
    "How much of the job is done, with two decimals; 100 when it is completed.",
    66.66
  ),
  eta_seconds: field(
    Schema.NullOr(Schema.Int),
    "Estimated seconds until the job is done; null if it is not running.",
    12
  ),
  history: Schema.optionalKey(
    field(
      Schema.Struct({
        ledgers: field(
          Schema.NullOr(Schema.Int),
          "How many ledgers have to be fetched; null until it is known.",
          40_000
        ),
        fetched_ledgers: count("How many of them have been fetched.", 12_000)
      }),
      "Ledgers from before the service's first ledger, which have to be fetched first. Present only if filters.since reaches back that far and the operator has configured servers for it.",
      { ledgers: 40_000, fetched_ledgers: 12_000 }
    )
  ),
  skipped_ledgers: Schema.optionalKey(
    field(
      Schema.Array(Schema.Int),
      "Ledgers of the job's period that the operator skipped, because no server could list their transactions: their events are missing. Absent if there are none.",
      [562_177]
    )
  )
}).annotate({ identifier: "ReplayJobDetail", description: "A replay job with its progress." })

const CancelledReplayJob = Schema.Struct({
  job_id: id,
  status: field(Schema.Literal("cancelled"), "No more events are queued."),
  processed_events: count(
    "Events that were queued before the cancellation. They may still be delivered.",
    800
  ),
  cancelled_at: Timestamp
}).annotate({ identifier: "CancelledReplayJob", description: "The cancelled job." })

const params = { job_id: JobId }

export class Replay extends HttpApiGroup.make("replay")
  .add(
    HttpApiEndpoint.post("create", "/", {
      payload: NewReplayJob,
      success: [CountedReplay, QueuedReplayJob.pipe(HttpApiSchema.status(202))],
      error: [NotFound, PlanRequired, WebhookDisabled, ReplayLimitReached, QuotaExceeded, ...postErrors]
    })
      .annotate(BodyBytes, replayBounds.replayBodyBytes)
      .annotate(RequestRules, bodyRules<typeof NewReplayJob.Type>(replayRules, ["filters"]))
      .annotateMerge(
        scoped("deliveries:write", {
          identifier: "createReplayJob",
          summary: "Create a replay job",
          description:
            "Sends past events of the webhook's network to the webhook again. They are new deliveries and count towards the month's quota. To follow the job, call `GET /v1/replay/{job_id}`. With dry_run, the response (200) only counts the events."
        })
      ),
    HttpApiEndpoint.get("list", "/", {
      query: pageQuery,
      success: pageOf("ReplayJobPage", ReplayJob)
    }).annotateMerge(
      scoped("deliveries:read", {
        identifier: "listReplayJobs",
        summary: "List replay jobs",
        description: "Newest first."
      })
    ),
    HttpApiEndpoint.get("get", "/:job_id", {
      params,
      success: ReplayJobDetail,
      error: NotFound
    }).annotateMerge(
      scoped("deliveries:read", {
        identifier: "getReplayJob",
        summary: "Show a replay job",
        description: "The job with its progress, the estimated time left and, if it failed, the reason."
      })
    ),
    HttpApiEndpoint.delete("cancel", "/:job_id", {
      params,
      success: CancelledReplayJob,
      error: [NotFound, JobNotCancellable, ...bodyErrors]
    }).annotateMerge(
      scoped("deliveries:write", {
        identifier: "cancelReplayJob",
        summary: "Cancel a replay job",
        description:
          "The job stops queueing events within a second. Events that are queued already may still be delivered."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(Place, 60)
  .annotate(OpenApi.Description, "Jobs that send past events to a webhook again.")
  .prefix("/v1/replay") {}
