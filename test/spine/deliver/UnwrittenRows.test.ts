/**
 * Live deliveries have no row until an outcome or a wait of about a second makes one. Those of release 0.2.0 have one
 * from the start. Both kinds end, in order, whatever happens before their first attempt.
 */
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { DELIVERIES_TOPIC } from "../../../src/spine/domain/Delivery.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { partitionOf } from "../../../src/spine/log/Topics.ts"
import { WebhookRegistry } from "../../../src/spine/registry/WebhookRegistry.ts"
import {
  deliveringLayer,
  eventually,
  makeWebhook,
  queueEvents,
  queueWithRows,
  setStatus,
  startDelivering,
  untilAll
} from "../../support/deliver/delivering.ts"
import { makeReceiver, type Receiver } from "../../support/deliver/receiver.ts"
import { waitingFor } from "../../support/store/rows.ts"

/** Events of both kinds by turns, in ledger order. */
const queueMixed = Effect.fnUntraced(function* (webhook: string) {
  const ids: Array<string> = []
  for (const as of [queueEvents, queueWithRows, queueEvents, queueWithRows])
    ids.push(...(yield* as(webhook, 5)))
  return ids
})

const states = (ids: ReadonlyArray<string>) =>
  Effect.flatMap(DeliveryStore, (store) =>
    Effect.map(store.states(ids), (found) => ids.map((id) => found.get(id)))
  )

const untilParked = (ids: ReadonlyArray<string>) =>
  eventually(
    Effect.map(states(ids), (found) =>
      assert.deepStrictEqual(
        found.map((state) => state?.parked),
        ids.map(() => true)
      )
    )
  )

const sent = ({ received }: Receiver) => received.map(({ deliveryId }) => deliveryId)

/** A receiver that answers when the test says so. */
const makeWaiting = Effect.gen(function* () {
  const open: Array<ServerResponse> = []
  let isWaiting = true
  const receiver = yield* makeReceiver((_, response) => {
    if (!isWaiting) return 200
    open.push(response)
    return "handled"
  })
  return {
    receiver,
    answerOne: Effect.sync(() => void open.shift()!.writeHead(200).end()),
    answerAll: Effect.sync(() => {
      isWaiting = false
      for (const response of open) response.writeHead(200).end()
    })
  }
})

const delivering = deliveringLayer({ DELIVERY_TIMEOUT: "1 minute" })

describe("deliveries with and without a row", () => {
  it.live(
    "are sent also if an earlier owner wrote them to the backlog after this one had looked for it",
    () =>
      Effect.gen(function* () {
        const receiver = yield* makeReceiver()
        const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
        yield* startDelivering
        const first = yield* queueEvents(webhook, 1)
        yield* untilAll(first, "delivered")
        const late = yield* queueWithRows(webhook, 3, (ids) =>
          Effect.flatMap(DeliveryStore, (store) => store.moveToBacklog(waitingFor(ids), "live"))
        )
        yield* untilAll(late, "delivered")
        assert.deepStrictEqual(sent(receiver), [...first, ...late])
      }).pipe(Effect.scoped, Effect.provide(delivering))
  )

  it.live("are delivered in order and recorded once", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
      const before = yield* queueMixed(webhook)
      yield* startDelivering
      const ids = [...before, ...(yield* queueMixed(webhook))]
      yield* untilAll(ids, "delivered")
      assert.deepStrictEqual(sent(receiver), ids)
      const sql = yield* SqlClient.SqlClient
      const [usage] = yield* sql`SELECT sum(deliveries)::int AS attempts FROM delivery_usage`
      assert.strictEqual(usage!.attempts, ids.length)
    }).pipe(Effect.scoped, Effect.provide(delivering))
  )

  it.live("are retried after a failed first attempt", () =>
    Effect.gen(function* () {
      const failed = new Set<string>()
      const receiver = yield* makeReceiver(({ deliveryId }) => {
        if (failed.has(deliveryId)) return 200
        failed.add(deliveryId)
        return 503
      })
      yield* startDelivering
      const webhook = yield* makeWebhook(receiver.url)
      const ids = yield* queueMixed(webhook)
      yield* untilAll(ids, "delivered")
      assert.deepStrictEqual(
        (yield* states(ids)).map((state) => state?.attempts),
        ids.map(() => 2)
      )
    }).pipe(Effect.scoped, Effect.provide(delivering))
  )

  it.live("wait in the backlog while their webhook is disabled, and leave in order", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
      yield* setStatus(webhook, "disabled")
      yield* startDelivering
      const ids = yield* queueMixed(webhook)
      yield* untilParked(ids)
      yield* setStatus(webhook, "active")
      yield* untilAll(ids, "delivered")
      assert.deepStrictEqual(sent(receiver), ids)
    }).pipe(Effect.scoped, Effect.provide(delivering))
  )

  it.live("get a row when they wait, and their offsets are committed before their attempts", () =>
    Effect.gen(function* () {
      const { answerAll, answerOne, receiver } = yield* makeWaiting
      yield* startDelivering
      const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
      const ids = yield* queueMixed(webhook)
      yield* receiver.until(({ length }) => length === 1)
      yield* untilParked(ids.slice(1))
      yield* answerOne
      const log = yield* Log
      const partition = { topic: DELIVERIES_TOPIC, partition: partitionOf(DELIVERIES_TOPIC, webhook) }
      yield* eventually(
        Effect.map(log.committed("deliver", partition), (offset) => assert.strictEqual(offset, ids.length))
      )
      yield* answerAll
      yield* untilAll(ids, "delivered")
      assert.deepStrictEqual(sent(receiver), ids)
    }).pipe(Effect.scoped, Effect.provide(delivering))
  )

  it.live("stay out of the backlog if their attempt is recorded before they are moved there", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver(() => 503)
      yield* startDelivering
      const ids = yield* queueMixed(yield* makeWebhook(receiver.url))
      yield* untilAll(ids, "retrying")
      const store = yield* DeliveryStore
      yield* store.moveToBacklog(waitingFor(ids, 1), "live")
      assert.deepStrictEqual(
        (yield* states(ids)).filter((state) => state?.parked !== false),
        []
      )
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer({ DELIVERY_RETRY_DELAYS: "1h" })))
  )

  it.live("end with their webhook when it is deleted while they are queued", () =>
    Effect.gen(function* () {
      const { answerAll, receiver } = yield* makeWaiting
      yield* startDelivering
      const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
      const ids = yield* queueMixed(webhook)
      yield* receiver.until(({ length }) => length === 1)
      yield* setStatus(webhook, "deleted")
      yield* Effect.flatMap(WebhookRegistry, ({ upToDate }) => upToDate)
      yield* untilAll(ids.slice(1), "failed")
      yield* answerAll
      yield* untilAll(ids.slice(0, 1), "delivered")
      assert.deepStrictEqual(sent(receiver), ids.slice(0, 1))
    }).pipe(Effect.scoped, Effect.provide(delivering))
  )
})
