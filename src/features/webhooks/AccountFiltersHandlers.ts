/** `/v1/webhooks/:id/account-filters`. */

import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ownerOf } from "../../http/Authentication.ts"
import { change } from "../../http/Change.ts"
import { Caller } from "../../http/ContractParts.ts"
import { ValidationError } from "../../http/Errors.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings } from "../../spine/config/Config.ts"
import { type FiltersRefused, makeChangeAccountFilters } from "./AccountFilters.ts"
import { AccountFiltersGroup } from "./AccountFiltersContract.ts"
import { webhookBounds } from "./Limits.ts"
import { accountFilterRules } from "./WebhookBodyRules.ts"
import { limitReached, noWebhook } from "./WebhookRefusals.ts"

const { accountFilters } = webhookBounds

const sentenceOf = (id: string, { added, present, reason }: FiltersRefused): string =>
  reason === "none left"
    ? `remove must leave at least one account filter: without any, the webhook would get the events of every account. If you want that, use PATCH /v1/webhooks/${id} with account_filters: [].`
    : `add must leave at most ${accountFilters} account filters in the webhook; it has ${present}, and ${added} would be added. Register another webhook for the others.`

export const accountFiltersLayer = HttpApiBuilder.group(
  contractOf(AccountFiltersGroup),
  "accountFilters",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    const changeFilters = yield* makeChangeAccountFilters

    return handlers.handleAll({
      change: Effect.fnUntraced(
        function* ({ params, payload }) {
          const owner = ownerOf(yield* Caller)
          yield* checkRules(accountFilterRules, payload, settings)
          const { add = [], remove = [] } = payload
          const wanted = { add: [...new Set(add)], remove: [...new Set(remove)] }
          const now = yield* Clock.currentTimeMillis
          const count = yield* change(changeFilters(owner, params.id, wanted, now)).pipe(
            Effect.catchTag("FiltersRefused", (refused) =>
              Effect.fail(
                ValidationError.because(sentenceOf(params.id, refused), {
                  param: refused.reason === "none left" ? "/remove" : "/add"
                })
              )
            )
          )
          if (Option.isNone(count)) return yield* noWebhook(params.id)
          return { account_filters_count: count.value }
        },
        Effect.catchTag("WebhookLimit", (limit) => limitReached(limit, "/add")),
        orUnavailable
      )
    })
  })
)
