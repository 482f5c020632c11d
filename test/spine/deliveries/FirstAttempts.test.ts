/**
 * The first attempt of a delivery without a row makes the row. What is stored then is the same as if the row had been
 * made first, whatever rows exist, and also if the statement is repeated.
 */
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeSeededRandom, type SeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { DeliveryStore } from "../../../src/spine/deliveries/DeliveryStore.ts"
import type { AttemptRecord, FirstAttempt, NewDelivery } from "../../../src/spine/deliveries/Transitions.ts"
import { column } from "../../../src/spine/store/Columns.ts"
import { makeDeadLetters } from "../../../src/spine/store/DeadLetters.ts"
import { deliveryId } from "../../../src/spine/words/Ids.ts"
import {
  attemptOf,
  DAY_MS,
  NOW,
  newDelivery,
  prepare,
  recordingLayer
} from "../../support/deliver/deliveryRows.ts"
import { insertAccount, insertWebhook, waitingFor } from "../../support/store/rows.ts"

const DISABLE_AFTER = 4
/** The attempts of a batch end in two months. */
const ENDED = Date.parse("2026-11-30T23:59:00.000Z")
const statuses = ["delivered", "retrying", "failed"] as const

/** Webhooks of two accounts. A third account is not charged, because its webhook is on a test network. */
const webhooks = [
  { id: "wh_0", accountId: "acct_0", network: "mainnet" },
  { id: "wh_1", accountId: "acct_0", network: "mainnet" },
  { id: "wh_2", accountId: "acct_1", network: "mainnet" },
  { id: "wh_3", accountId: "acct_2", network: "testnet" }
] as const

const uncharged = webhooks.filter(({ network }) => network === "testnet")

/** All that a recorded attempt changes. Totals are compared as sums: one way writes more changes than the other. */
const everything = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* Effect.forEach(
    [
      "SELECT * FROM deliveries ORDER BY id",
      "SELECT * FROM attempts ORDER BY delivery_id, attempt",
      "SELECT * FROM delivery_usage ORDER BY account_id, month",
      "SELECT * FROM delivery_usage_days ORDER BY account_id, day_of_month",
      `SELECT id, status, consecutive_failures, failing_since, failed_attempts, attempted_at, last_failed_at, last_error,
              failed_deliveries, failing_from, incident_id, incident_ended_at FROM webhooks ORDER BY id`,
      "SELECT * FROM incidents ORDER BY id",
      `SELECT account_id, network, webhook_id, event_type, status, latency_bucket, at, parked, sum(count)::int AS count,
              sum(latency_sum)::int AS latency
       FROM delivery_changes GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(count) <> 0 OR sum(latency_sum) <> 0
       ORDER BY 1, 2, 3, 4, 5, 6, 7, 8`
    ],
    (text) => sql.unsafe(text)
  )
  return { tables, rows: tables[0]!.length }
})

/** A database of its own with the webhooks. */
const makeWorld = Effect.gen(function* () {
  const context = yield* Layer.build(Layer.fresh(recordingLayer))
  yield* Effect.forEach(webhooks, ({ accountId, id }) =>
    Effect.andThen(insertAccount(accountId), insertWebhook(accountId, "sealed", id))
  ).pipe(Effect.provideContext(context))
  return {
    store: Context.get(context, DeliveryStore),
    stored: Effect.provideContext(everything, context)
  }
})

let position = 0

const randomFirst = (
  chance: SeededRandom,
  owners: typeof webhooks | typeof uncharged = webhooks
): FirstAttempt => {
  const { accountId, id: webhookId, network } = chance.pick<(typeof webhooks)[number]>(owners)
  const detected = ENDED - chance.int(0, 3) * DAY_MS
  const row: NewDelivery = {
    id: deliveryId(detected, position++, webhookId, "event"),
    webhookId,
    accountId,
    network,
    eventId: `event ${position}`,
    eventType: chance.pick(["payment.xrp", "nft.minted"]),
    eventOffset: position
  }
  const status = chance.pick(statuses)
  const endedAt = ENDED + chance.int(0, 120_000)
  return { row, attempt: randomOutcome(chance, row.id, status, endedAt) }
}

const randomOutcome = (
  chance: SeededRandom,
  id: string,
  status: AttemptRecord["status"],
  endedAt: number
): AttemptRecord => ({
  ...attemptOf(id, 1, status, chance.int(0, 12_000)),
  responseBody: chance.pick([null, "", "a\0b", "é".repeat(Limits.attemptBodyCharacters + 1)]),
  attemptedAt: endedAt - chance.int(0, 10_000),
  endedAt,
  ...(chance.flip(0.5)
    ? { details: { connectMs: 1, firstByteMs: 2, totalMs: 3, responseHeaders: { server: "a\0" } } }
    : {})
})

type Store = DeliveryStore["Service"]

