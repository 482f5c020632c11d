/** `/v1/incidents`, `/v1/incidents/:id` and `/v1/webhooks/:id/incidents`. */

import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { ownerOf } from "../../http/Authentication.ts"
import { periodRules } from "../../http/CommonRules.ts"
import { Caller } from "../../http/ContractParts.ts"
import { NotFound } from "../../http/Errors.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { makePage } from "../../http/Pages.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings } from "../../spine/config/Config.ts"
import type { WebhookId } from "../../spine/words/Ids.ts"
import { iso, parseIsoTime } from "../../spine/words/IsoTime.ts"
import { noWebhook } from "../webhooks/WebhookRefusals.ts"
import { WebhookStore } from "../webhooks/WebhookStore.ts"
import { incidentCourse } from "./IncidentCourse.ts"
import { findIncident, type Incident, listIncidents } from "./IncidentStore.ts"
import { Incidents } from "./IncidentsContract.ts"

interface Query {
  readonly since?: string
  readonly until?: string
  readonly limit?: string
  readonly cursor?: string
}

const shown = (incident: Incident) => ({
  id: incident.id,
  webhook_id: incident.webhook_id,
  began_at: iso(incident.beganAt),
  ended_at: incident.endedAt === null ? null : iso(incident.endedAt),
  cause: incident.cause,
  attempts_failed: incident.attemptsFailed,
  waited: incident.outcome?.waited ?? 0,
  outcome:
    incident.outcome === null
      ? null
      : {
          delivered: incident.outcome.delivered,
          failed: incident.outcome.failed,
          waiting: Math.max(0, incident.outcome.waited - incident.outcome.delivered - incident.outcome.failed)
        },
  ended_by: incident.endedBy
})

export const incidentsLayer = HttpApiBuilder.group(
  contractOf(Incidents),
  "incidents",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    const { retentionDeliveriesMs } = settings
    const sql = yield* SqlClient.SqlClient
    const webhooks = yield* WebhookStore
    const page = yield* makePage

    const list = Effect.fnUntraced(function* (query: Query, webhookId: WebhookId | undefined) {
      const owner = ownerOf(yield* Caller)
      const since = query.since === undefined ? undefined : parseIsoTime(query.since)
      const until = query.until === undefined ? undefined : parseIsoTime(query.until)
      yield* checkRules(periodRules, query, settings)
      const nowMs = yield* Clock.currentTimeMillis
      const read = (beforeId: string | undefined, limit: number) =>
        listIncidents(
          owner,
          { webhookId, since, until, beforeId },
          limit,
          nowMs,
          nowMs - retentionDeliveriesMs
        ).pipe(Effect.provideService(SqlClient.SqlClient, sql))
      const name = ["incidents", owner.accountId, ...owner.networks, webhookId, since, until]
      return yield* page(query, name, read, shown)
    })

    return handlers.handleAll({
      get: Effect.fnUntraced(
        function* ({ params: { id } }) {
          const nowMs = yield* Clock.currentTimeMillis
          const keptFromMs = nowMs - retentionDeliveriesMs
          const found = yield* findIncident(ownerOf(yield* Caller), id, nowMs, keptFromMs)
          if (Option.isNone(found))
            return yield* NotFound.because(`There is no incident ${id}.`, { param: "id" })
          const course = yield* incidentCourse(found.value, nowMs, keptFromMs)
          return {
            ...shown(found.value),
            course:
              course === null
                ? null
                : {
                    point_seconds: course.pointMs / 1_000,
                    points: course.points.map((point) => ({ ...point, at: iso(point.at) }))
                  }
          }
        },
        Effect.provideService(SqlClient.SqlClient, sql),
        orUnavailable
      ),

      list: ({ query }) => orUnavailable(list(query, undefined)),

      ofWebhook: Effect.fnUntraced(function* ({ params, query }) {
        const found = yield* webhooks.find(ownerOf(yield* Caller), params.id)
        if (Option.isNone(found)) return yield* noWebhook(params.id)
        return yield* list(query, params.id)
      }, orUnavailable)
    })
  })
)
