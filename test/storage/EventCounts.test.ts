/** Counting without reading: which hours are whole, where samples lie, and that a sampled estimate is near the truth. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../src/config/Limits.ts"
import { EventCounts, hoursWithin, samplesOf } from "../../src/storage/EventCounts.ts"
import { TestDatabase } from "../support/postgres.ts"

const HOUR = 3_600
const DAY = 24 * HOUR

describe("hours within a time", () => {
  it("are the whole ones, with what is cut off on both sides", () => {
    assert.deepStrictEqual(hoursWithin(10, 3 * HOUR + 5), {
      hours: { from: HOUR, before: 3 * HOUR },
      rest: [
        { from: 10, before: HOUR },
        { from: 3 * HOUR, before: 3 * HOUR + 5 }
      ]
    })
    assert.deepStrictEqual(hoursWithin(HOUR, 2 * HOUR), { hours: { from: HOUR, before: 2 * HOUR }, rest: [] })
    assert.deepStrictEqual(hoursWithin(10, HOUR + 5), {
      hours: undefined,
      rest: [{ from: 10, before: HOUR + 5 }]
    })
  })
})

describe("samples of a time", () => {
  it("lie one in each slice, whole hours where a slice holds several", () => {
    for (const days of [1, 400]) {
      const time = { from: 1_700_000_123, before: 1_700_000_123 + days * DAY }
      const { windows, wholeHours } = samplesOf(time, 1_000)
      const slice = (days * DAY) / 1_000
      assert.strictEqual(wholeHours, days === 400)
      for (const [i, { from, before }] of windows.entries()) {
        assert.isAtLeast(from, time.from + i * slice - 0.001)
        assert.isAtMost(before, time.from + (i + 1) * slice + 0.001)
        if (wholeHours) assert.deepStrictEqual([from % HOUR, before - from], [0, HOUR])
      }
    }
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
      `${name} is within five per cent`,
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const counts = yield* EventCounts
          yield* writeYear(3 * Limits.replayCountedRows, account)
          const wanted = {
            network: "mainnet",
            eventTypes: undefined,
            accounts,
            from: BEGAN,
            before: BEGAN + 301 * DAY
          } as const
          const [exact] = yield* sql<{ readonly events: number }>`
            SELECT count(*)::float8 AS events FROM event_accounts WHERE account <> 'rOther'`
          assert.isAbove(exact!.events, Limits.replayCountedRows)
          const [known] = yield* sql<{
            readonly hours: number
          }>`SELECT count(*)::int AS hours FROM event_hours`
          const hoursRead = Effect.map(
            sql<{ readonly rows: number }>`
              SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_xact_user_tables
              WHERE relname = 'event_hours'`,
            ([row]) => row!.rows
          )
          const [before, estimated, after] = yield* sql.withTransaction(
            Effect.all([hoursRead, counts.estimate(wanted), hoursRead])
          )
          assert.closeTo(estimated / exact!.events, 1, 0.05)
          // All of them, and then those of the samples: at most half of them.
          assert.isAtMost(after - before, 1.5 * known!.hours)
        }).pipe(Effect.provide(Layer.provideMerge(EventCounts.layer, TestDatabase))),
      60_000
    )
  }
})
