/** `/v1/webhooks/:id/progress`. */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ownerOf } from "../../http/Authentication.ts"
import { Caller } from "../../http/ContractParts.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { iso } from "../../spine/words/IsoTime.ts"
import { noWebhook } from "../webhooks/WebhookRefusals.ts"
import { ProgressGroup } from "./ProgressContract.ts"
import { makeWebhookProgress } from "./WebhookProgress.ts"

export const progressLayer = HttpApiBuilder.group(
  contractOf(ProgressGroup),
  "progress",
  Effect.fnUntraced(function* (handlers) {
    const progressOf = yield* makeWebhookProgress

    return handlers.handleAll({
      ofWebhook: Effect.fnUntraced(function* ({ params }) {
        const found = yield* progressOf(ownerOf(yield* Caller), params.id)
        if (Option.isNone(found)) return yield* noWebhook(params.id)
        const { completeThrough, gaps, network, oldestWaiting, routedThrough, waiting } = found.value
        return {
          network,
          complete_through: completeThrough,
          routed_through: routedThrough,
          waiting,
          oldest_waiting:
            oldestWaiting === null
              ? null
              : {
                  delivery_id: oldestWaiting.deliveryId,
                  event_id: oldestWaiting.eventId,
                  ledger_index: oldestWaiting.ledgerIndex
                },
          gaps: gaps.map(({ beganAt, endedAt, ...gap }) => ({
            ...gap,
            began_at: iso(beganAt),
            ended_at: endedAt === null ? null : iso(endedAt)
          }))
        }
      }, orUnavailable)
    })
  })
)
