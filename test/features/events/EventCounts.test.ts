/** Estimates for accounts from the event index's tables: exact up to a number of rows. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { EventCounts } from "../../../src/features/events/EventCounts.ts"
import { Limits } from "../../../src/spine/config/Limits.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

const BEGAN = Date.parse("2026-01-02T00:00:00Z") / 1_000

layer(Layer.provideMerge(EventCounts.layer, TestDatabase))("the estimate of accounts", (it) => {
  it.effect("is exact for few events, and says that there may be more if it has not read all", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const counts = yield* EventCounts
      yield* sql`
        CREATE TABLE event_accounts_2026 PARTITION OF event_accounts FOR VALUES FROM ('2026-01-01Z') TO ('2027-01-01Z')`
      // One event a second, each of two accounts. A third account has every tenth.
      yield* sql`
        INSERT INTO event_accounts (network, account, event_type, close_time, ledger_index, position)
        SELECT 'mainnet', account, 'payment.xrp', to_timestamp(${BEGAN}::float8 + i), i, 0
        FROM generate_series(0, ${Limits.countedRows - 1}::int) AS i
        CROSS JOIN LATERAL (VALUES ('rOne'), ('rOther'), (CASE i % 10 WHEN 0 THEN 'rRare' END)) AS of (account)
        WHERE account IS NOT NULL`
      const wanted = (accounts: ReadonlyArray<string>, seconds: number) =>
        ({
          network: "mainnet",
          eventTypes: undefined,
          accounts,
          from: BEGAN,
          before: BEGAN + seconds
        }) as const
      const all = Limits.countedRows
      assert.deepStrictEqual(yield* counts.estimate(wanted(["rRare", "rNone"], all)), {
        events: all / 10,
        atLeast: false
      })
      // An event of two accounts counts once.
      assert.deepStrictEqual(yield* counts.estimate(wanted(["rOne", "rOther"], 1_000)), {
        events: 1_000,
        atLeast: false
      })
      const { atLeast, events } = yield* counts.estimate(wanted(["rOne", "rOther"], all))
      assert.isTrue(atLeast)
      assert.isAtLeast(events, all / 2)
      assert.isAtMost(events, all)
      const exact = yield* counts.tally(wanted(["rOne", "rOther"], all))
      assert.deepStrictEqual(
        exact.map((tally) => tally.events),
        [all]
      )
    })
  )
})
