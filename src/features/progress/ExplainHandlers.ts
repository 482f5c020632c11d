/** `/v1/explain`: why webhooks got, or did not get, the events of a transaction. */

import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ownerOf } from "../../http/Authentication.ts"
import { networkRules } from "../../http/CommonRules.ts"
import { Caller } from "../../http/ContractParts.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { CostlyTurns } from "../../http/guard/Turns.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings } from "../../spine/config/Config.ts"
import { Log } from "../../spine/log/Log.ts"
import { networksFor } from "../events/EventsHandlers.ts"
import { noWebhook } from "../webhooks/WebhookRefusals.ts"
import { Explain } from "./ExplainContract.ts"
import { explanationJson } from "./ExplanationJson.ts"
import { Explanations } from "./Explanations.ts"

export const explainLayer = HttpApiBuilder.group(
  contractOf(Explain),
  "explain",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    const explanations = yield* Explanations
    const log = yield* Log
    const costly = yield* CostlyTurns

    return handlers.handleAll({
      explain: Effect.fnUntraced(function* ({ query: { webhook_id: webhookId, ...query } }) {
        const caller = yield* Caller
        const whose = { ...ownerOf(caller), webhookId }
        yield* checkRules(networkRules, query, settings)
        const [network] = networksFor(caller.environment, query.network)
        if (webhookId !== undefined && !(yield* explanations.hasWebhook(whose, webhookId))) {
          return yield* noWebhook(webhookId, "webhook_id")
        }
        const transaction = {
          hash: query.transaction.toUpperCase(),
          // Every environment has a network.
          network: network!,
          ledgerIndex: query.ledger_index === undefined ? undefined : Number(query.ledger_index)
        }
        const explanation = explanations.explain(log, transaction, whose, yield* Clock.currentTimeMillis)
        const found = yield* costly.run(caller.accountId, explanation)
        return explanationJson(transaction.hash, found)
      }, orUnavailable)
    })
  })
)
