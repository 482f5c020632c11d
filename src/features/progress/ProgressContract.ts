/** Contract of `/v1/webhooks/:id/progress`: up to which ledger a webhook has got everything. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  CommonErrors,
  count,
  EVENT_ID_EXAMPLE,
  field,
  KeyRequired,
  scoped,
  Timestamp
} from "../../http/ContractParts.ts"
import { NotFound } from "../../http/Errors.ts"
import { Place } from "../../http/FeatureContract.ts"
import { gapReasons } from "../../spine/domain/HealthState.ts"
import { networks } from "../../spine/event/Network.ts"
import { WebhookId } from "../webhooks/WebhooksContract.ts"

const Progress = Schema.Struct({
  network: field(Schema.Literals(networks), "The webhook's network.", "mainnet"),
  complete_through: field(
    Schema.NullOr(Schema.Int),
    "Every event that the webhook wanted, up to this ledger, is delivered or has failed finally. Null while nothing is queued for the webhook (it is disabled, or the account's quota is used up), and while it is not known: before the first ledger, and for some minutes after an update. It is at most about 2 s late, and never too high. Events of `gaps` were never queued. Replayed deliveries do not count. A manual retry may lower it.",
    94084607
  ),
  routed_through: field(
    Schema.NullOr(Schema.Int),
    "The newest ledger whose events are all queued for the webhooks that want them; null before the first one.",
    94084611
  ),
  waiting: count(
    "Deliveries that are queued, and neither delivered nor failed finally. If there are more than 10,000, or very many are queued in all, it is a minimum.",
    2
  ),
  oldest_waiting: field(
    Schema.NullOr(
      Schema.Struct({
        delivery_id: field(Schema.String, "Its id.", "dlv_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
        event_id: field(Schema.String, "Its event.", EVENT_ID_EXAMPLE),
        ledger_index: field(Schema.Int, "The event's ledger.", 94084608)
      })
    ),
    "The oldest of them; null if none waits."
  ),
  gaps: field(
    Schema.Array(
      Schema.Struct({
        from: field(Schema.Int, "The first ledger.", 94080001),
        to: field(
          Schema.NullOr(Schema.Int),
          "The last ledger; null while the span lasts, and up to 15 s longer.",
          94080210
        ),
        reason: field(
          Schema.Literals(gapReasons),
          "disabled: the webhook was disabled. suspended: the account was. quota: the account's monthly quota was used up. paused: the webhook was paused for so long that what waited was discarded. waited_too_long: what waited was discarded because it had waited too long. lost: the service's log no longer had the events.",
          "disabled"
        ),
        began_at: Timestamp,
        ended_at: field(
          Schema.NullOr(Timestamp),
          "When the reason ended; null while it lasts.",
          "2026-11-21T10:38:00.000Z"
        )
      })
    ),
    "Spans of ledgers whose events were not queued for the webhook, or were discarded, oldest first: a replay sends them, except those that are lost. They may be a few ledgers too wide. The newest 100 of the last 400 days are shown.",
    [
      {
        from: 94080001,
        to: 94080210,
        reason: "disabled",
        began_at: "2026-11-21T10:24:00.000Z",
        ended_at: "2026-11-21T10:38:00.000Z"
      }
    ]
  )
}).annotate({ identifier: "WebhookProgress", description: "How far a webhook has got." })

export class ProgressGroup extends HttpApiGroup.make("progress")
  .add(
    HttpApiEndpoint.get("ofWebhook", "/webhooks/:id/progress", {
      params: { id: WebhookId },
      success: Progress,
      error: NotFound
    }).annotateMerge(
      scoped("webhooks:read", {
        identifier: "getWebhookProgress",
        summary: "Show how far a webhook has got",
        description:
          "Up to which ledger every event that the webhook wanted is delivered or has failed finally. A program that has processed its requests up to this ledger has everything."
      })
    )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(Place, 40)
  .annotate(OpenApi.Description, "How far webhooks have got.")
  .prefix("/v1") {}
