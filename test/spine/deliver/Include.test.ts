/** Webhooks with `include`, from route to a real receiver, on a real database: what their requests carry. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { batchBody, batchItem } from "../../../src/spine/event/Batch.ts"
import { type Includable, withIncluded, withoutIncludable } from "../../../src/spine/event/Include.ts"
import { eventsTopic, type LedgerEvent } from "../../../src/spine/event/LedgerEvent.ts"
import { requestBody } from "../../../src/spine/event/RequestFormat.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { route } from "../../../src/spine/route/Route.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import { booked } from "../../support/deliver/bookedEvent.ts"
import { deliveringLayer, makeWebhook, startDelivering, untilAll } from "../../support/deliver/delivering.ts"
import { eventOf } from "../../support/deliver/events.ts"
import { makeReceiver } from "../../support/deliver/receiver.ts"
import { queuedFor } from "../../support/deliver/routing.ts"

const events = [0, 1].map((position): LedgerEvent => ({ ...eventOf({ position }), ...booked }))

/** Routes both events to a webhook and returns its requests, after each was refused once. */
const requestsFor = Effect.fnUntraced(function* (fields: Parameters<typeof makeWebhook>[1]) {
  const log = yield* Log
  const seen = new Set<string>()
  const receiver = yield* makeReceiver(({ body }) => {
    const isNew = !seen.has(body)
    seen.add(body)
    return isNew ? 503 : 200
  })
  const webhookId = yield* makeWebhook(receiver.url, { maxInFlight: 1, ...fields })
  yield* Effect.forkScoped(route(["mainnet"]))
  yield* startDelivering
  yield* log.transaction({
    append: events.map((event) => ({
      topic: eventsTopic("mainnet"),
      key: "mainnet",
      value: JSON.stringify(event)
    }))
  })
  const ids = events.map((event) => deliveryId(event.detected_at, event.position, webhookId, event.event_id))
  yield* untilAll(ids, "delivered")
  const works = yield* queuedFor(webhookId)
  return { bodies: receiver.received.map(({ body }) => body), ids, webhookId, works }
})

describe("a webhook that includes fields", () => {
  for (const format of ["ledgerhook", "cloudevents"] as const)
    for (const include of [[], ["memos"], ["balance_changes", "memos"]] as ReadonlyArray<
      ReadonlyArray<Includable>
    >)
      it.live(`gets ${include.join(" and ") || "none"} in every attempt (${format})`, () =>
        Effect.gen(function* () {
          const { bodies, webhookId, works } = yield* requestsFor({ format, include })
          const expected = events.map((event) => requestBody(format, withIncluded(event, include), webhookId))
          assert.sameMembers(bodies, [...expected, ...expected])
          // The work of most webhooks is as small as before.
          assert.deepStrictEqual(
            works.slice(0, events.length).map(({ event }) => event),
            events.map((event) => (include.length === 0 ? withoutIncludable(event) : event))
          )
        }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
      )

  it.live("gets them in each item of a batch", () =>
    Effect.gen(function* () {
      const { bodies, ids, webhookId } = yield* requestsFor({
        include: ["balance_changes"],
        batch: { max_events: 2, max_wait_ms: 1_000 }
      })
      const items = events.map((event, i) =>
        batchItem("ledgerhook", withIncluded(event, ["balance_changes"]), webhookId, ids[i]!)
      )
      assert.deepStrictEqual(bodies, [batchBody(items), batchBody(items)])
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )
})
