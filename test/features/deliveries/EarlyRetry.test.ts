/** `POST /v1/deliveries/:id/retry` of a delivery that waits for its next attempt. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Outbox } from "../../../src/spine/store/outbox/Outbox.ts"
import { apiLayer } from "../../support/http/api.ts"
import { setUsage, waitingFor } from "../../support/store/rows.ts"
import { NOW, prepareDeliveries } from "./recordedDeliveries.ts"

type Prepared = Effect.Success<ReturnType<typeof prepareDeliveries>>

/** A delivery after the given number of attempts, which waits for another one. */
const retrying = Effect.fnUntraced(function* ({ queue, attempt }: Prepared, attempts = 1) {
  const queued = yield* queue(NOW)
  for (let number = 1; number <= attempts; number++) yield* attempt(queued.id, number, "retrying")
  return queued
})

const retry = ({ api, key }: Prepared, id: string) => api.call("POST", `/v1/deliveries/${id}/retry`, { key })

const queuedWork = Effect.fnUntraced(function* (webhookId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly value: string }>`
    SELECT value FROM outbox WHERE topic = 'webhooks.deliveries' AND key = ${webhookId} ORDER BY id`
  return rows.map(({ value }) => JSON.parse(value))
})

layer(apiLayer(), { excludeTestServices: true })("a retry before the next attempt is due", (it) => {
  it.effect("queues that attempt, in its place of the series, and says that it is due now", () =>
    Effect.gen(function* () {
      const prepared = yield* prepareDeliveries()
      const { webhookId } = prepared
      const sql = yield* SqlClient.SqlClient
      const { id, event } = yield* retrying(prepared, 3)
      const before = Date.now()
      const answer = yield* retry(prepared, id)
      assert.deepStrictEqual([answer.status, answer.body], [200, { delivery_id: id, status: "retrying" }])
      assert.deepStrictEqual(yield* queuedWork(webhookId), [
        {
          ...{ delivery_id: id, webhook_id: webhookId, attempt: 4, series_attempt: 4, due_at: 0 },
          ...{ manual: true, ledger_index: event.ledger_index, event }
        }
      ])
      const [row] = yield* sql<{ readonly due: number; readonly attempts: number; readonly status: string }>`
        SELECT status, attempts, (extract(epoch FROM next_attempt_at) * 1000)::float8 AS due
        FROM deliveries WHERE id = ${id}`
      assert.deepInclude(row, { status: "retrying", attempts: 3 })
      assert.isTrue(row!.due >= before && row!.due <= Date.now())
    })
  )

  it.effect("queues it once, however often it is asked for, until that attempt has failed", () =>
    Effect.gen(function* () {
      const prepared = yield* prepareDeliveries()
      const { id } = yield* retrying(prepared)
      const answers = yield* Effect.all(
        Array.from({ length: 5 }, () => retry(prepared, id)),
        { concurrency: "unbounded" }
      )
      for (const { status, body } of answers) assert.deepStrictEqual([status, body.status], [200, "retrying"])
      assert.lengthOf(yield* queuedWork(prepared.webhookId), 1)
      yield* prepared.attempt(id, 2, "retrying")
      assert.strictEqual((yield* retry(prepared, id)).status, 200)
      assert.deepStrictEqual(
        (yield* queuedWork(prepared.webhookId)).map(({ attempt }) => attempt),
        [2, 3]
      )
    })
  )

  it.effect("changes the row and queues the work together, or neither", () =>
    Effect.gen(function* () {
      const prepared = yield* prepareDeliveries()
      const { accountId, attempt, queue } = prepared
      const outbox = yield* Outbox
      const store = yield* DeliveryStore
      const dying = yield* DeliveryQueries.make.pipe(
        Effect.provideService(Outbox, {
          ...outbox,
          // The process dies after it has written the work and before the transaction ends.
          insert: (records) => Effect.andThen(outbox.insert(records), Effect.die(new Error("gone")))
        })
      )
      const { id: waiting, event } = yield* retrying(prepared)
      const { id: failed } = yield* queue(NOW)
      yield* attempt(failed, 1, "failed")
      const before = yield* store.states([waiting, failed])
      const owner = { accountId, networks: ["mainnet"] as const }
      for (const id of [waiting, failed]) {
        const exit = yield* Effect.exit(dying.retry(owner, id, event, Date.now()))
        assert.strictEqual(exit._tag, "Failure")
      }
      assert.deepStrictEqual(yield* store.states([waiting, failed]), before)
      assert.deepStrictEqual(yield* queuedWork(prepared.webhookId), [])
      assert.strictEqual((yield* retry(prepared, waiting)).status, 200)
    })
  )

  it.effect("is answered 409 with the status where no attempt can be brought forward", () =>
    Effect.gen(function* () {
      const prepared = yield* prepareDeliveries()
      const pending = (yield* prepared.queue(NOW)).id
      const { id: delivered } = yield* retrying(prepared)
      yield* prepared.attempt(delivered, 2, "delivered", 200)
      for (const [id, status] of [
        [pending, "pending"],
        [delivered, "delivered"]
      ] as const) {
        const answer = yield* retry(prepared, id)
        assert.deepStrictEqual(
          [answer.status, answer.body.error],
          [
            409,
            {
              code: "DELIVERY_NOT_FAILED",
              message: `Delivery ${id} is ${status}; only failed and retrying deliveries can be retried.`,
              param: "id",
              doc_url: "/docs/errors#delivery_not_failed"
            }
          ]
        )
      }
      assert.deepStrictEqual(yield* queuedWork(prepared.webhookId), [])
    })
  )

  it.effect("is refused for a disabled webhook, and while the month's quota is used up", () =>
    Effect.gen(function* () {
      const prepared = yield* prepareDeliveries()
      const { accountId, api, key, webhookId } = prepared
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* retrying(prepared)
      const path = `/v1/webhooks/${webhookId}`
      yield* api.call("PATCH", path, { key, body: { status: "disabled" } })
      const disabled = yield* retry(prepared, id)
      assert.deepStrictEqual([disabled.status, disabled.body.error.code], [409, "WEBHOOK_DISABLED"])
      yield* api.call("PATCH", path, { key, body: { status: "active" } })
      yield* sql`UPDATE accounts SET monthly_deliveries = 1 WHERE id = ${accountId}`
      yield* setUsage(accountId, new Date().toISOString().slice(0, 7), 1)
      const usedUp = yield* retry(prepared, id)
      assert.deepStrictEqual([usedUp.status, usedUp.body.error.code], [402, "QUOTA_EXCEEDED"])
      assert.deepStrictEqual(yield* queuedWork(webhookId), [])
    })
  )

  it.effect("changes nothing of one that waits in backlog: it is due already", () =>
    Effect.gen(function* () {
      const prepared = yield* prepareDeliveries()
      const store = yield* DeliveryStore
      const { id } = yield* retrying(prepared)
      yield* store.moveToBacklog(waitingFor([id], 2), "live")
      const before = (yield* store.states([id])).get(id)
      const answer = yield* retry(prepared, id)
      assert.deepStrictEqual([answer.status, answer.body], [200, { delivery_id: id, status: "retrying" }])
      assert.deepStrictEqual((yield* store.states([id])).get(id), before)
      assert.deepStrictEqual(yield* queuedWork(prepared.webhookId), [])
    })
  )
})
