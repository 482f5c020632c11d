/** What became of a ledger's deliveries: which count, as what, the newest attempt, and how much is read for it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryQueries } from "../../../src/features/deliveries/DeliveryQueries.ts"
import { type LedgerAnswers, ledgerAnswers } from "../../../src/features/deliveries/LedgerAnswers.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import { retryNow } from "../../../src/spine/deliveries/Transitions.ts"
import { ReadSql } from "../../../src/spine/store/Sql.ts"
import { deliveryId, randomId } from "../../../src/spine/words/Ids.ts"
import { attemptOf, NOW, newDelivery } from "../../support/deliver/deliveryRows.ts"
import { insertAccount, insertWebhook } from "../../support/store/rows.ts"
import { deliveriesReadBy } from "../../support/store/rowsRead.ts"
import { DeliveriesLive } from "./countedDeliveries.ts"

/** An account with a webhook, and what became of its deliveries. */
const account = Effect.fnUntraced(function* () {
  const store = yield* DeliveryStore
  const { ledgerAnswers: answersOf } = yield* DeliveryQueries
  yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(NOW, NOW))
  const accountId = randomId("acct_", NOW)
  yield* insertAccount(accountId)
  const webhookId = yield* insertWebhook(accountId)
  const queue = Effect.fnUntraced(function* (takenAt: number, type = "payment.xrp", more: object = {}) {
    const delivery = { ...newDelivery(webhookId, takenAt, type), accountId, ...more }
    yield* store.insertPending([delivery], takenAt)
    return delivery.id
  })
  const attempt = (
    id: string,
    number: number,
    status: "delivered" | "retrying" | "failed",
    more: { readonly endedAt?: number; readonly responseTimeMs?: number } = {}
  ) => store.record([{ ...attemptOf(id, number, status, 12), ...more }], 1_000)
  const answers = (...takenAt: ReadonlyArray<number>) => answersOf(accountId, "mainnet", takenAt)
  return { accountId, webhookId, queue, attempt, answers }
})

const counts = ({ answered, event_type, events, failed, waiting }: LedgerAnswers) => ({
  [event_type]: [events, answered, failed, waiting]
})

layer(DeliveriesLive)("the answers to a ledger's events", (it) => {
  it.effect("count a delivery by its newest attempt, by type, as long as it waits and afterwards", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { answers, attempt, queue, webhookId } = yield* account()
      const [fresh, retrying, failed, retried, minted] = [
        yield* queue(NOW),
        yield* queue(NOW),
        yield* queue(NOW),
        yield* queue(NOW),
        yield* queue(NOW, "nft.minted")
      ]
      const now = () => Effect.map(answers(NOW), (rows) => Object.assign({}, ...rows.map(counts)))
      assert.deepStrictEqual(yield* now(), { "nft.minted": [1, 0, 0, 1], "payment.xrp": [4, 0, 0, 4] })
      yield* attempt(retrying!, 1, "retrying")
      yield* attempt(failed!, 1, "failed")
      yield* attempt(retried!, 1, "failed")
      yield* attempt(minted!, 1, "delivered")
      assert.deepStrictEqual(yield* now(), { "nft.minted": [1, 1, 0, 0], "payment.xrp": [4, 0, 3, 2] })
      // A retry by hand waits again. Until it is answered, the newest attempt is the failed one.
      yield* retryNow(sql, [retried!], NOW)
      assert.deepStrictEqual((yield* now())["payment.xrp"], [4, 0, 3, 3])
      yield* attempt(retried!, 2, "delivered")
      yield* attempt(retrying!, 2, "delivered")
      yield* attempt(fresh!, 1, "delivered")
      assert.deepStrictEqual((yield* now())["payment.xrp"], [4, 3, 1, 0])
      assert.deepStrictEqual(
        new Set((yield* answers(NOW)).map((row) => row.webhook_id)),
        new Set([webhookId])
      )
    })
  )

  it.effect("show the newest attempt for any of its deliveries, whatever their type", () =>
    Effect.gen(function* () {
      const { answers, attempt, queue } = yield* account()
      const [one, other] = [yield* queue(NOW), yield* queue(NOW, "nft.minted")]
      const last = () =>
        Effect.map(answers(NOW), (rows) =>
          rows.map(({ last_error, last_status, response_time_ms }) => [
            last_status,
            last_error,
            response_time_ms
          ])
        )
      assert.deepStrictEqual(yield* last(), [
        [null, null, null],
        [null, null, null]
      ])
      yield* attempt(one, 1, "delivered", { endedAt: NOW + 100, responseTimeMs: 31 })
      yield* attempt(other, 1, "retrying", { endedAt: NOW + 200, responseTimeMs: 32 })
      assert.deepStrictEqual(yield* last(), [
        [503, "HTTP 503", 32],
        [503, "HTTP 503", 32]
      ])
      yield* attempt(other, 2, "delivered", { endedAt: NOW + 300, responseTimeMs: 33 })
      // The row still has the error of the attempt before.
      assert.deepStrictEqual(yield* last(), [
        [200, null, 33],
        [200, null, 33]
      ])
    })
  )

  it.effect("are those of the account's live deliveries of that ledger, and no others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [own, other] = [yield* account(), yield* account()]
      yield* own.queue(NOW)
      for (const takenAt of [NOW - 1, NOW + 1]) yield* own.queue(takenAt, "nft.burned")
      yield* other.queue(NOW, "check.created")
      yield* own.queue(NOW, "trustline.created", { replayJobId: "rpl_job_1" })
      const test = yield* own.queue(NOW, "escrow.created")
      yield* sql`UPDATE deliveries SET event_offset = NULL, test_event = '{}' WHERE id = ${test}`
      yield* own.queue(NOW, "account.created", { network: "testnet" })
      const types = (rows: ReadonlyArray<LedgerAnswers>) =>
        rows.map(({ event_type, taken_at }) => [taken_at - NOW, event_type])
      assert.deepStrictEqual(types(yield* own.answers(NOW)), [[0, "payment.xrp"]])
      assert.deepStrictEqual(types(yield* own.answers(NOW - 1, NOW, NOW + 1)), [
        [-1, "nft.burned"],
        [0, "payment.xrp"],
        [1, "nft.burned"]
      ])
      assert.deepStrictEqual(types(yield* own.answers(NOW + 5)), [])
    })
  )

  it.effect("are read from an index: the rows of these ledgers, however many others there are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountId, webhookId } = yield* account()
      const perLedger = 50
      const ids = Array.from({ length: 100 * perLedger }, (_, i) =>
        deliveryId(NOW + Math.floor(i / perLedger) * 10, i % perLedger, webhookId, String(i))
      )
      yield* sql`
        INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, status, updated_at)
        SELECT id, ${webhookId}, ${accountId}, 'mainnet', 'event', 'payment.xrp', 1, 'pending', now()
        FROM unnest(${ids}::text[]) AS id`
      const read = yield* ReadSql
      const asked = ledgerAnswers(read, accountId, "mainnet", [NOW, NOW + 10, NOW + 500])
      // Of a new day's table PostgreSQL knows nothing yet.
      assert.strictEqual(yield* deliveriesReadBy(asked), 3 * perLedger)
      yield* sql`ANALYZE deliveries`
      assert.strictEqual(yield* deliveriesReadBy(asked), 3 * perLedger)
    })
  )
})
