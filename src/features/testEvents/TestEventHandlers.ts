/** `/v1/webhooks/:id/test`. */

import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ownerOf } from "../../http/Authentication.ts"
import { change, isCommitted } from "../../http/Change.ts"
import { Caller } from "../../http/ContractParts.ts"
import { webhookDisabled } from "../../http/Errors.ts"
import { contractOf } from "../../http/FeatureContract.ts"
import { checkRules } from "../../http/RequestRules.ts"
import { orUnavailable } from "../../http/StoreFailures.ts"
import { Settings } from "../../spine/config/Config.ts"
import { randomId } from "../../spine/words/Ids.ts"
import { attemptOf } from "../deliveries/AttemptShown.ts"
import { noWebhook } from "../webhooks/WebhookRefusals.ts"
import { makeAwaitAttempt } from "./AwaitAttempt.ts"
import { SyntheticEvents } from "./SyntheticEvents.ts"
import { TestDeliveries } from "./TestDeliveries.ts"
import { TestEvents } from "./TestEventContract.ts"
import { testEventRules } from "./TestPayload.ts"
import { testWaitMs } from "./TestWait.ts"

export const testEventsLayer = HttpApiBuilder.group(
  contractOf(TestEvents),
  "testEvents",
  Effect.fnUntraced(function* (handlers) {
    const settings = yield* Settings
    const tests = yield* TestDeliveries
    const synthetic = yield* SyntheticEvents
    const awaitAttempt = yield* makeAwaitAttempt

    return handlers.handleAll({
      send: Effect.fnUntraced(function* ({ params, payload, query }) {
        const owner = ownerOf(yield* Caller)
        const now = yield* Clock.currentTimeMillis
        const id = randomId("dlv_", now)
        yield* checkRules(testEventRules, payload, settings)
        const event = synthetic.make(payload.event_type, now, payload.payload)
        yield* tests.prepare(now)
        const result = yield* change(tests.queue(owner, { id, webhookId: params.id, event }, now))
        switch (result) {
          case "queued": {
            if (query.wait === undefined) return { delivery_id: id }
            // The contract has checked its form.
            const waitMs = (yield* isCommitted) ? testWaitMs(query.wait)! : 0
            const attempt = yield* awaitAttempt(id, waitMs)
            return { delivery_id: id, attempt: attempt === undefined ? null : attemptOf(attempt) }
          }
          case "not found":
            return yield* noWebhook(params.id)
          case "webhook disabled":
            return yield* webhookDisabled(params.id, "id")
        }
      }, orUnavailable)
    })
  })
)
