/** Contract of `/v1/activity`: the newest ledgers, and what webhooks answered to their events, as they come in. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CommonErrors, count, field, KeyRequired, scoped } from "../../http/ContractParts.ts"
import { StreamLimitReached } from "../../http/Errors.ts"
import { Place } from "../../http/FeatureContract.ts"
import { queryRules, RequestRules } from "../../http/RequestRules.ts"
import { networks } from "../../spine/event/Network.ts"
import { activityRules } from "./LedgerRules.ts"

const Counts = Schema.Record(Schema.String, Schema.Int)

const LedgerWebhook = Schema.Struct({
  webhook_id: field(Schema.String, "The webhook's id.", "wh_01J8ZQ4T7M3VXN5K2D9RFBHCAE"),
  events: count("How many of the ledger's events have a delivery to the webhook.", 3),
  event_types: Schema.optionalKey(
    field(Counts, "The same by event type.", { "payment.xrp": 2, "nft.minted": 1 })
  ),
  answered: count("Deliveries whose newest attempt was answered with a 2xx status.", 2),
  failed: count(
    "Deliveries whose newest attempt failed, whether they are retried or not. The others have had no attempt.",
    1
  ),
  last_status: field(
    Schema.NullOr(Schema.Int),
    "The HTTP status of the newest attempt for any of these deliveries; null if there was no attempt or no response.",
    503
  ),
  last_error: field(
    Schema.NullOr(Schema.String),
    "Why that attempt failed; null if it was answered, or if there was no attempt.",
    "HTTP 503"
  ),
  response_time_ms: field(
    Schema.NullOr(Schema.Int),
    "How long that attempt waited for the response, in milliseconds; null if there was none.",
    41
  )
}).annotate({ identifier: "LedgerWebhook", description: "What became of a ledger's events for one webhook." })

const LedgerActivity = Schema.Struct({
  network: field(Schema.Literals(networks), "The ledger's network.", "mainnet"),
  ledger_index: field(Schema.Int, "The ledger's index.", 94_084_608),
  closed_at: Schema.String.annotate({
    format: "date-time",
    description: "When the ledger closed: ISO 8601 date-time in UTC, whole seconds.",
    examples: ["2025-02-11T16:31:20Z"]
  }),
  events: field(
    Counts,
    "How many events of each type the ledger has, for any account; empty if it has none.",
    { "payment.xrp": 17, "nft.minted": 1 }
  ),
  webhooks: Schema.Array(LedgerWebhook).annotate({
    description:
      "The account's webhooks that have deliveries of these events, in the order of their ids. A delivery counts from its first outcome on, or from about a second after the event was queued, whichever is first. Replayed and test deliveries do not count."
  })
}).annotate({
  identifier: "LedgerActivity",
  description: "A ledger, its events by type, and what became of them for the account's webhooks."
})

const StreamEnd = Schema.Struct({
  error: field(
    Schema.Struct({
      code: field(Schema.String, "A code as of the API's errors.", "UNAVAILABLE"),
      message: field(Schema.String, "Why the stream ends, and what to do.", "This server is stopping.")
    }),
    "Why the stream ends."
  )
}).annotate({ identifier: "StreamEnd", description: "The data of the event `error`, the last of a stream." })

const description =
  `Sends the newest ledgers of the key's networks as server-sent events: first up to 32 of each network,
oldest first, then each ledger when its events have been queued for the webhooks that want them. A ledger is sent again,
at most once a second, when the answers to its events have changed; the newer message replaces the older one. \`event\` is
\`ledger\`, and \`data\` is the ledger. There are no ids: a stream that is opened again begins with the newest ledgers. A
comment is sent after 15 s without a message. Before the service ends a stream, it sends an event \`error\` that says
why.`.replaceAll("\n", " ")

export class Activity extends HttpApiGroup.make("activity")
  .add(
    HttpApiEndpoint.get("stream", "/stream", {
      query: {
        network: Schema.optionalKey(
          field(
            Schema.Literals(networks),
            "The network: mainnet with live keys, testnet or devnet with test keys. Default: all of the key that the service watches."
          )
        )
      },
      // The schema is that of `data`; the handler answers with text.
      success: Schema.Union([LedgerActivity, StreamEnd])
        .annotate({
          description:
            "Server-sent events, and a comment after 15 s without one. The stream has no end. The schema is that of `data`: a ledger, or why the stream ends."
        })
        .pipe(HttpApiSchema.asJson({ contentType: "text/event-stream" })),
      error: StreamLimitReached
    })
      .annotate(RequestRules, queryRules(activityRules))
      .annotateMerge(
        scoped("deliveries:read", {
          identifier: "streamActivity",
          summary: "Stream ledgers and what webhooks answer",
          description
        })
      )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(Place, 110)
  .annotate(OpenApi.Description, "What happens now: ledgers, their events, and the answers of webhooks.")
  .prefix("/v1/activity") {}
