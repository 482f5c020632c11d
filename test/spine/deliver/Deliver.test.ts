/**
 * Delivery on a real database and to real receivers: how deliveries end, in which order, and which ones a bad receiver
 * delays.
 */

import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DeliverLimits, deliverLimits } from "../../../src/spine/deliver/Limits.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { type DeliveryWork, newWork } from "../../../src/spine/domain/Delivery.ts"
import {
  appendWork,
  deliveringLayer,
  eventually,
  makeWebhook,
  queueEvents,
  SECRET,
  setStatus,
  startDelivering,
  tenthOfMemory,
  untilAll
} from "../../support/deliver/delivering.ts"
import { eventOf as anyEvent } from "../../support/deliver/events.ts"
import { makeReceiver, signatureHolds } from "../../support/deliver/receiver.ts"
import { historyOf } from "../../support/store/rows.ts"

const webhookRow = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly status: string
    readonly consecutive_failures: number
    readonly disabled_reason: string | null
  }>`
    SELECT status, consecutive_failures, disabled_reason FROM webhooks WHERE id = ${id}`
  return row!
})

const firstAttempt = (deliveryId: string, webhookId: string): DeliveryWork =>
  newWork(deliveryId, webhookId, anyEvent({}))

describe("deliver", () => {
  it.live("delivers each event once, signed, and records it", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      yield* startDelivering
      const webhook = yield* makeWebhook(receiver.url)
      const ids = yield* queueEvents(webhook, 50)
      yield* untilAll(ids, "delivered")
      assert.deepStrictEqual(receiver.received.map(({ deliveryId }) => deliveryId).sort(), ids)
      for (const one of receiver.received) {
        assert.isTrue(signatureHolds(SECRET, one))
        assert.strictEqual(one.event.webhook_id, webhook)
      }
      assert.deepStrictEqual(yield* historyOf(ids[0]!), [{ attempt: 1, status: "delivered", error: null }])
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live("retries through the delay topics, records every attempt, and fails after the last", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver(() => 503)
      yield* startDelivering
      const webhook = yield* makeWebhook(receiver.url)
      const [id] = yield* queueEvents(webhook, 1)
      yield* untilAll([id!], "failed")
      const failure = (attempt: number) => ({ attempt, status: "failed" as const, error: "HTTP 503" })
      assert.deepStrictEqual(yield* historyOf(id!), [failure(1), failure(2), failure(3)])
      assert.deepInclude(yield* webhookRow(webhook), { consecutive_failures: 1, status: "active" })
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live("delivers on a later attempt and resets the failure counter", () =>
    Effect.gen(function* () {
      const seen = new Map<string, number>()
      const receiver = yield* makeReceiver(({ deliveryId }) => {
        const attempt = (seen.get(deliveryId) ?? 0) + 1
        seen.set(deliveryId, attempt)
        return attempt < 3 ? 500 : 200
      })
      yield* startDelivering
      const webhook = yield* makeWebhook(receiver.url)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE webhooks SET consecutive_failures = 7 WHERE id = ${webhook}`
      const ids = yield* queueEvents(webhook, 20)
      yield* untilAll(ids, "delivered")
      assert.strictEqual(receiver.received.length, 60)
      assert.deepInclude(yield* webhookRow(webhook), { consecutive_failures: 0 })
      const bodies = new Set(
        receiver.received.filter(({ deliveryId }) => deliveryId === ids[0]).map(({ body }) => body)
      )
      assert.strictEqual(bodies.size, 1)
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live(
    "disables a webhook that fails too often, keeps its queue waiting, and resumes once it is enabled",
    () =>
      Effect.gen(function* () {
        let broken = true
        const receiver = yield* makeReceiver(() => (broken ? 500 : 200))
        yield* startDelivering
        const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
        const failing = yield* queueEvents(webhook, 3)
        yield* untilAll(failing, "failed")
        const disabled = Effect.gen(function* () {
          const { status, disabled_reason } = yield* webhookRow(webhook)
          assert.deepStrictEqual([status, disabled_reason], ["disabled", "3 consecutive failed deliveries"])
        })
        yield* eventually(disabled)
        yield* setStatus(webhook, "disabled")
        const waiting = yield* queueEvents(webhook, 30)
        const allInBacklog = Effect.gen(function* () {
          const states = yield* Effect.flatMap(DeliveryStore, (store) => store.states(waiting))
          assert.isTrue(waiting.every((id) => states.get(id)?.parked === true))
        })
        yield* eventually(allInBacklog)
        const before = receiver.received.length
        broken = false
        yield* setStatus(webhook, "active")
        yield* untilAll(waiting, "delivered")
        assert.deepStrictEqual(
          receiver.received.slice(before).map(({ deliveryId }) => deliveryId),
          waiting
        )
      }).pipe(
        Effect.scoped,
        Effect.provide(deliveringLayer({ DISABLE_AFTER_FAILURES: "3", DELIVERY_RETRY_DELAYS: "1ms" }))
      )
  )

  it.live("keeps ledger order at max_in_flight 1, also beyond the memory budget", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 1 })
      const ids = [...(yield* queueEvents(webhook, 150)), ...(yield* queueEvents(webhook, 150))]
      yield* startDelivering
      yield* untilAll(ids, "delivered")
      assert.deepStrictEqual(
        receiver.received.map(({ deliveryId }) => deliveryId),
        ids
      )
    }).pipe(
      Effect.scoped,
      Effect.provide(deliveringLayer()),
      Effect.provideService(DeliverLimits, tenthOfMemory)
    )
  )

  it.live("never has more in flight than the webhook's window", () =>
    Effect.gen(function* () {
      let open = 0
      let most = 0
      const receiver = yield* makeReceiver((_, response) => {
        most = Math.max(most, ++open)
        setImmediate(() => {
          open--
          response.end()
        })
        return "handled"
      })
      yield* startDelivering
      const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 4 })
      yield* untilAll(yield* queueEvents(webhook, 200), "delivered")
      assert.isAtMost(most, 4)
      assert.isAbove(most, 1)
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live("does not let a receiver that hangs delay others, even beyond the memory budget", () =>
    Effect.gen(function* () {
      const hanging = yield* makeReceiver(() => "handled")
      const healthy = yield* makeReceiver()
      yield* startDelivering
      const slow = yield* makeWebhook(hanging.url)
      const webhooks = yield* Effect.forEach(Array.from({ length: 30 }), () => makeWebhook(healthy.url))
      yield* queueEvents(slow, 250)
      const ids = (yield* Effect.forEach(webhooks, (webhook) => queueEvents(webhook, 10))).flat()
      yield* untilAll(ids, "delivered")
    }).pipe(
      Effect.scoped,
      Effect.provide(deliveringLayer()),
      Effect.provideService(DeliverLimits, tenthOfMemory)
    )
  )

  it.live.each(["acct_1", "acct_2"])(
    "lets eight webhooks of %s that hang with wide windows delay none at the same host",
    (accountId) =>
      Effect.gen(function* () {
        yield* startDelivering
        const shared = yield* makeReceiver(({ path }) => (path === "/hang" ? "handled" : 200))
        const hangUrl = shared.url.replace("/hook", "/hang")
        const hanging = yield* Effect.forEach(Array.from({ length: 8 }), () =>
          makeWebhook(hangUrl, { accountId, maxInFlight: 256 })
        )
        yield* Effect.forEach(hanging, (webhook) => queueEvents(webhook, 256))
        yield* shared.until((received) => received.length >= 256)
        const healthy = yield* makeWebhook(shared.url, { accountId: "acct_1" })
        yield* untilAll(yield* queueEvents(healthy, 300), "delivered")
        const open = shared.received.filter(({ path }) => path === "/hang").length
        assert.isBelow(open, deliverLimits.connectionsPerOrigin)
      }).pipe(Effect.scoped, Effect.provide(deliveringLayer({ DELIVERY_TIMEOUT: "1 minute" })))
  )

  it.live("drops a duplicate record of the log", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      yield* startDelivering
      const webhook = yield* makeWebhook(receiver.url)
      const ids = yield* queueEvents(webhook, 10)
      const again = firstAttempt(ids[0]!, webhook)
      yield* appendWork([again, again])
      yield* untilAll(ids, "delivered")
      const last = yield* queueEvents(webhook, 1)
      yield* appendWork([again])
      yield* untilAll(last, "delivered")
      assert.strictEqual(receiver.received.length, 11)
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live(
    "attempts a duplicate record once, even if the first is recorded while the row is read again",
    () => {
      let slow = false
      const read = Latch.makeUnsafe()
      const recorded = Latch.makeUnsafe()
      const slowStore = Layer.effect(
        DeliveryStore,
        Effect.map(DeliveryStore, (store) => ({
          ...store,
          states: (ids: ReadonlyArray<string>) =>
            Effect.tap(store.states(ids), () => {
              if (!slow) return Effect.void
              slow = false
              return Effect.andThen(Latch.open(read), Latch.await(recorded))
            })
        }))
      ).pipe(Layer.provide(DeliveryStore.layer))
      return Effect.gen(function* () {
        const open: Array<ServerResponse> = []
        const receiver = yield* makeReceiver((_, response) => {
          open.push(response)
          return "handled"
        })
        const answerNext = Effect.sync(() => open.shift()!.writeHead(200).end())
        yield* startDelivering
        const webhook = yield* makeWebhook(receiver.url)
        const [id] = yield* queueEvents(webhook, 1)
        yield* receiver.until((received) => received.length === 1)
        slow = true
        yield* appendWork([firstAttempt(id!, webhook)])
        yield* Latch.await(read)
        yield* answerNext
        yield* untilAll([id!], "delivered")
        yield* Latch.open(recorded)
        const [last] = yield* queueEvents(webhook, 1)
        yield* receiver.until((received) => received.length === 2)
        yield* answerNext
        yield* untilAll([last!], "delivered")
        assert.deepStrictEqual(
          receiver.received.map(({ deliveryId }) => deliveryId),
          [id!, last!]
        )
      }).pipe(Effect.scoped, Effect.provide(deliveringLayer({}, slowStore)))
    }
  )

  it.live("ends deliveries of a deleted webhook with that reason", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhook = yield* makeWebhook(receiver.url)
      const ids = yield* queueEvents(webhook, 5)
      yield* setStatus(webhook, "deleted")
      yield* startDelivering
      yield* untilAll(ids, "failed")
      assert.strictEqual(receiver.received.length, 0)
    }).pipe(Effect.scoped, Effect.provide(deliveringLayer()))
  )

  it.live("finishes attempts in flight when it stops, and resumes the others when it starts again", () =>
    Effect.gen(function* () {
      const receiver = yield* makeReceiver()
      const webhook = yield* makeWebhook(receiver.url, { maxInFlight: 8 })
      const ids = yield* queueEvents(webhook, 300)
      const first = yield* startDelivering
      yield* receiver.until((received) => received.length > 100)
      yield* first.stop
      assert.isBelow(receiver.received.length, ids.length)
      yield* startDelivering
      yield* untilAll(ids, "delivered")
      assert.deepStrictEqual(receiver.received.map(({ deliveryId }) => deliveryId).sort(), ids)
    }).pipe(
      Effect.scoped,
      Effect.provide(deliveringLayer()),
      Effect.provideService(DeliverLimits, tenthOfMemory)
    )
  )
})
