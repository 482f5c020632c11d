/** The index of transactions on a real database: every recorded transaction is found, whichever process dies. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { EventIndex } from "../../../src/features/events/EventIndex.ts"
import { events } from "../../../src/features/events/IndexEvents.ts"
import { TransactionIndex } from "../../../src/features/events/TransactionIndex.ts"
import { indexTransactions } from "../../../src/features/events/Transactions.ts"
import { Log, LogError } from "../../../src/spine/log/Log.ts"
import { makeDeadLetters } from "../../../src/spine/store/DeadLetters.ts"
import { eventually } from "../../support/deliver/delivering.ts"
import { chain } from "../../support/ledger/chain.ts"
import * as MemoryLog from "../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../support/program/settings.ts"
import { TestDatabase } from "../../support/store/postgres.ts"
import { appendTransactions, transactionsOf } from "./transactions.ts"

const DAY_MS = 86_400_000

const live = Layer.merge(EventIndex.layer, TransactionIndex.layer).pipe(
  Layer.provideMerge(Layer.merge(TestDatabase, MemoryLog.layer)),
  Layer.provideMerge(settingsLayer({ RETENTION_TRANSACTIONS: "3 days" }))
)

const indexing = events(["mainnet", "testnet"], indexTransactions)

const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly rows: number }>`SELECT count(*)::float8 AS rows FROM transactions`
  return row!.rows
})

const assertFound = Effect.fnUntraced(function* (
  records: Effect.Success<ReturnType<typeof appendTransactions>>
) {
  const index = yield* TransactionIndex
  for (const { headers, key, offset } of records)
    assert.deepStrictEqual(yield* index.find(headers!["transaction-hash"]!, ["mainnet", "testnet"]), [
      { network: key as "mainnet", offset }
    ])
})

describe("the index of transactions", () => {
  it.live("has the place of every transaction of the watched networks, and is committed", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const first = yield* appendTransactions("mainnet", chain(1, 20, { transactions: 40 }))
      yield* Effect.forkScoped(indexing)
      const second = yield* appendTransactions("testnet", chain(101, 103, { transactions: 4 }))
      const third = yield* appendTransactions("mainnet", chain(21, 22, { transactions: 4 }))
      const last = third.at(-1)!
      yield* eventually(
        Effect.map(log.committed("events", transactionsOf("mainnet")), (offset) =>
          assert.strictEqual(offset, last.offset + 1)
        )
      )
      yield* eventually(
        Effect.map(rows, (count) => assert.strictEqual(count, first.length + second.length + third.length))
      )
      yield* assertFound([...first.slice(0, 10), ...first.slice(-10), ...third])
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("finds each transaction once after a batch that was written and not committed", () =>
    Effect.gen(function* () {
      const records = yield* appendTransactions("mainnet", chain(1, 5, { transactions: 4 }))
      const dying = Layer.effect(
        Log,
        Effect.map(Log, (log) =>
          Log.of({
            ...log,
            consume: (options, handle) =>
              log.consume(options, (partition) =>
                handle({
                  ...partition,
                  commit: () =>
                    Effect.fail(new LogError({ operation: "fence", topic: partition.topic, cause: "killed" }))
                })
              )
          })
        )
      )
      assert.isTrue(Exit.isFailure(yield* Effect.exit(indexing.pipe(Effect.provide(dying)))))
      assert.strictEqual(yield* rows, records.length)
      yield* Effect.forkScoped(indexing)
      yield* eventually(Effect.map(rows, (count) => assert.strictEqual(count, 2 * records.length)))
      yield* assertFound(records)
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("makes dead letters of records without a hash, and continues", () =>
    Effect.gen(function* () {
      const log = yield* Log
      const { topic } = transactionsOf("mainnet")
      yield* log.transaction({
        append: [{}, { "transaction-hash": "AB" }].map((headers) => ({
          topic,
          key: "k",
          value: "{}",
          headers
        }))
      })
      const records = yield* appendTransactions("mainnet", chain(1, 1, { transactions: 3 }))
      yield* Effect.forkScoped(indexing)
      const { newest } = yield* makeDeadLetters
      // They are written after the rows.
      yield* eventually(Effect.map(newest(0), ({ total }) => assert.strictEqual(total, 2)))
      yield* assertFound(records)
      assert.deepInclude((yield* newest(1)).rows[0], { stage: "events", source: `${topic}/0@1` })
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("is dropped by day after RETENTION_TRANSACTIONS, and does not come back", () =>
    Effect.gen(function* () {
      const index = yield* TransactionIndex
      const nowMs = yield* Clock.currentTimeMillis
      const aged = (days: number) => ({
        network: "mainnet" as const,
        hash: String(days).padStart(64, "0").split("").reverse().join(""),
        offset: days,
        writtenAt: nowMs - days * DAY_MS
      })
      yield* index.insert([0, 1, 2, 3].map(aged), nowMs)
      assert.strictEqual(yield* rows, 4)
      assert.strictEqual(yield* index.applyRetention(nowMs + 2 * DAY_MS), 2)
      yield* index.insert([2, 3].map(aged), nowMs + 2 * DAY_MS)
      assert.strictEqual(yield* rows, 2)
      assert.lengthOf(yield* index.find(aged(1).hash, ["mainnet"]), 1)
      assert.deepStrictEqual(yield* index.find(aged(3).hash, ["mainnet"]), [])
    }).pipe(Effect.provide(live))
  )
})
