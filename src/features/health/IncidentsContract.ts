/** Contract of `/v1/incidents`: spans in which webhooks were failing. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { periodRules } from "../../http/CommonRules.ts"
import {
  CommonErrors,
  count,
  field,
  idOf,
  KeyRequired,
  pageOf,
  pageQuery,
  scoped,
  TimeBound,
  Timestamp
} from "../../http/ContractParts.ts"
import { NotFound } from "../../http/Errors.ts"
import { Place } from "../../http/FeatureContract.ts"
import { queryRules, RequestRules } from "../../http/RequestRules.ts"
import { incidentEnds } from "../../spine/domain/HealthState.ts"
import { WebhookId } from "../webhooks/WebhooksContract.ts"

const incident = {
  id: field(Schema.String, "The incident's id.", "inc_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
  webhook_id: field(Schema.String, "The webhook that was failing.", "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
  began_at: field(Timestamp, "End of the first failed request."),
  ended_at: field(
    Schema.NullOr(Timestamp),
    "When the webhook answered, or was disabled or deleted; null while it is failing.",
    "2026-11-21T10:38:00.000Z"
  ),
  cause: field(
    Schema.NullOr(Schema.String),
    "Why the newest request failed; null if an earlier version recorded it.",
    "connection refused"
  ),
  attempts_failed: count("Failed requests in it. A batch counts once.", 17),
  waited: count("Deliveries that were made from the first one that failed until the end.", 850),
  outcome: field(
    Schema.NullOr(
      Schema.Struct({
        delivered: count("How many of them were delivered.", 848),
        failed: count("How many of them were given up.", 2),
        waiting: count("How many of them still wait.", 0)
      })
    ),
    "What has become of these deliveries; null if they were dropped before they were counted.",
    { delivered: 848, failed: 2, waiting: 0 }
  ),
  ended_by: field(
    Schema.NullOr(Schema.Literals(incidentEnds)),
    "What ended it: an attempt that was answered, by schedule (attempt) or by hand (retry), or the webhook was disabled or deleted. Null while it is failing.",
    "attempt"
  )
}

const Incident = Schema.Struct(incident).annotate({
  identifier: "Incident",
  description: "A span in which a webhook was failing."
})

const IncidentDetail = Schema.Struct({
  ...incident,
  course: field(
    Schema.NullOr(
      Schema.Struct({
        point_seconds: field(Schema.Int, "How long a point is.", 60),
        points: field(
          Schema.Array(
            Schema.Struct({
              at: field(Timestamp, "Its beginning."),
              answered: count("Attempts that ended in it and were answered with 2xx.", 12),
              failed: count("Attempts that ended in it and failed.", 3),
              waiting: count(
                "Deliveries that had failed at least once since the first point, and were not delivered at the end of this one. One that was given up counts on.",
                20
              )
            })
          ),
          "Oldest first, without gaps, at most 202: from a while before the incident until a while after it.",
          [{ at: "2026-11-21T10:38:00.000Z", answered: 12, failed: 3, waiting: 20 }]
        )
      })
    ),
    "The webhook's attempts over the time of the incident; null if they are no longer kept (RETENTION_DELIVERIES).",
    null
  )
}).annotate({ identifier: "IncidentDetail", description: "An incident, and the attempts around it." })

const query = { since: Schema.optionalKey(TimeBound), until: Schema.optionalKey(TimeBound), ...pageQuery }
const success = pageOf("IncidentPage", Incident)

export class Incidents extends HttpApiGroup.make("incidents")
  .add(
    HttpApiEndpoint.get("list", "/incidents", { query, success })
      .annotate(RequestRules, queryRules(periodRules))
      .annotateMerge(
        scoped("webhooks:read", {
          identifier: "listIncidents",
          summary: "List incidents",
          description:
            "Incidents of all webhooks, newest first; since and until are about their beginning. An incident is a span in which a webhook's health was failing. Spans less than 5 minutes apart are one incident. Incidents are kept for 400 days."
        })
      ),
    HttpApiEndpoint.get("get", "/incidents/:id", {
      params: { id: idOf("inc_") },
      success: IncidentDetail,
      error: NotFound
    }).annotateMerge(
      scoped("webhooks:read", {
        identifier: "getIncident",
        summary: "Show an incident",
        description: "The incident, and how the webhook's attempts went before, during and after it."
      })
    ),
    HttpApiEndpoint.get("ofWebhook", "/webhooks/:id/incidents", {
      params: { id: WebhookId },
      query,
      success,
      error: NotFound
    })
      .annotate(RequestRules, queryRules(periodRules))
      .annotateMerge(
        scoped("webhooks:read", {
          identifier: "listWebhookIncidents",
          summary: "List incidents of a webhook",
          description: "Incidents of one webhook, newest first; since and until are about their beginning."
        })
      )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(Place, 30)
  .annotate(OpenApi.Description, "Spans in which webhooks did not answer.")
  .prefix("/v1") {}
