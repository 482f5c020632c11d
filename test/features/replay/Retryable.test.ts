/** What retry jobs select, for seeded random data, and what they read for it. Retryable.slow.test.ts has more seeds. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { countRetryable, retryablePage } from "../../../src/features/replay/Retryable.ts"
import { foldChanges } from "../../../src/features/statistics/DeliveryTotals.ts"
import { Partitions } from "../../../src/spine/deliveries/Partitions.ts"
import type { RetryFilters } from "../../../src/spine/domain/Replay.ts"
import { ACCOUNT, replayingLayer } from "./replaying.ts"
import { retryableTests } from "./retryableBySeed.ts"
import { MADE, makeDeliveries } from "./retrying.ts"

const HOUR_MS = 3_600_000

retryableTests([1])

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
