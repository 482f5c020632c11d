/** Types of what is pending in a minute: known when it has waited for long, and never to less than what is there. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { Limits } from "../../src/config/Limits.ts"
import { makeChance } from "../../src/ledger/simulated/Chance.ts"
import { column } from "../../src/storage/Columns.ts"
import type { DeliveryFilter } from "../../src/storage/DeliveryPages.ts"
import { DeliveryQueries } from "../../src/storage/DeliveryQueries.ts"
import { DeliveryStore } from "../../src/storage/DeliveryStore.ts"
import { foldChanges } from "../../src/storage/DeliveryTotals.ts"
import { Partitions } from "../../src/storage/Partitions.ts"
import { findPendingTypes, keepPendingTypes } from "../../src/storage/PendingTypes.ts"
import { attemptOf, DeliveriesLive, NOW, newDelivery, OWNER, prepare } from "../support/countedDeliveries.ts"

/** Long enough ago for its types to be found out. */
const OLD = NOW - 3 * Limits.pendingTypes.afterMs
const MINUTE_MS = 60_000
const TYPES = ["payment.xrp", "nft.minted", "check.cashed"] as const
const PAGE = 100

const pendingOf = (webhookId: string, eventType: string) =>
  Effect.gen(function* () {
    const queries = yield* DeliveryQueries
    const filter: DeliveryFilter = {
      webhookId,
      eventType,
      status: "pending",
      since: undefined,
      until: undefined
    }
    const rows = yield* queries.list(OWNER, filter, undefined, PAGE, NOW)
    return rows.map(({ id }) => id)
  })

/** What is known of the webhook's minutes, oldest first. */
const known = (webhookId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly types: number | null }>`
      SELECT pending_types::float8 AS types FROM delivery_minutes
      WHERE webhook_id = ${webhookId} AND has_pending ORDER BY at`
    return rows.map(({ types }) => types)
  })

const find = Effect.repeat(findPendingTypes(NOW - Limits.pendingTypes.afterMs), {
  until: (found) => found === 0
})

