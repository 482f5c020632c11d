/** Records that name the offset of an event name the one that it has in the other log. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { moveLog } from "../../../../src/features/copies/move/MoveLog.ts"
import { DELIVERIES_TOPIC, type DeliveryWork, newWork } from "../../../../src/spine/domain/Delivery.ts"
import { Log } from "../../../../src/spine/log/Log.ts"
import { partitionOf } from "../../../../src/spine/log/Topics.ts"
import { randomId } from "../../../../src/spine/words/Ids.ts"
import { Invocation } from "../../../../src/terminal/Invocation.ts"
import { eventOf, recordOf } from "../../../support/deliver/events.ts"
import { chain } from "../../../support/ledger/chain.ts"
import * as MemoryLog from "../../../support/log/memory/MemoryLog.ts"
import { settingsLayer } from "../../../support/program/settings.ts"
import { TestDatabase } from "../../../support/store/postgres.ts"
import { batchOf, transactionsOf } from "../../events/transactions.ts"

const YEARS_AGO = Date.now() - 800 * 86_400_000

const invocation = Layer.succeed(Invocation, {
  environment: {},
  stdoutTerminal: false,
  stderrTerminal: false
})
const newLog = Effect.map(
  Layer.build(Layer.fresh(MemoryLog.layer).pipe(Layer.provide(settingsLayer()))),
  Context.get(Log)
)

describe("a moved log", () => {
  it.live("has work without a row that names its event, and other work as it was", () =>
    Effect.gen(function* () {
      const [source, target] = [yield* newLog, yield* newLog]
      const events = [0, 1, 2, 3].map((position) => eventOf({ position }))
      const old = events.map((event) => ({ ...recordOf(event), timestamp: YEARS_AGO }))
      yield* source.transaction({ append: [...old.slice(0, 3), recordOf(events[3]!)] })
      // So the newest event is the first record of the other log.
      yield* source.applyRetention
      const webhookId = randomId("wh_", 1)
      const written = newWork(randomId("dlv_", 1), webhookId, events[3]!)
      const unwrittenId = randomId("dlv_", events[3]!.detected_at)
      const row = { account_id: randomId("acct_", 1), event_offset: 3, again: true } as const
      const unwritten: DeliveryWork = { ...newWork(unwrittenId, webhookId, events[3]!), row }
      const values = [written, unwritten].map((work) => JSON.stringify(work))
      yield* source.transaction({
        append: [...values, "no work"].map((value) => ({ topic: DELIVERIES_TOPIC, key: webhookId, value }))
      })
      yield* moveLog(source, target, yield* SqlClient.SqlClient, { rawTransactions: true })
      const partition = partitionOf(DELIVERIES_TOPIC, webhookId)
      const copied = yield* target.read({ topic: DELIVERIES_TOPIC, partition, offset: 0 }, 10)
      const moved = JSON.stringify({ ...unwritten, row: { ...row, event_offset: 0 } })
      assert.deepStrictEqual(
        copied.map(({ value }) => value),
        [values[0]!, moved, "no work"]
      )
    }).pipe(Effect.scoped, Effect.provide([TestDatabase, invocation]))
  )

  it.live(
    "has markers that name the transactions where they are now, or not at all if they were not moved",
    () =>
      Effect.gen(function* () {
        const source = yield* newLog
        const ledgers = chain(1, 6, { transactions: 3 })
        const batch = (some: typeof ledgers, atMs: number) => {
          const { append, appendThen } = batchOf("mainnet", some, atMs)
          return { append, ...(appendThen && { appendThen }) }
        }
        yield* source.transaction(batch(ledgers.slice(0, 2), YEARS_AGO))
        yield* source.transaction(batch(ledgers.slice(2), Date.now()))
        // The transactions of the first ledgers are dropped, and those of the others have lower offsets in the other log.
        yield* source.applyRetention
        const movedMarkers = (rawTransactions: boolean) =>
          Effect.gen(function* () {
            const target = yield* newLog
            yield* moveLog(source, target, yield* SqlClient.SqlClient, { rawTransactions })
            const markers = yield* target.read({ topic: "xrpl.mainnet.ledgers", partition: 0, offset: 0 }, 10)
            const records = yield* target.read({ ...transactionsOf("mainnet"), offset: 0 }, 100)
            return {
              placed: markers.map(({ value }) => JSON.parse(value!).first_transaction_offset),
              counts: markers.map(({ value }) => JSON.parse(value!).transaction_record_count),
              records: records.map(({ headers }) => headers["ledger-index"])
            }
          })
        assert.deepStrictEqual(yield* movedMarkers(true), {
          placed: [0, 3, 6, 9],
          counts: [3, 3, 3, 3],
          records: [3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6].map(String)
        })
        assert.deepStrictEqual(yield* movedMarkers(false), {
          placed: Array(4).fill(undefined),
          counts: Array(4).fill(undefined),
          records: []
        })
      }).pipe(Effect.scoped, Effect.provide([TestDatabase, invocation]))
  )
})
