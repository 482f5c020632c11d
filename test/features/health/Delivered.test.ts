/** The stages record the facts: attempts to a receiver make an incident, and a manual retry that is answered ends it. */
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { readHealth } from "../../../src/features/webhooks/WebhookHealthQueries.ts"
import {
  deliveringLayer,
  eventOf,
  eventually,
  makeWebhook,
  queueEvents,
  startDelivering,
  untilAll
} from "../../support/deliver/delivering.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"

const OWNER = { accountId: "acct_1", networks: ["mainnet"] as const }

it.live(
  "an incident begins with the failures of a receiver, and ends with the retry by hand that it answers",
  () => {
    let answer = 503
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const queries = yield* DeliveryQueries
      const receiver = yield* makeReceiver(() => answer)
      const webhook = yield* makeWebhook(receiver.url)
      const stateOf = Effect.map(readHealth([webhook]), (found) => found.get(webhook)?.state)
      assert.strictEqual(yield* stateOf, "new")
      const ids = yield* queueEvents(webhook, 3)
      yield* startDelivering
      yield* untilAll(ids, "failed")
      assert.strictEqual(yield* stateOf, "failing")
      answer = 200
      yield* queries.retry(OWNER, ids[0]!, yield* eventOf(ids[0]!), yield* Clock.currentTimeMillis)
      yield* eventually(Effect.map(stateOf, (state) => assert.strictEqual(state, "healthy")))
      const incidents = yield* sql`SELECT webhook_id, cause, attempts_failed, ended_by FROM incidents`
      assert.deepStrictEqual(incidents, [
        { webhook_id: webhook, cause: "HTTP 503", attempts_failed: 6, ended_by: "retry" }
      ])
    }).pipe(
      Effect.scoped,
      Effect.provide(DeliveryQueries.layer),
      Effect.provide(deliveringLayer({ DELIVERY_RETRY_DELAYS: "1ms" }))
    )
  }
)