layer(DeliveriesLive)("types of pending deliveries", (it) => {
  it.effect(
    "are found out for minutes that have waited for long, and say which types a page finds there",
    () =>
      Effect.gen(function* () {
        const [webhook] = yield* prepare(1)
        const store = yield* DeliveryStore
        const waiting = TYPES.map((type, i) => newDelivery(webhook!, OLD + i * MINUTE_MS, type))
        const recent = newDelivery(webhook!, NOW - 1_000, "payment.xrp")
        const gone = newDelivery(webhook!, OLD, "nft.minted")
        yield* store.insertPending([...waiting, recent, gone], NOW)
        yield* store.record([attemptOf(gone.id, 1, "delivered", 5)], 100)
        yield* foldChanges
        yield* find
        const types = yield* known(webhook!)
        assert.strictEqual(types.length, 4)
        assert.strictEqual(new Set(types.slice(0, 3)).size, 3)
        assert.isNull(types[3])
        const [payment, nft, check] = waiting.map(({ id }) => id)
        assert.deepStrictEqual(yield* pendingOf(webhook!, "payment.xrp"), [recent.id, payment])
        assert.deepStrictEqual(yield* pendingOf(webhook!, "nft.minted"), [nft])
        assert.deepStrictEqual(yield* pendingOf(webhook!, "check.cashed"), [check])
        assert.deepStrictEqual(yield* pendingOf(webhook!, "nft.burned"), [])
      })
  )

  it.effect("are any where a minute has more deliveries than are looked at", () =>
    Effect.gen(function* () {
      const [webhook] = yield* prepare(1)
      const store = yield* DeliveryStore
      const made = Array.from({ length: Limits.pendingTypes.deliveries + 1 }, () =>
        newDelivery(webhook!, OLD, "nft.minted")
      )
      yield* store.insertPending(made.slice(1), NOW)
      yield* foldChanges
      yield* find
      const [ofOne] = yield* known(webhook!)
      assert.isAbove(ofOne!, 0)
      yield* store.insertPending(made.slice(0, 1), NOW)
      yield* foldChanges
      yield* find
      assert.deepStrictEqual(yield* known(webhook!), [-1])
    })
  )

  it.effect("are forgotten with any change, also when a delivery that came makes up for one that went", () =>
    Effect.gen(function* () {
      const [webhook] = yield* prepare(1)
      const store = yield* DeliveryStore
      const sql = yield* SqlClient.SqlClient
      const waiting = newDelivery(webhook!, OLD, "payment.xrp")
      const failed = newDelivery(webhook!, OLD, "nft.minted")
      yield* store.insertPending([waiting, failed], NOW)
      yield* store.record([attemptOf(failed.id, 1, "failed", 5)], 100)
      yield* foldChanges
      yield* find
      assert.deepStrictEqual(yield* pendingOf(webhook!, "nft.minted"), [])
      // One is tried again, the other one ends: the minute's numbers are what they were.
      yield* sql`UPDATE deliveries SET status = 'pending' WHERE id = ${failed.id}`
      yield* store.record([attemptOf(waiting.id, 1, "failed", 5)], 100)
      assert.deepStrictEqual(yield* pendingOf(webhook!, "nft.minted"), [failed.id])
      yield* foldChanges
      assert.deepStrictEqual(yield* pendingOf(webhook!, "nft.minted"), [failed.id])
      assert.deepStrictEqual(yield* known(webhook!), [null])
      yield* find
      assert.deepStrictEqual(yield* pendingOf(webhook!, "nft.minted"), [failed.id])
      assert.deepStrictEqual(yield* pendingOf(webhook!, "payment.xrp"), [])
    })
  )

  it.effect("leave out nothing that is pending, whoever writes and counts while they are found out", () =>
    Effect.gen(function* () {
      const webhooks = yield* prepare(2)
      const store = yield* DeliveryStore
      const sql = yield* SqlClient.SqlClient
      const writer = Effect.fnUntraced(function* (seed: number) {
        const chance = makeChance(seed)
        for (let round = 0; round < 30; round++) {
          const made = Array.from({ length: 6 }, () =>
            newDelivery(chance.pick(webhooks), OLD + chance.int(0, 3 * MINUTE_MS - 1), chance.pick(TYPES))
          )
          yield* store.insertPending(made, NOW)
          const failed = made.slice(2).map(({ id }) => id)
          yield* store.record(
            failed.map((id) => attemptOf(id, 1, "failed", 5)),
            100
          )
          yield* sql`UPDATE deliveries SET status = 'pending' WHERE id = ${failed[0]!}`
          yield* store.record(
            failed.map((id) => attemptOf(id, 2, "delivered", 5)),
            100
          )
        }
      })
      /** As it is at one moment: pending deliveries that a page of their type would not look for. */
      const leftOut = sql`
        SELECT id FROM deliveries d JOIN delivery_minutes m ON m.webhook_id = d.webhook_id AND m.account_id = d.account_id
          AND m.network = d.network AND m.at = date_trunc('minute', delivery_created_at(d.id), 'UTC')
        WHERE d.status = 'pending' AND m.pending_types & event_type_bit(d.event_type) = 0 AND NOT EXISTS (
          SELECT FROM delivery_changes c WHERE c.webhook_id = d.webhook_id AND c.at = m.at AND c.pending > 0)`
      const upkeep = yield* Effect.forkChild(
        Effect.all(
          [foldChanges, foldChanges, find, find].map(
            (one: Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>) => Effect.forever(one)
          ),
          { concurrency: "unbounded" }
        )
      )
      let looks = 0
      const looking = yield* Effect.forkChild(
        Effect.forever(
          Effect.map(leftOut, (rows) => {
            looks++
            assert.deepStrictEqual(rows, [])
          })
        )
      )
      yield* Effect.all([1, 2, 3].map(writer), { concurrency: "unbounded" })
      assert.isUndefined(looking.pollUnsafe())
      assert.isUndefined(upkeep.pollUnsafe())
      yield* Fiber.interrupt(looking)
      yield* Fiber.interrupt(upkeep)
      assert.isAbove(looks, 0)
      yield* foldChanges
      yield* find
      assert.deepStrictEqual(yield* leftOut, [])
      const exact = yield* sql`
        SELECT webhook_id, at FROM delivery_minutes m WHERE has_pending AND webhook_id = ANY(${column(webhooks)}::text[]) AND pending_types <> (
          SELECT bit_or(event_type_bit(event_type)) FROM deliveries d WHERE d.webhook_id = m.webhook_id AND status = 'pending'
          AND date_trunc('minute', delivery_created_at(d.id), 'UTC') = m.at)`
      assert.deepStrictEqual(exact, [])
    })
  )

  it.effect("are looked for again and again", () =>
    Effect.gen(function* () {
      const [webhook] = yield* prepare(1)
      const store = yield* DeliveryStore
      const sql = yield* SqlClient.SqlClient
      const nowMs = yield* Clock.currentTimeMillis
      yield* Effect.flatMap(Partitions, (partitions) => partitions.ensure(nowMs, nowMs))
      yield* Effect.forkScoped(keepPendingTypes)
      const unknown = Effect.map(known(webhook!), (types) => types.includes(null))
      const untilKnown: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.flatMap(
        unknown,
        (some) =>
          some ? Effect.andThen(TestClock.adjust(Limits.pendingTypes.pauseMs), untilKnown) : Effect.void
      )
      for (const type of TYPES) {
        yield* store.insertPending([newDelivery(webhook!, nowMs, type)], nowMs)
        yield* foldChanges
        assert.isTrue(yield* unknown)
        yield* untilKnown
      }
      yield* sql`DELETE FROM deliveries WHERE webhook_id = ${webhook!}`
    })
  )
})
