/** Contract of `/v1/replay`: past events again, as jobs. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Limits } from "../../config/Limits.ts"
import { replayBounds, replayStatuses } from "../../domain/Replay.ts"
import { addressProblem } from "../../domain/WebhookRules.ts"
import {
  JobNotCancellable,
  NotFound,
  PlanRequired,
  QuotaExceeded,
  ReplayLimitReached,
  WebhookDisabled
} from "../Errors.ts"
import {
  BodyBytes,
  bodyErrors,
  CommonErrors,
  count,
  EVENT_ID_EXAMPLE,
  eventIdProblem,
  field,
  idOf,
  KeyRequired,
  pageOf,
  pageQuery,
  postErrors,
  rule,
  scoped,
  TimeBound,
  Timestamp
} from "./Common.ts"
import { EventPattern } from "./WebhookFields.ts"
import { WebhookId } from "./Webhooks.ts"

const JOB_EXAMPLE = "rpl_job_01J8ZQ4T7M3VXN5K2D9RFBHCAE"

/** One sentence for the list and whichever of its items is wrong. */
const listOf = (
  maximum: number,
  problemOf: (item: string) => string | undefined,
  description: string,
  example: string
) =>
  Schema.Array(Schema.String.check(rule(problemOf)).annotate({ examples: [example] }))
    .check(
      rule((items: ReadonlyArray<string>) =>
        items.length >= 1 && items.length <= maximum ? undefined : `must hold 1 to ${maximum} items`
      )
    )
    .annotate({ description })

const EventIds = listOf(
  replayBounds.replayEventIds,
  eventIdProblem,
  "the events; duplicates count once, and one that is not there counts as failed",
  EVENT_ID_EXAMPLE
)

const Filters = Schema.Struct({
  event_types: Schema.optionalKey(
    Schema.Array(EventPattern)
      .check(
        rule((types: ReadonlyArray<string>) =>
          types.length >= 1 ? undefined : "must name a type; leave it out for all of them"
        )
      )
      .annotate({
        description: "event types as payment.xrp, families as nft.*, or *; all types by default",
        examples: [["payment.xrp", "nft.*"]]
      })
  ),
  accounts: Schema.optionalKey(
    listOf(
      replayBounds.replayAccounts,
      addressProblem,
      "classic addresses that an event must involve one of; all events by default",
      "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"
    )
  ),
  since: Schema.optionalKey(TimeBound),
  until: Schema.optionalKey(TimeBound)
}).annotate({
  description:
    "Compared with the events themselves, not with the webhook's own filters; none of them means all that is kept."
})

export type Filters = typeof Filters.Type

const NewReplayJob = Schema.Struct({
  webhook_id: WebhookId,
  event_ids: Schema.optionalKey(EventIds),
  filters: Schema.optionalKey(Filters)
}).annotate({
  identifier: "NewReplayJob",
  description: "Either event_ids or filters.",
  examples: [{ webhook_id: "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE", event_ids: [EVENT_ID_EXAMPLE] }]
})

const JobId = idOf("rpl_job_")
const Status = field(
  Schema.Literals(replayStatuses),
  "queued; running; completed: everything is queued for delivery; cancelled; failed",
  "running"
)
const id = field(Schema.String, "the job", JOB_EXAMPLE)
const webhook = field(Schema.String, "where the events go", "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE")

const QueuedReplayJob = Schema.Struct({
  job_id: id,
  status: field(Schema.Literal("queued"), "waits for its turn"),
  webhook_id: webhook,
  estimated_events: count(
    `how many events will be queued: exact for event_ids; for filters an estimate, which is exact up to ${Limits.estimateEnough} events and within about 10 % above, and may lack events of the last seconds`,
    1200
  ),
  created_at: Timestamp
}).annotate({ identifier: "QueuedReplayJob", description: "The job is made." })

const job = {
  job_id: id,
  status: Status,
  webhook_id: webhook,
  total_events: count("an estimate until the job has completed, then exact", 1200),
  processed_events: count("queued for delivery", 800),
  failed_events: count(
    "that could not be queued, counted when the job ends: unknown ids, or what a job that failed had left",
    0
  ),
  error: field(Schema.NullOr(Schema.String), "why it failed; null otherwise", null),
  created_at: Timestamp,
  completed_at: field(Schema.NullOr(Timestamp), "when everything was queued; null until then", null)
}

const ReplayJob = Schema.Struct(job).annotate({
  identifier: "ReplayJob",
  description: "Past events on their way to a webhook again."
})
export type ReplayJob = typeof ReplayJob.Type

const ReplayJobDetail = Schema.Struct({
  ...job,
  progress_percent: field(Schema.Finite, "of what there is to read, two decimals; 100 when completed", 66.66),
  eta_seconds: field(
    Schema.NullOr(Schema.Int),
    "what it will still take at its pace so far; null unless it runs",
    12
  ),
  history: Schema.optionalKey(
    field(
      Schema.Struct({
        ledgers: field(
          Schema.NullOr(Schema.Int),
          "how many had to be fetched first; null while that is being found out",
          40_000
        ),
        fetched_ledgers: count("how many of them have been", 12_000)
      }),
      "ledgers that closed before the service's first one: there only where filters.since asks for them and the service has servers for them",
      { ledgers: 40_000, fetched_ledgers: 12_000 }
    )
  )
}).annotate({ identifier: "ReplayJobDetail", description: "A job and how far it is." })

const CancelledReplayJob = Schema.Struct({
  job_id: id,
  status: field(Schema.Literal("cancelled"), "nothing more is queued"),
  processed_events: count("what was queued by then, and may still be delivered", 800),
  cancelled_at: Timestamp
}).annotate({ identifier: "CancelledReplayJob", description: "The job is cancelled." })

const params = { job_id: JobId }

export class Replay extends HttpApiGroup.make("replay")
  .add(
    HttpApiEndpoint.post("create", "/", {
      payload: NewReplayJob,
      success: QueuedReplayJob.pipe(HttpApiSchema.status(202)),
      error: [NotFound, PlanRequired, WebhookDisabled, ReplayLimitReached, QuotaExceeded, ...postErrors]
    })
      .annotate(BodyBytes, replayBounds.replayBodyBytes)
      .annotateMerge(
        scoped("deliveries:write", {
          identifier: "createReplayJob",
          summary: "Replay events",
          description:
            "Sends past events of the webhook's network to it again, as new deliveries that count towards the month's quota."
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
        description: "How far it is, how long it will still take, and why it failed."
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
        description: "Nothing more is queued within a second. What is queued may still be delivered."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(OpenApi.Description, "Past events again, as jobs to watch and to cancel.")
  .prefix("/v1/replay") {}