/** What may have become of a delivery before its first attempt is recorded. */
const earlier: Record<string, (store: Store, one: FirstAttempt) => Effect.Effect<unknown, unknown>> = {
  waits: (store, { row }) => store.insertPending([row], NOW),
  "is in the backlog": (store, { row }) =>
    store.moveToBacklog([{ deliveryId: row.id, attempt: 1, row }], "live"),
  ended: (store, { row }) =>
    store.failUnwritten([{ deliveryId: row.id, attempt: 1, row }], "webhook deleted", NOW),
  "was recorded by another owner": (store, { attempt, row }) =>
    Effect.andThen(
      store.insertPending([row], NOW),
      store.record([{ ...attempt, status: "delivered", nextDelayMs: null }], DISABLE_AFTER)
    )
}

describe("first attempts", () => {
  it.effect("store what rows that are made first and attempts that are recorded then would store", () =>
    Effect.gen(function* () {
      const [world, other] = [yield* makeWorld, yield* makeWorld]
      const chance = makeSeededRandom(20_261_130)
      let previous: ReadonlyArray<FirstAttempt> = []
      for (let round = 0; round < 30; round++) {
        const made = Array.from({ length: chance.int(1, 30) }, () => randomFirst(chance))
        // A record that is in the log twice may be attempted twice, when its partition gets another owner.
        const batch = chance.shuffle([...made, ...(round % 4 === 0 ? previous.slice(0, 3) : [])])
        previous = made
        // Most batches have no row yet.
        const part = round % 2 === 0 ? 0 : 0.2
        for (const one of made) {
          if (!chance.flip(part)) continue
          const happened = earlier[chance.pick(Object.keys(earlier))]!
          yield* happened(world.store, one)
          yield* happened(other.store, one)
        }
        const failing = yield* world.store.recordFirst(batch, DISABLE_AFTER)
        yield* other.store.insertPending(
          batch.map(({ row }) => row),
          NOW
        )
        const expected = yield* other.store.record(
          batch.map(({ attempt }) => attempt),
          DISABLE_AFTER
        )
        assert.deepStrictEqual(failing.toSorted(), expected.toSorted())
        const stored = yield* world.stored
        assert.deepStrictEqual(stored, yield* other.stored, `round ${round}`)
        if (round % 3 > 0) continue
        // The result was unknown, and the batch is written again.
        assert.deepStrictEqual(yield* world.store.recordFirst(batch, DISABLE_AFTER), [])
        assert.deepStrictEqual(yield* world.stored, stored, `round ${round} again`)
      }
      assert.isAbove((yield* world.stored).rows, 300)
    }).pipe(Effect.scoped)
  )

  it.live("are stored once if two owners record them at the same time, in different orders", () =>
    Effect.gen(function* () {
      const [world, other] = [yield* makeWorld, yield* makeWorld]
      const chance = makeSeededRandom(38)
      for (let round = 0; round < 20; round++) {
        const batch = Array.from({ length: 200 }, () => {
          // The statements do not wait for each other at the usage of an account.
          const one = randomFirst(chance, uncharged)
          // The order of failures would decide the counters.
          return { ...one, attempt: { ...one.attempt, status: "delivered" as const, nextDelayMs: null } }
        })
        yield* other.store.recordFirst(batch, DISABLE_AFTER)
        yield* Effect.all(
          [batch, batch.toReversed()].map((some) => world.store.recordFirst(some, DISABLE_AFTER)),
          { concurrency: "unbounded" }
        )
      }
      assert.deepStrictEqual(yield* world.stored, yield* other.stored)
    }).pipe(Effect.scoped)
  )
})

/** A delivery of a day of its own. */
let day = 0
const ofNewDay = (webhookId: string) => newDelivery(webhookId, NOW + ++day * DAY_MS, "payment.xrp")
const first = (row: NewDelivery, status: AttemptRecord["status"] = "delivered"): FirstAttempt => ({
  row,
  attempt: attemptOf(row.id, 1, status, 5)
})

