/** `/v1/webhooks/:id/progress`. */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { makeWebhookProgress } from "../../coverage/WebhookProgress.ts"
import { iso } from "../../domain/IsoTime.ts"
import { ownerOf } from "../Authentication.ts"
import { Api } from "../Contract.ts"
import { Caller } from "../contract/Common.ts"
import { orUnavailable } from "../Failures.ts"
import { noWebhook } from "../WebhookRefusals.ts"

export const progressLayer = HttpApiBuilder.group(
  Api,
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
