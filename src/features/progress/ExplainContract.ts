/** Contract of `/v1/explain`: why webhooks got, or did not get, the events of a transaction. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { networkRules } from "../../http/CommonRules.ts"
import {
  CommonErrors,
  count,
  EVENT_ID_EXAMPLE,
  field,
  HASH_EXAMPLE,
  KeyRequired,
  LedgerIndexBound,
  queryLedgerIndex,
  scoped,
  Timestamp,
  TransactionHash
} from "../../http/ContractParts.ts"
import { NotFound } from "../../http/Errors.ts"
import { Place, QueryTypes } from "../../http/FeatureContract.ts"
import { queryRules, RequestRules } from "../../http/RequestRules.ts"
import { deliveryStatuses } from "../../spine/domain/Delivery.ts"
import { eventTypes } from "../../spine/event/EventType.ts"
import { networks } from "../../spine/event/Network.ts"
import { WebhookId } from "../webhooks/WebhooksContract.ts"
import { explainReasons } from "./Explanation.ts"

const WEBHOOK_EXAMPLE = "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"
const DELIVERY_EXAMPLE = "dlv_01J8ZQ4T7M3VXN5K2D9RFBHCAE"

const Reason = field(
  Schema.Literals(explainReasons),
  "`matched`: there is a delivery, or nothing known speaks against one. `queued`: the event waits to be sent: the webhook is paused, or, if `delivery` is null, its delivery is not shown yet. `network`, `type`, `account`, `payload`: the webhook does not ask for the event. The others say what was the case when the ledger was taken. `not_yet_created`: the webhook did not exist. `deleted`: it had been deleted. `disabled`: it was disabled, or its account suspended. `quota`: the month's quota was used up.",
  "matched"
)

const ExplainedDelivery = Schema.Struct({
  id: field(Schema.String, "The delivery's id.", DELIVERY_EXAMPLE),
  status: field(Schema.Literals(deliveryStatuses), "The delivery's present status.", "delivered")
}).annotate({ identifier: "ExplainedDelivery", description: "A delivery of the event to the webhook." })

const ExplainedWebhook = Schema.Struct({
  webhook_id: field(Schema.String, "The webhook's id.", WEBHOOK_EXAMPLE),
  wanted: field(
    Schema.Boolean,
    "Whether there is a delivery or, if there is none, whether the webhook's present settings ask for the event.",
    true
  ),
  reason: Reason,
  delivery: Schema.NullOr(ExplainedDelivery).annotate({
    description:
      "The newest delivery of this event to this webhook, live or of a replay; null if there is none."
  })
}).annotate({ identifier: "ExplainedWebhook", description: "What became of an event for one webhook." })

const ExplainedEvent = Schema.Struct({
  event_id: field(Schema.String, "The event's id.", EVENT_ID_EXAMPLE),
  event_type: field(Schema.Literals(eventTypes), "The event's type.", "payment.xrp"),
  webhooks: Schema.Array(ExplainedWebhook).annotate({
    description: "The webhooks, newest first. At most 100 are shown."
  })
}).annotate({ identifier: "ExplainedEvent", description: "An event and what became of it." })

export const Explanation = Schema.Struct({
  transaction: field(Schema.String, "The given hash, in upper case.", HASH_EXAMPLE),
  ledger: Schema.NullOr(
    Schema.Struct({
      index: field(Schema.Int, "The index of the ledger.", 94_084_608),
      taken_at: field(Timestamp, "When the service took the ledger."),
      skipped: Schema.optionalKey(
        field(
          Schema.String,
          "Present if the operator skipped the ledger, because no server could list its transactions: the reason. Its events are missing.",
          "no server lists its transactions"
        )
      )
    }).annotate({ identifier: "ExplainedLedger", description: "The ledger that the transaction is in." })
  ).annotate({
    description:
      "Null if no event of the transaction is known, or the given ledger was not taken. Add ledger_index to learn whether it was."
  }),
  events: Schema.Array(ExplainedEvent).annotate({
    description: "The events of the transaction, in ledger order. At most 100 are shown."
  }),
  events_count: count("The number of events of the transaction.", 1),
  webhooks_count: count("The number of webhooks, those that are not shown included.", 1)
}).annotate({ identifier: "Explanation", description: "What became of a transaction." })
export type Explanation = typeof Explanation.Type

export class Explain extends HttpApiGroup.make("explain")
  .add(
    HttpApiEndpoint.get("explain", "/", {
      query: {
        transaction: TransactionHash,
        network: Schema.optionalKey(
          field(
            Schema.Literals(networks),
            "The network of the transaction: mainnet with live keys; testnet (the default) or devnet with test keys."
          )
        ),
        ledger_index: Schema.optionalKey(
          LedgerIndexBound.annotate({
            description:
              "The ledger that contains the transaction. Without it, the ledger is searched among the events of the time for which deliveries are kept.",
            examples: ["94084608"]
          })
        ),
        webhook_id: Schema.optionalKey(WebhookId)
      },
      success: Explanation,
      error: NotFound
    })
      .annotate(RequestRules, queryRules(networkRules))
      .annotateMerge(
        scoped("deliveries:read", {
          identifier: "explainTransaction",
          summary: "Explain deliveries of a transaction",
          description:
            "Shows whether the ledger was taken, which events the transaction caused, and why each webhook got them or did not. With webhook_id, only that webhook is shown; it may be deleted."
        })
      )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(Place, 120)
  .annotate(QueryTypes, { ledger_index: queryLedgerIndex(94_084_608) })
  .annotate(OpenApi.Description, "Why a webhook got the events of a transaction, or did not.")
  .prefix("/v1/explain") {}
