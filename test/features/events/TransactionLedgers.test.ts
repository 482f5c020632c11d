/** A transaction's ledger is found whether its block is summarised or not. Other summarised blocks are not read. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { EventIndex } from "../../../src/features/events/EventIndex.ts"
import { EventQueries } from "../../../src/features/events/EventQueries.ts"
import { transactionLedgers, useBlockRanges } from "../../../src/features/events/TransactionLedgers.ts"
import { ReadSql } from "../../../src/spine/store/Sql.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

const NOW = Date.parse("2026-11-21T09:30:00Z")
const EVENTS = 20_000
const FIRST = 90_000_000
const transactionOf = (n: number) => n.toString(16).toUpperCase().padStart(64, "0")

/** One event a ledger, some 1 KB each: 20 MB. */
const writeEvents = (from: number, count: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO events (network, ledger_index, position, close_time, event_type, event_id, payload)
      SELECT 'mainnet', ${FIRST}::bigint + n, 0, ${new Date(NOW).toISOString()}::timestamptz, 'payment.xrp',
             concat_ws(':', 'xrpl', ${FIRST}::bigint + n, lpad(upper(to_hex(n)), 64, '0'), 'payment.xrp'), repeat('x', 850)
      FROM generate_series(${from}::int, ${from + count - 1}::int) AS n`
  )

/** Events that a look-up takes from their blocks, by a plan made for any values. */
const eventsRead = Effect.fnUntraced(function* (transaction: string) {
  const read = yield* ReadSql
  const [text, values] = transactionLedgers(read, "mainnet", transaction, 0).compile()
  const plan = Effect.gen(function* () {
    yield* useBlockRanges(read)
    yield* read.unsafe(`PREPARE look_up AS ${text}`)
    const given = values.map((value) => `'${value}'`).join()
    const lines = yield* read.unsafe<{ readonly "QUERY PLAN": string }>(
      `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE look_up(${given})`
    )
    yield* read`DEALLOCATE look_up`
    return lines.map((line) => line["QUERY PLAN"]).join("\n")
  })
  const shown = yield* read.withTransaction(plan)
  assert.include(shown, "Bitmap Index Scan on events_")
  const removed = [...shown.matchAll(/Rows Removed by \w+(?: \w+)?: (\d+)/g)].map(([, rows]) => Number(rows))
  return removed.reduce((sum, rows) => sum + rows, 0)
})

const Live = Layer.mergeAll(EventIndex.layer, EventQueries.layer).pipe(
  Layer.provideMerge(TestDatabase),
  Layer.provideMerge(settingsLayer())
)

layer(Live)("the ledger of a transaction", (it) => {
  it.effect("is found, and what is summarised is not read for it", () =>
    Effect.gen(function* () {
      const store = yield* EventIndex
      const queries = yield* EventQueries
      yield* store.makeAhead(NOW)
      const ledgersOf = (n: number) => queries.ledgersOf("mainnet", transactionOf(n), NOW - 1)
      yield* writeEvents(0, EVENTS)
      assert.deepStrictEqual(yield* ledgersOf(7), [FIRST + 7])
      assert.isAtLeast(yield* eventsRead(transactionOf(7)), EVENTS / 2)
      yield* store.summarise
      assert.deepStrictEqual(yield* ledgersOf(7), [FIRST + 7])
      // A range of blocks has 1 MB.
      assert.isAtMost(yield* eventsRead(transactionOf(7)), EVENTS / 10)
      assert.isAtMost(yield* eventsRead(transactionOf(EVENTS + 7)), EVENTS / 10)
      assert.deepStrictEqual(yield* ledgersOf(EVENTS + 7), [])
      yield* writeEvents(EVENTS, 100)
      assert.deepStrictEqual(yield* ledgersOf(EVENTS + 7), [FIRST + EVENTS + 7])
      assert.deepStrictEqual(yield* queries.ledgersOf("testnet", transactionOf(7), NOW - 1), [])
      assert.deepStrictEqual(yield* queries.ledgersOf("mainnet", transactionOf(7), NOW + 1), [])
    })
  )
})
