/** Compares what retry jobs select with a naive search of all rows, for seeded random data, in the totals or not. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { countRetryable, retryablePage } from "../../../src/features/replay/Retryable.ts"
import { makeSeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import { foldChanges } from "../../../src/features/statistics/DeliveryTotals.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import type { RetryFilters } from "../../../src/spine/domain/Replay.ts"
import { type EventType, eventTypes } from "../../../src/spine/event/EventType.ts"
import { types } from "../../support/events.ts"
import { ACCOUNT, replayingLayer } from "../../support/replaying.ts"
import { attempted, MADE, type MadeDelivery, makeDeliveries } from "../../support/retrying.ts"

const HOUR_MS = 3_600_000

const naive = (made: ReadonlyArray<MadeDelivery>, filters: RetryFilters) =>
  made.filter(
    ({ createdMs, event, status }) =>
      filters.statuses.some((one) => one === status) &&
      (filters.event_types ?? eventTypes).includes(event.event_type) &&
      createdMs > (filters.since ?? 0) &&
      createdMs < (filters.until ?? Number.POSITIVE_INFINITY)
  )

for (const seed of [1, 2, 3])
  it.live(
    `seed ${seed}: counts and pages hold exactly the deliveries that match`,
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const chance = makeSeededRandom(seed)
        const statuses = ["failed", "retrying", "delivered", "pending"] as const
        // The rows cover an hour and a half, with gaps of many minutes without a match.
        const { webhookId, made } = yield* makeDeliveries(
          400,
          (i) => (Math.floor(i / 60) % 2 === 0 ? chance.pick(statuses) : "delivered"),
          { seed, stepMs: 13_000 }
        )
        yield* foldChanges
        // Some rows change after that, and the totals do not include these changes yet.
        const changed = new Map(
          made
            .filter(({ status }) => status === "retrying" && chance.flip(0.3))
            .map(({ id }) => [id, chance.pick(["delivered", "failed"] as const)])
        )
        for (const [id, status] of changed) yield* attempted(id, 2, status)
        const now = made.map((one) => ({ ...one, status: changed.get(one.id) ?? one.status }))
        const target = { webhookId, accountId: ACCOUNT, network: "mainnet" as const }

        for (let round = 0; round < 25; round++) {
          const bound = () => made[chance.int(0, made.length - 1)]!.createdMs + chance.pick([-0.5, 0, 0.5])
          const filters: RetryFilters = {
            statuses: chance.pick([["failed"], ["retrying"], ["failed", "retrying"]]),
            ...(chance.flip(0.5) ? { event_types: [chance.pick<EventType>(types), "nft.minted"] } : {}),
            ...(chance.flip(0.6) ? { since: bound() } : {}),
            ...(chance.flip(0.6) ? { until: bound() } : {})
          }
          const expected = naive(now, filters)
          const counts = yield* countRetryable(sql, target, filters)
          const byType = Map.groupBy(expected, ({ event }) => event.event_type)
          assert.deepStrictEqual(
            [Object.fromEntries(counts.byType), counts.matched, counts.atLeast],
            [
              Object.fromEntries([...byType].map(([type, some]) => [type, some.length])),
              expected.length,
              false
            ],
            JSON.stringify(filters)
          )
          const found: Array<string> = []
          const limit = chance.int(1, 40)
          let from = ""
          for (let done = false; !done; ) {
            const page = yield* retryablePage(sql, target, filters, from, limit)
            assert.isAtMost(page.deliveries.length, limit)
            found.push(...page.deliveries.map(({ id }) => id))
            from = page.nextId
            done = page.done
          }
          assert.deepStrictEqual(
            found,
            expected.map(({ id }) => id),
            JSON.stringify(filters)
          )
        }
      }).pipe(Effect.scoped, Effect.provide(replayingLayer)),
    60_000
  )

it.live("reads, of a webhook's deliveries, only those of minutes in which some match", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { webhookId } = yield* makeDeliveries(1, () => "delivered")
    const hours = 12
    yield* Effect.flatMap(Partitions, ({ ensure }) => ensure(MADE, MADE + (hours + 1) * HOUR_MS))
    // Ten rows a minute. The first one of each hour failed.
    yield* sql`
      INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, status, updated_at)
      SELECT left(first_delivery_id(to_timestamp(${MADE / 1_000 + 3_600}::float8 + i * 6)), 14) || lpad(i::text, 16, '0'),
             ${webhookId}, ${ACCOUNT}, 'mainnet', 'event', 'payment.xrp', i,
             CASE i % 600 WHEN 0 THEN 'failed' ELSE 'delivered' END, now()
      FROM generate_series(0, ${hours * 600 - 1}::bigint) AS i`
    yield* foldChanges
    yield* sql`ANALYZE`
    const target = { webhookId, accountId: ACCOUNT, network: "mainnet" as const }
    const filters: RetryFilters = { statuses: ["failed", "retrying"] }
    const rowsRead = Effect.map(
      sql<{ readonly rows: number }>`
        SELECT sum(seq_tup_read + idx_tup_fetch)::float8 AS rows FROM pg_stat_xact_user_tables
        WHERE relname LIKE 'deliveries%'`,
      ([row]) => row!.rows
    )
    const readBy = <A, E, R>(use: Effect.Effect<A, E, R>) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const before = yield* rowsRead
          yield* use
          return (yield* rowsRead) - before
        })
      )
    assert.strictEqual(yield* readBy(countRetryable(sql, target, filters)), 0)
    // Two edges of less than ten minutes each.
    const edges = { ...filters, since: MADE + 2 * HOUR_MS + 1, until: MADE + 9 * HOUR_MS + 1 }
    assert.isAtMost(yield* readBy(countRetryable(sql, target, edges)), 2 * 10 * 10)
    // With fewer rows at each end the count says that there may be more.
    const few = countRetryable(sql, target, edges, 20)
    assert.isAtMost(yield* readBy(few), 2 * 21)
    const { atLeast, matched } = yield* few
    assert.isTrue(atLeast)
    // The rows that were not read all were delivered, but for the first of the last hour.
    assert.isAtMost(matched, (yield* countRetryable(sql, target, edges)).matched)
    assert.isFalse((yield* countRetryable(sql, target, edges, 100)).atLeast)
    // The batch's ten minutes, of ten rows each, and a few at the ends of index ranges.
    assert.isAtMost(yield* readBy(retryablePage(sql, target, filters, "", 250)), 10 * 10 + 10)
    assert.strictEqual((yield* retryablePage(sql, target, filters, "", 250)).deliveries.length, 10)
  }).pipe(Effect.scoped, Effect.provide(replayingLayer))
)
