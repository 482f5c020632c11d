/** Contract of `/v1/webhooks/:id/account-filters`: adds and removes account filters. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  addressForm,
  CommonErrors,
  count,
  KeyRequired,
  postErrors,
  scoped,
  textList,
  uncheckedText
} from "../../http/ContractParts.ts"
import { NotFound, WebhookLimitReached } from "../../http/Errors.ts"
import { Place } from "../../http/FeatureContract.ts"
import { bodyRules, RequestRules } from "../../http/RequestRules.ts"
import { addressProblem } from "../../spine/event/AccountId.ts"
import { webhookBounds } from "./Limits.ts"
import { accountFilterRules } from "./WebhookBodyRules.ts"
import { WebhookId } from "./WebhooksContract.ts"

const MOST = webhookBounds.changedAccountFilters
const ADDRESS = "rPPxNd4wM6oW3hD13URmyASe2jHQ56rQxX"

const addresses = (description: string, example: string) =>
  Schema.optionalKey(
    textList(
      uncheckedText(addressForm),
      (length) => (length > MOST ? `must contain at most ${MOST} addresses` : undefined),
      addressProblem,
      { maxItems: MOST }
    ).annotate({ description, examples: [[example]] })
  )

const AccountFilterChange = Schema.Struct({
  add: addresses("Classic addresses to add. One that is a filter already stays one.", ADDRESS),
  remove: addresses(
    "Classic addresses to remove. One that is no filter is ignored.",
    "rrrrrrrrrrrrrrrrrrrrBZbvji"
  )
}).annotate({
  identifier: "AccountFilterChange",
  description: `Up to ${MOST} addresses in all, at least one.`,
  examples: [{ add: [ADDRESS] }]
})

const AccountFilterCount = Schema.Struct({
  account_filters_count: count("How many account filters the webhook now has.", 1)
}).annotate({ identifier: "AccountFilterCount", description: "The number of account filters." })

export class AccountFiltersGroup extends HttpApiGroup.make("accountFilters")
  .add(
    HttpApiEndpoint.post("change", "/:id/account-filters", {
      params: { id: WebhookId },
      payload: AccountFilterChange,
      success: AccountFilterCount,
      error: [NotFound, WebhookLimitReached, ...postErrors]
    })
      .annotate(RequestRules, bodyRules(accountFilterRules))
      .annotateMerge(
        scoped("webhooks:write", {
          identifier: "changeAccountFilters",
          summary: "Add and remove account filters",
          description: `Changes the account filters without sending all of them. The same request again changes nothing. The change applies from the next ledger on. A webhook without account filters gets the events of every account, and with the first added address only those of this address; therefore the last filter cannot be removed here: use \`PATCH /v1/webhooks/{id}\` with \`account_filters: []\`. A webhook has at most ${webhookBounds.accountFilters} account filters, and the plan limits those of all webhooks together (\`GET /v1/account\`).`
        })
      )
  )
  .middleware(CommonErrors)
  .middleware(KeyRequired)
  .annotate(Place, 20)
  .annotate(OpenApi.Description, "The addresses whose events a webhook gets.")
  .prefix("/v1/webhooks") {}
