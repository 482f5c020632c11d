/** Rows are the truth: each method may be repeated after an unknown result and changes nothing the second time. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import type { AttemptRecord, NewDelivery } from "../../../src/spine/deliveries/Transitions.ts"
import { makeDeadLetters } from "../../../src/spine/store/DeadLetters.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import { MonthDatabase } from "../../support/store/postgres.ts"
import { insertAccount, insertWebhook, scheduleOf, waitingFor } from "../../support/store/rows.ts"

const NOW = Date.parse("2026-11-21T09:30:00.000Z")
const DAY_MS = 86_400_000
const DAYS_BEFORE = 20
const DISABLE_AFTER = 3

let position = 0
const newDelivery = (webhookId: string, at = NOW): NewDelivery => ({
  id: deliveryId(at, position++, webhookId, "event"),
  webhookId,
  accountId: "acct_1",
  network: "mainnet",
  eventId: "event",
  eventType: "payment.xrp",
  eventOffset: 7
})

const attempt = (deliveryId: string, number: number, status: AttemptRecord["status"]): AttemptRecord => ({
  deliveryId,
  attempt: number,
  status,
  responseStatus: status === "delivered" ? 200 : 503,
  responseTimeMs: 5,
  responseBody: "body",
  error: status === "delivered" ? null : "HTTP 503",
  attemptedAt: NOW,
  endedAt: NOW + 5,
  nextDelayMs: status === "retrying" ? 1_000 : null
})

const Live = Layer.merge(DeliveryStore.layer, Partitions.layer).pipe(Layer.provideMerge(MonthDatabase))

layer(Live)("delivery store", (it) => {
  const webhookRow = (id: string) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ consecutive_failures: number; status: string }>`
        SELECT consecutive_failures, status FROM webhooks WHERE id = ${id}`
      return rows[0]!
    })
  const prepare = (count: number) =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      // Days ahead, as every store has them.
      yield* Effect.flatMap(Partitions, (partitions) =>
        partitions.ensure(NOW - DAYS_BEFORE * DAY_MS, NOW + DAY_MS)
      )
      yield* insertAccount("acct_1")
      const webhookId = yield* insertWebhook("acct_1")
      const rows = Array.from({ length: count }, () => newDelivery(webhookId))
      yield* store.insertPending(rows, NOW)
      return { store, webhookId, rows, ids: rows.map(({ id }) => id) }
    })

  const disable = Effect.fnUntraced(function* (webhookId: string) {
    const sql = yield* SqlClient.SqlClient
    const since = new Date(NOW - 1).toISOString()
    yield* sql`UPDATE webhooks SET status = 'disabled', disabled_at = ${since}::timestamptz WHERE id = ${webhookId}`
  })

  it.effect("records an attempt with any characters in its response and its error", () =>
    Effect.gen(function* () {
      const { store, ids, webhookId } = yield* prepare(2)
      const [first, second] = ids
      yield* store.record(
        [
          { ...attempt(first!, 1, "retrying"), responseBody: "a\0b", error: "TLS: \0" },
          attempt(second!, 1, "failed")
        ],
        DISABLE_AFTER
      )
      const states = yield* store.states(ids)
      assert.deepInclude(states.get(first!), { status: "retrying", attempts: 1 })
      assert.deepInclude(states.get(second!), { status: "failed", attempts: 1 })
      assert.strictEqual((yield* webhookRow(webhookId)).consecutive_failures, 1)
      // The store splits the batch until the outcome that cannot be stored is alone.
      yield* store.record(
        [
          { ...attempt(first!, 2, "failed"), responseStatus: 2 ** 40 },
          { ...attempt(second!, 2, "delivered") }
        ],
        DISABLE_AFTER
      )
      const after = yield* store.states(ids)
      assert.deepInclude(after.get(first!), { status: "retrying", attempts: 1 })
      assert.deepInclude(after.get(second!), { status: "delivered", attempts: 2 })
      const { rows } = yield* (yield* makeDeadLetters).newest(1)
      assert.deepInclude(rows[0], { stage: "deliver", source: `attempt 2 of ${first}` })
    })
  )

  describe("reads few rows", () => {
    const BATCHES = 30
    const BATCH = 40
    /** Runs in one session, which makes and keeps a plan while there are few rows. Returns how many rows were read. */
    const readBy = Effect.fnUntraced(function* (webhookId: string) {
      const store = yield* DeliveryStore
      const sql = yield* SqlClient.SqlClient
      const soFar = Effect.map(
        sql<{ readonly in_order: number; readonly by_index: number }>`
          SELECT sum(seq_tup_read)::int AS in_order, sum(idx_tup_fetch)::int AS by_index FROM pg_stat_xact_user_tables
          WHERE relname ~ '^(deliveries|attempts)_' OR relname = 'webhooks'`,
        ([found]) => ({ inOrder: found?.in_order ?? 0, byIndex: found?.by_index ?? 0 })
      )
      const batches = Effect.gen(function* () {
        const before = yield* soFar
        for (let batch = 0; batch < BATCHES; batch++) {
          const rows = Array.from({ length: BATCH }, () => newDelivery(webhookId))
          const ids = rows.map(({ id }) => id)
          yield* store.insertPending(rows, NOW)
          yield* store.states(ids)
          yield* store.record(
            ids.map((id) => attempt(id, 1, "failed")),
            1_000_000
          )
          const unwritten = Array.from({ length: BATCH }, () => newDelivery(webhookId))
          yield* store.recordFirst(
            unwritten.map((row) => ({ row, attempt: attempt(row.id, 1, "failed") })),
            1_000_000
          )
          const waiting = Array.from({ length: BATCH }, () => newDelivery(webhookId))
          yield* store.moveToBacklog(
            waiting.map((row) => ({ deliveryId: row.id, attempt: 1, row })),
            "live"
          )
        }
        const after = yield* soFar
        return { inOrder: after.inOrder - before.inOrder, byIndex: after.byIndex - before.byIndex }
      })
      const read = yield* sql.withTransaction(batches)
      yield* sql`UPDATE deliveries SET parked = false WHERE webhook_id = ${webhookId}`
      return read
    })
    /**
     * Recording a delivery may read three rows: its state, its record and its webhook's. Without a row it reads only the
     * last, and spilling reads the row that it made. While a day has a few pages, reading them in order is quicker. A plan
     * that is kept from then would read 100,000 rows.
     */
    const FEW = 5 * BATCHES * BATCH

    it.effect("in a new store, of which PostgreSQL knows nothing yet", () =>
      Effect.gen(function* () {
        const { webhookId } = yield* prepare(0)
        const read = yield* readBy(webhookId)
        assert.isAtMost(read.inOrder, FEW)
        assert.isAtMost(read.byIndex, FEW)
      })
    )

    it.effect("in a store of days that have few each", () =>
      Effect.gen(function* () {
        const { store, webhookId } = yield* prepare(0)
        const sql = yield* SqlClient.SqlClient
        for (let day = 0; day <= DAYS_BEFORE; day++) {
          const before = Array.from({ length: 50 }, () => newDelivery(webhookId, NOW - day * DAY_MS))
          yield* store.insertPending(before, NOW)
        }
        yield* sql`ANALYZE deliveries`
        const read = yield* readBy(webhookId)
        assert.isAtMost(read.inOrder, FEW)
        assert.isAtMost(read.byIndex, FEW)
      })
    )
  })

  it.effect("records an attempt once and moves the webhook's counter with it", () =>
    Effect.gen(function* () {
      const { store, webhookId, ids } = yield* prepare(2)
      const failed = [attempt(ids[0]!, 1, "failed"), attempt(ids[1]!, 1, "failed")]
      yield* store.record(failed, DISABLE_AFTER)
      yield* store.record(failed, DISABLE_AFTER)
      assert.deepInclude(yield* webhookRow(webhookId), { consecutive_failures: 2 })
      const sql = yield* SqlClient.SqlClient
      const history =
        yield* sql`SELECT attempt, status, error, next_delay_ms FROM attempts WHERE delivery_id = ${ids[0]!}`
      assert.deepStrictEqual(history, [
        { attempt: 1, status: "failed", error: "HTTP 503", next_delay_ms: null }
      ])
    })
  )

  it.effect(
    "keeps the time of the next attempt while retrying, and counts a failure only after the last attempt",
    () =>
      Effect.gen(function* () {
        const { store, webhookId, ids } = yield* prepare(1)
        yield* store.record([attempt(ids[0]!, 1, "retrying")], DISABLE_AFTER)
        const state = (yield* store.states(ids)).get(ids[0]!)
        assert.deepInclude(state, { status: "retrying", attempts: 1 })
        assert.strictEqual((yield* scheduleOf(ids[0]!)).nextAttemptAt, NOW + 5 + 1_000)
        assert.deepInclude(yield* webhookRow(webhookId), { consecutive_failures: 0 })
      })
  )

  it.effect(
    "resets the counter on a success and counts what failed after it, in the order of the batch",
    () =>
      Effect.gen(function* () {
        const { store, webhookId, ids } = yield* prepare(4)
        yield* store.record([attempt(ids[0]!, 1, "failed"), attempt(ids[1]!, 1, "failed")], DISABLE_AFTER)
        yield* store.record([attempt(ids[2]!, 1, "delivered"), attempt(ids[3]!, 1, "failed")], DISABLE_AFTER)
        assert.deepInclude(yield* webhookRow(webhookId), { consecutive_failures: 1 })
      })
  )

  it.effect("returns the webhooks that have failed too often", () =>
    Effect.gen(function* () {
      const { store, webhookId, ids } = yield* prepare(3)
      const failing = yield* store.record(
        ids.map((id) => attempt(id, 1, "failed")),
        DISABLE_AFTER
      )
      assert.deepStrictEqual(failing, [webhookId])
    })
  )

  it.effect("skips a delivery that retention has dropped, and records the rest of the batch", () =>
    Effect.gen(function* () {
      const { store, ids } = yield* prepare(1)
      const dropped = deliveryId(0, 0, "wh_gone", "event")
      yield* store.record([attempt(dropped, 1, "delivered"), attempt(ids[0]!, 1, "delivered")], DISABLE_AFTER)
      assert.deepInclude((yield* store.states(ids)).get(ids[0]!), { status: "delivered" })
    })
  )

  it.effect("pages the backlog in id order, until an attempt is recorded", () =>
    Effect.gen(function* () {
      const { store, webhookId, ids } = yield* prepare(5)
      yield* store.moveToBacklog(waitingFor([ids[4]!, ids[0]!, ids[2]!]), "live")
      assert.include(yield* store.webhooksWithBacklog, webhookId)
      const first = yield* store.backlogPage(webhookId, "live", "", 2)
      assert.deepStrictEqual(
        first.map(({ id }) => id),
        [ids[0], ids[2]]
      )
      const rest = yield* store.backlogPage(webhookId, "live", ids[2]!, 2)
      assert.deepStrictEqual(rest, [
        {
          id: ids[4]!,
          network: "mainnet",
          position: { fromHistory: false, offset: 7, eventId: "event" },
          testEvent: null,
          attempts: 0,
          seriesStart: 0,
          nextAttemptAt: null,
          nextDelayMs: null
        }
      ])
      yield* store.record([attempt(ids[0]!, 1, "delivered")], DISABLE_AFTER)
      assert.strictEqual((yield* store.backlogPage(webhookId, "live", "", 10)).length, 2)
    })
  )

  it.effect("moves all that waits to the backlog, of every day, and nothing that has ended", () =>
    Effect.gen(function* () {
      const { store, ids, rows, webhookId } = yield* prepare(3)
      yield* TestClock.setTime(NOW)
      const old = newDelivery(webhookId, NOW - 3 * DAY_MS)
      yield* store.insertPending([old], NOW)
      yield* store.record([attempt(ids[0]!, 1, "retrying"), attempt(ids[1]!, 1, "delivered")], DISABLE_AFTER)
      yield* store.moveAllToBacklog
      yield* store.moveAllToBacklog
      const states = yield* store.states([...ids, old.id])
      assert.deepStrictEqual(
        [...rows, old].map(({ id }) => [states.get(id)?.status, states.get(id)?.parked]),
        [
          ["retrying", true],
          ["delivered", false],
          ["pending", true],
          ["pending", true]
        ]
      )
      // Of its own: it moves the rows of all tests.
    }).pipe(Effect.provide(Layer.fresh(Live)))
  )

  it.effect("stores the offset of each event, in the network's topic or in its history topic", () =>
    Effect.gen(function* () {
      const { store, webhookId } = yield* prepare(0)
      const sql = yield* SqlClient.SqlClient
      const rows = [false, true].map((fromHistory) => ({
        ...newDelivery(webhookId),
        replayJobId: "rpl_job_1",
        fromHistory
      }))
      yield* store.insertPending(rows, NOW)
      yield* store.moveToBacklog(waitingFor(rows.map(({ id }) => id)), "replays")
      const parked = yield* store.backlogPage(webhookId, "replays", "", 2)
      assert.deepStrictEqual(
        parked.map(({ position }) => position),
        [
          { fromHistory: false, offset: 7, eventId: "event" },
          { fromHistory: true, offset: 7, eventId: "event" }
        ]
      )
      for (const { id, fromHistory } of rows) {
        const [found] = yield* sql`SELECT event_offset::int, from_history FROM deliveries WHERE id = ${id}`
        assert.deepStrictEqual(found, { event_offset: 7, from_history: fromHistory })
      }
    })
  )

  it.effect("ends the backlog of a webhook that stays disabled, and nothing else", () =>
    Effect.gen(function* () {
      const { store, webhookId, ids } = yield* prepare(2)
      yield* store.moveToBacklog(waitingFor([ids[0]!]), "live")
      assert.strictEqual(yield* store.failBacklogOf("disabled", NOW, "webhook disabled", NOW), 0)
      yield* disable(webhookId)
      assert.strictEqual(yield* store.failBacklogOf("disabled", NOW, "webhook disabled", NOW), 1)
      const states = yield* store.states(ids)
      assert.deepInclude(states.get(ids[0]!), { status: "failed", parked: false })
      assert.deepInclude(states.get(ids[1]!), { status: "pending" })
    })
  )

  it.effect(
    "ends what is older than a pause may be, in the backlog of a webhook that has been paused for longer",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { store, webhookId, ids } = yield* prepare(4)
        const [old, retried, inLog] = ids
        yield* store.moveToBacklog(waitingFor([old!, retried!]), "live")
        yield* sql`UPDATE deliveries SET next_attempt_at = ${new Date(NOW + DAY_MS)} WHERE id = ${retried!}`
        const failAt = (before: number) => store.failBacklogOf("paused", before, "webhook paused", NOW)
        const pause = (at: number) =>
          sql`UPDATE webhooks SET paused_at = ${new Date(at)} WHERE id = ${webhookId}`
        assert.strictEqual(yield* failAt(NOW + 1_000), 0, "it is not paused")
        yield* pause(NOW + 1_000)
        assert.strictEqual(yield* failAt(NOW + 1_000), 0, "it was paused later")
        yield* pause(NOW)
        assert.strictEqual(yield* failAt(NOW - 1_000), 0, "the deliveries were made later")
        assert.strictEqual(yield* failAt(NOW + 1_000), 1)
        const states = yield* store.states(ids)
        assert.deepInclude(states.get(old!), { status: "failed", parked: false })
        assert.deepInclude(states.get(retried!), { status: "pending", parked: true })
        assert.deepInclude(states.get(inLog!), { status: "pending" })
        assert.strictEqual((yield* webhookRow(webhookId)).consecutive_failures, 0, "no attempt has failed")
        const ended = yield* sql`SELECT last_error FROM deliveries WHERE id = ${old!}`
        assert.deepStrictEqual(ended, [{ last_error: "webhook paused" }])
      })
  )

  it.effect("ends a backlog in batches, reading few more rows than it ends", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const count = 2 * Limits.statementRows + 100
      const { store, webhookId, ids } = yield* prepare(count)
      yield* disable(webhookId)
      const read = Effect.map(
        sql<{ readonly rows: number }>`
          SELECT sum(seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_xact_user_tables
          WHERE relname LIKE 'deliveries%'`,
        ([row]) => row!.rows
      )
      const reasons = [
        store.failBacklogOf("disabled", NOW, "webhook disabled", NOW),
        store.failBacklogBefore(NOW + DAY_MS, "waited too long", NOW)
      ]
      for (const end of reasons) {
        yield* sql`UPDATE deliveries SET status = 'pending', parked = true WHERE webhook_id = ${webhookId}`
        const [before, ended, after] = yield* sql.withTransaction(Effect.all([read, end, read]))
        assert.isAtLeast(ended, ids.length)
        assert.isAtMost(after - before, 4 * count)
      }
    })
  )
})
