/** Deliveries of a deleted webhook are ended, also if there are very many and if a process dies meanwhile. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { foldChanges } from "../../../src/features/statistics/DeliveryTotals.ts"
import { endDeletedQueues, makeEndQueue, SETTLED_MS } from "../../../src/features/webhooks/DeletedQueues.ts"
import { WebhookStore } from "../../../src/features/webhooks/WebhookStore.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { attemptOf, DAY_MS, NOW, newDelivery, OWNER, prepare } from "../../support/deliver/deliveryRows.ts"
import { stepWallClock } from "../../support/program/wallClock.ts"
import { waitingFor } from "../../support/store/rows.ts"
import { DeliveriesLive } from "../deliveries/countedDeliveries.ts"

/** How many rows one statement creates. */
const ROWS = 1_000

/** Creates the given number of deliveries of a webhook, spread over the previous month. */
const queueFor = Effect.fnUntraced(function* (webhookId: string, count: number) {
  const deliveries = yield* DeliveryStore
  const rows = Array.from({ length: count }, (_, i) =>
    newDelivery(webhookId, NOW - Math.floor((31 * DAY_MS * i) / count), "payment.xrp")
  )
  for (let i = 0; i < count; i += ROWS) yield* deliveries.insertPending(rows.slice(i, i + ROWS), NOW)
  return rows.map(({ id }) => id)
})

const countsOf = Effect.fnUntraced(function* (webhookId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly what: string; readonly count: number }>`
    SELECT concat_ws(': ', status, last_error) AS what, count(*)::int AS count FROM deliveries
    WHERE webhook_id = ${webhookId} GROUP BY 1 ORDER BY 1`
  return Object.fromEntries(rows.map(({ what, count }) => [what, count]))
})

const remove = Effect.fnUntraced(function* (webhookId: string) {
  const webhooks = yield* WebhookStore
  return yield* webhooks.remove(OWNER, webhookId, yield* Clock.currentTimeMillis)
})

const isEnding = Effect.fnUntraced(function* (webhookId: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly ending: boolean }>`SELECT ending FROM webhooks WHERE id = ${webhookId}`
  return row!.ending
})

layer(DeliveriesLive)("the queue of a deleted webhook", (it) => {
  it.effect("ends with its reason, in every state and of every day; other deliveries do not", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryStore
      const endQueue = yield* makeEndQueue
      const [deleted, other] = yield* prepare(2)
      const ids = yield* queueFor(deleted!, 400)
      yield* queueFor(other!, 3)
      const record = (from: number, to: number, status: "delivered" | "failed" | "retrying") =>
        deliveries.record(
          ids.slice(from, to).map((id) => attemptOf(id, 1, status, 5)),
          1_000_000
        )
      yield* record(0, 100, "delivered")
      yield* record(100, 150, "retrying")
      yield* foldChanges
      yield* record(150, 200, "retrying")
      yield* record(200, 210, "failed")
      yield* deliveries.moveToBacklog(waitingFor(ids.slice(390)), "live")

      assert.isTrue(yield* remove(deleted!))
      assert.strictEqual(yield* endQueue(OWNER, deleted!, 1_000), 290)
      assert.deepStrictEqual(yield* countsOf(deleted!), {
        delivered: 100,
        "failed: HTTP 503": 10,
        "failed: webhook deleted": 290
      })
      assert.deepStrictEqual(yield* countsOf(other!), { pending: 3 })
      assert.deepStrictEqual(yield* deliveries.webhooksWithBacklog, [])
      assert.strictEqual(yield* endQueue(OWNER, deleted!, 1_000), 0)
    })
  )

  it.effect("is ended in batches by the lease holder if the deletion itself ended nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [deleted] = yield* prepare(1)
      yield* queueFor(deleted!, 10 * Limits.statementRows + 100)
      const read = Effect.map(
        sql<{ readonly rows: number }>`
          SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int AS rows FROM pg_stat_xact_user_tables
          WHERE relname LIKE 'deliver%'`,
        ([row]) => row!.rows
      )
      const [before, , after] = yield* sql.withTransaction(Effect.all([read, remove(deleted!), read]))
      assert.strictEqual(after, before)
      assert.isTrue(yield* endDeletedQueues(new Map()))
      assert.deepInclude(yield* countsOf(deleted!), { pending: 100 })
      assert.isFalse(yield* endDeletedQueues(new Map()))
      assert.deepStrictEqual(yield* countsOf(deleted!), {
        "failed: webhook deleted": 10 * Limits.statementRows + 100
      })
    })
  )

  it.effect("is checked until nothing has come since everything under way must have ended", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryStore
      const [deleted] = yield* prepare(1)
      const pass = endDeletedQueues(new Map())
      yield* remove(deleted!)
      yield* pass
      const [spilled] = yield* queueFor(deleted!, 1)
      // A process that does not know of the deletion yet still spills.
      yield* deliveries.moveToBacklog(waitingFor([spilled!]), "live")
      yield* TestClock.adjust(SETTLED_MS)
      yield* pass
      assert.deepStrictEqual(yield* countsOf(deleted!), { "failed: webhook deleted": 1 })
      assert.isTrue(yield* isEnding(deleted!))
      yield* stepWallClock(3_600_000)
      yield* pass
      yield* pass
      assert.isTrue(yield* isEnding(deleted!))
      yield* TestClock.adjust(1)
      yield* pass
      // The machine was suspended: the time is over, and a process continues what it was doing before.
      yield* queueFor(deleted!, 1)
      yield* pass
      assert.deepStrictEqual(yield* countsOf(deleted!), { "failed: webhook deleted": 2 })
      assert.isTrue(yield* isEnding(deleted!))
      yield* pass
      assert.isFalse(yield* isEnding(deleted!))
    })
  )
})