layer(recordingLayer)("deliveries without rows", (it) => {
  const rowOf = Effect.fnUntraced(function* (id: string) {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly state: string }>`
      SELECT status || ' ' || attempts || CASE WHEN parked THEN ' parked' ELSE '' END
             || CASE WHEN after_live THEN ' behind live ones' ELSE '' END AS state
      FROM deliveries WHERE id = ${id}`
    return row?.state
  })

  it.effect("get the table partitions of their days, also after retention dropped one", () =>
    Effect.gen(function* () {
      const [webhook] = yield* prepare(1)
      const store = yield* DeliveryStore
      const sql = yield* SqlClient.SqlClient
      const rows = [ofNewDay(webhook!), ofNewDay(webhook!)]
      yield* store.recordFirst(
        rows.map((row) => first(row)),
        DISABLE_AFTER
      )
      for (const { id } of rows) assert.strictEqual(yield* rowOf(id), "delivered 1")
      const spilled = ofNewDay(webhook!)
      yield* store.moveToBacklog([{ deliveryId: spilled.id, attempt: 1, row: spilled }], "live")
      assert.strictEqual(yield* rowOf(spilled.id), "pending 0 parked")
      // As another process does: this one believes that the table is there.
      const [table] = yield* sql<{ readonly name: string }>`
        SELECT tableoid::regclass::text AS name FROM deliveries WHERE id = ${rows[0]!.id}`
      yield* sql`DROP TABLE ${sql(table!.name)}`
      const again = store.recordFirst([first(rows[0]!)], DISABLE_AFTER)
      yield* Effect.flip(again)
      assert.deepStrictEqual(yield* again, [])
      assert.strictEqual(yield* rowOf(rows[0]!.id), "delivered 1")
    })
  )

  it.effect("are stored except those that PostgreSQL refuses, which become dead letters", () =>
    Effect.gen(function* () {
      const [webhook] = yield* prepare(1)
      const store = yield* DeliveryStore
      const sql = yield* SqlClient.SqlClient
      const rows = Array.from({ length: 20 }, () => newDelivery(webhook!, NOW, "payment.xrp"))
      const bad = { ...rows[7]!, eventId: "xrpl:1\0" }
      const batch = rows.map((row) => first(row.id === bad.id ? bad : row, "failed"))
      const used = sql`SELECT sum(deliveries)::int AS deliveries FROM delivery_usage`
      const [before] = yield* used
      assert.deepStrictEqual(yield* store.recordFirst(batch, DISABLE_AFTER), [webhook])
      assert.deepStrictEqual(yield* store.recordFirst(batch, DISABLE_AFTER), [])
      for (const { id } of rows) assert.strictEqual(yield* rowOf(id), id === bad.id ? undefined : "failed 1")
      const [row] =
        yield* sql`SELECT consecutive_failures, failed_attempts FROM webhooks WHERE id = ${webhook!}`
      assert.deepStrictEqual(row, { consecutive_failures: 19, failed_attempts: 19 })
      const [after] = yield* used
      assert.strictEqual(Number(after!["deliveries"]) - Number(before?.["deliveries"] ?? 0), 19)
      const { rows: kept } = yield* (yield* makeDeadLetters).newest(2)
      assert.deepInclude(kept[0], { stage: "deliver", source: `xrpl:1\\u0000 for ${webhook}` })
      assert.notStrictEqual(kept[1]?.source, kept[0]?.source)
    })
  )

  it.effect("get a row when they are spilled, in the backlog of the lane that spills them", () =>
    Effect.gen(function* () {
      const [webhook] = yield* prepare(1)
      const store = yield* DeliveryStore
      for (const lane of ["live", "replays"] as const) {
        const row = newDelivery(webhook!, NOW, "payment.xrp")
        for (const _ of ["once", "again after an unknown result"]) {
          yield* store.moveToBacklog([{ deliveryId: row.id, attempt: 1, row }], lane)
          const behind = lane === "replays" ? " behind live ones" : ""
          assert.strictEqual(yield* rowOf(row.id), `pending 0 parked${behind}`)
        }
      }
    })
  )

  it.effect("of which nothing is known are not spilled, and do not hold up others", () =>
    Effect.gen(function* () {
      const [webhook] = yield* prepare(1)
      const store = yield* DeliveryStore
      const [gone, known] = [1, 2].map(() => newDelivery(webhook!, NOW, "payment.xrp"))
      yield* store.insertPending([known!], NOW)
      yield* store.moveToBacklog(waitingFor([gone!.id, known!.id]), "live")
      assert.isUndefined(yield* rowOf(gone!.id))
      assert.strictEqual(yield* rowOf(known!.id), "pending 0 parked")
    })
  )

  it.effect("end with a row if their webhook was deleted, and so do those with a row", () =>
    Effect.gen(function* () {
      const [webhook] = yield* prepare(1)
      const store = yield* DeliveryStore
      const sql = yield* SqlClient.SqlClient
      const [unwritten, waiting, retrying, delivered] = [ofNewDay(webhook!), 1, 2, 3].map((one) =>
        typeof one === "number" ? newDelivery(webhook!, NOW, "payment.xrp") : one
      ) as [NewDelivery, NewDelivery, NewDelivery, NewDelivery]
      yield* store.insertPending([waiting, retrying, delivered], NOW)
      yield* store.record(
        [attemptOf(retrying.id, 1, "retrying", 5), attemptOf(delivered.id, 1, "delivered", 5)],
        DISABLE_AFTER
      )
      const works = [
        ...[unwritten, waiting, delivered].map((row) => ({ deliveryId: row.id, attempt: 1, row })),
        ...waitingFor([retrying.id], 2)
      ]
      for (const _ of ["once", "again after an unknown result"]) {
        yield* store.failUnwritten(works, "webhook deleted", NOW)
        const rows = yield* sql`
          SELECT id, status, attempts, last_error FROM deliveries
          WHERE id = ANY(${column(works.map(({ deliveryId }) => deliveryId))}::text[]) ORDER BY id COLLATE "C"`
        const ended = { status: "failed", last_error: "webhook deleted" }
        assert.sameDeepMembers(
          [...rows],
          [
            { id: unwritten.id, attempts: 0, ...ended },
            { id: waiting.id, attempts: 0, ...ended },
            { id: retrying.id, attempts: 1, ...ended },
            { id: delivered.id, attempts: 1, status: "delivered", last_error: null }
          ]
        )
      }
    })
  )
})
