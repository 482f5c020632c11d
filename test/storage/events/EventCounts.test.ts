/**
 * Estimates from the event index's tables: which times a sample reads, and that the scaled count is close to the exact
 * one.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../../src/config/Limits.ts"
import { EventCounts, sampleOf } from "../../../src/storage/events/EventCounts.ts"
import { TestDatabase } from "../../support/postgres.ts"

const HOUR = 3_600
const DAY = 24 * HOUR

describe("a sample", () => {
  const busy = Array.from({ length: 400 }, (_, i) => ({ from: i * DAY, before: (i + 1) * DAY, events: 10 }))

  it("has a window in each of equally busy slices, which together are the share that is asked for", () => {
    const windows = sampleOf(busy, 0.02, 100)
    for (const [i, { from, before }] of windows.entries()) {
      assert.isAtLeast(from, i * 4 * DAY - 0.001)
      assert.isAtMost(before, (i + 1) * 4 * DAY + 0.001)
      assert.closeTo(before - from, 0.02 * 4 * DAY, 0.001)
    }
  })

  it("samples all hours of the day", () => {
    const hours = sampleOf(busy, 0.02, 100).map(({ from }) => Math.floor((from % DAY) / HOUR))
    assert.strictEqual(new Set(hours).size, 24)
  })

  it("samples the times that have events", () => {
    const times = [
      { from: 0, before: 100, events: 900 },
      { from: 100, before: 1_000, events: 0 },
      { from: 1_000, before: 2_000, events: 100 }
    ]
    assert.deepStrictEqual(sampleOf(times, 1, 10).at(-1), { from: 1_000, before: 2_000 })
    assert.deepStrictEqual(sampleOf(times, 1, 2)[0], { from: 0, before: 500 / 9 })
  })
})

/** A year of payments, each of one of the accounts, busier by the hour of the day, and more so in spring. */
const writeYear = Effect.fnUntraced(function* (events: number, account: string) {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["events", "event_accounts"]) {
    yield* sql.unsafe(
      `CREATE TABLE ${table}_2026 PARTITION OF ${table} FOR VALUES FROM ('2025-12-01Z') TO ('2027-01-01Z')`
    )
  }
  yield* sql.unsafe(`
    INSERT INTO event_accounts (network, account, event_type, close_time, ledger_index, position)
    SELECT 'mainnet', ${account}, 'payment.xrp',
      to_timestamp(${BEGAN} + floor(${300 * DAY} * power(i::float8 / ${events * 1.5}, 1.3) + 9000 * (1 + sin(i / 50.0)))), i / 5, i % 5
    FROM generate_series(20000, ${events * 1.5}) AS i`)
  yield* sql`
    INSERT INTO event_hours (network, event_type, hour, events)
    SELECT network, event_type, date_trunc('hour', close_time, 'UTC'), count(*) FROM event_accounts GROUP BY 1, 2, 3`
  yield* sql`ANALYZE event_accounts`
})

const BEGAN = Date.parse("2026-01-02T00:00:00Z") / 1_000
const others = 2_000

describe("the estimate of accounts with many events", () => {
  const cases: ReadonlyArray<readonly [name: string, account: string, accounts: ReadonlyArray<string>]> = [
    ["of one", "CASE WHEN i % 3 = 0 THEN 'rOther' ELSE 'rBusy' END", ["rBusy"]],
    [
      "of thousands",
      `CASE WHEN i % 2 = 0 THEN 'rOther' ELSE 'r' || hashint4(i) % ${others} END`,
      Array.from({ length: 2 * others }, (_, i) => `r${i - others}`)
    ]
  ]
  for (const [name, account, accounts] of cases) {
    it.live(
      `${name} is within ten per cent, and exact where there are few`,
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const counts = yield* EventCounts
          yield* writeYear(60 * Limits.estimateEnough, account)
          const wanted = {
            network: "mainnet",
            eventTypes: undefined,
            accounts,
            from: BEGAN,
            before: BEGAN + 301 * DAY
          } as const
          const [exact] = yield* sql<{ readonly events: number }>`
            SELECT count(*)::float8 AS events FROM event_accounts WHERE account <> 'rOther'`
          assert.closeTo((yield* counts.estimate(wanted)) / exact!.events, 1, 0.1)
          // The estimate of few events is exact.
          const few = { ...wanted, before: BEGAN + 13 * DAY }
          const [exactly] = yield* sql<{ readonly events: number }>`
            SELECT count(*)::float8 AS events FROM event_accounts
            WHERE account <> 'rOther' AND close_time < to_timestamp(${few.before})`
          assert.isAbove(exactly!.events, 100)
          assert.isBelow(exactly!.events, Limits.estimateEnough)
          assert.strictEqual(yield* counts.estimate(few), exactly!.events)
        }).pipe(Effect.provide(Layer.provideMerge(EventCounts.layer, TestDatabase))),
      60_000
    )
  }
})
