/** `/v1/webhooks/:id/preview`. */
import { Effect, Option, Semaphore } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ownerOf } from "../../http/Authentication.ts"
import { Caller } from "../../http/ContractParts.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { CostlyTurns } from "../../http/guard/Turns.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import { expandPatterns } from "../../spine/event/EventPatterns.ts"
import { Log } from "../../spine/log/Log.ts"
import { previewFilters } from "./FilterPreview.ts"
import { FilterPreviews } from "./FilterPreviewContract.ts"
import { webhookBounds } from "./Limits.ts"
import { previewRules } from "./WebhookBodyRules.ts"
import { noWebhook } from "./WebhookRefusals.ts"
import { WebhookStore } from "./WebhookStore.ts"

export const filterPreviewsLayer = HttpApiBuilder.group(
  contractOf(FilterPreviews),
  "filterPreviews",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    const webhooks = yield* WebhookStore
    const log = yield* Log
    const costly = yield* CostlyTurns
    const previews = yield* Semaphore.make(Limits.heavyRequestsAtOnce)

    return handlers.handleAll({
      preview: Effect.fnUntraced(function* ({ params, payload = {} }) {
        const owner = ownerOf(yield* Caller)
        const found = yield* webhooks.find(owner, params.id)
        if (Option.isNone(found)) return yield* noWebhook(params.id)
        const filters = { ...found.value, ...payload }
        const types = expandPatterns(filters.event_types)
        const { account_filters: accounts, payload_filter: wanted } = filters
        yield* checkRules(previewRules, filters, settings)
        const preview = previewFilters(
          log,
          found.value.network,
          {
            event_types: types,
            ...(accounts.length === 0 ? {} : { accounts }),
            ...(wanted === null ? {} : { payload_filter: wanted })
          },
          payload.events ?? webhookBounds.defaultPreviewEvents
        )
        return yield* costly.run(owner.accountId, previews.withPermit(preview))
      }, orUnavailable)
    })
  })
)
