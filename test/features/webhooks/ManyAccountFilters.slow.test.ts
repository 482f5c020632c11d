/**
 * A million addresses in the webhooks of one account, added by the thousand: the cost of a request does not grow with
 * the number of webhooks, and route finds every address in the next ledger.
 */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { webhookBounds } from "../../../src/features/webhooks/Limits.ts"
import { addressOfAccountId } from "../../../src/spine/event/AccountId.ts"
import type { LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { RoutedWebhooks } from "../../../src/spine/route/RoutedWebhooks.ts"
import { Leases } from "../../../src/spine/store/Leases.ts"
import { outboxPublisherLayer } from "../../../src/spine/store/outbox/OutboxPublisher.ts"
import { ApiUnderTest, apiLayer } from "../../support/http/api.ts"

const WEBHOOKS = 100
const { accountFilters: IN_WEBHOOK, changedAccountFilters: IN_REQUEST } = webhookBounds
const CALLS = IN_WEBHOOK / IN_REQUEST

const addressAt = (n: number) => addressOfAccountId((n * 7_919 + 1).toString(16).padStart(40, "0"))

const routeLayer = Layer.mergeAll(RoutedWebhooks.layer, outboxPublisherLayer).pipe(
  Layer.provide(Leases.alone),
  Layer.provideMerge(apiLayer())
)

layer(routeLayer, { excludeTestServices: true, timeout: "60 seconds" })("a million account filters", (it) => {
  it.effect(
    "are added by the thousand in one account, and found in the next ledger",
    () =>
      Effect.gen(function* () {
        const api = yield* ApiUnderTest
        const { match, upToDate } = yield* RoutedWebhooks
        const { key } = yield* api.account()
        const fields = { url: "https://example.com/hook", event_types: ["payment.xrp"] }
        /** The times of the requests, by how many thousand filters the webhook had. */
        const times: ReadonlyArray<Array<number>> = Array.from({ length: CALLS }, () => [])
        const ids: Array<string> = []
        for (let webhook = 0; webhook < WEBHOOKS; webhook++) {
          const { id } = (yield* api.call("POST", "/v1/webhooks", { key, body: fields })).body
          ids.push(id)
          for (let call = 0; call < CALLS; call++) {
            const from = (webhook * CALLS + call) * IN_REQUEST
            const add = Array.from({ length: IN_REQUEST }, (_, i) => addressAt(from + i))
            const began = yield* Clock.currentTimeMillis
            const answer = yield* api.call("POST", `/v1/webhooks/${id}/account-filters`, {
              key,
              body: { add }
            })
            times[call]!.push((yield* Clock.currentTimeMillis) - began)
            assert.deepStrictEqual(answer.body, { account_filters_count: (call + 1) * IN_REQUEST })
          }
        }
        const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[values.length / 2]!
        const [empty, full] = [median(times[0]!), median(times.at(-1)!)]
        yield* Effect.log(
          `a request with 1,000 addresses: ${empty} ms into an empty webhook, ${full} ms into 9,000`
        )
        // The bound is generous, because other tests run beside it.
        assert.isBelow(full, 250)
        const began = yield* Clock.currentTimeMillis
        yield* upToDate
        yield* Effect.log(`route had them ${(yield* Clock.currentTimeMillis) - began} ms later`)
        for (let n = 0; n < WEBHOOKS * IN_WEBHOOK; n += 9_973) {
          const event = { network: "mainnet", event_type: "payment.xrp", accounts: [addressAt(n)] }
          const found = match(event as unknown as LedgerEvent).map(({ id }) => id)
          assert.deepStrictEqual(found, [ids[Math.floor(n / IN_WEBHOOK)]])
        }
      }),
    300_000
  )
})
