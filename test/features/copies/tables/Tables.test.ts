/** Rows are copied from one database to another as they are, whatever is in them, and nothing is counted twice. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { fillTables } from "../../../../src/features/copies/tables/WriteTables.ts"
import { makeTimePartitions } from "../../../../src/spine/log/TimePartitions.ts"
import { inSnapshot, readRows, readShape } from "../../../../src/spine/store/tables/ReadTables.ts"
import { makeDatabase } from "../../../support/store/postgres.ts"
import { insertAccount, insertWebhook } from "../../../support/store/rows.ts"

const database = Effect.flatMap(makeDatabase, (options) =>
  PgClient.make({ ...options, maxConnections: 4 })
).pipe(Effect.provide(Reactivity.layer))

const SPECIAL = [`quote ' " \\ , () {} \n\t`, "", "NULL", "null", "😀 ﷽", `{"a":"\\u0000"}`]
const DAY_MS = 86_400_000
const NOW_MS = Date.UTC(2026, 10, 23)

const noProgress = () => Effect.succeed(() => Effect.void)

/** Every row of every table as text, and the number of deliveries that are counted. */
const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* inSnapshot(
    Effect.gen(function* () {
      const shape = yield* readShape
      const rows: Record<string, Array<string>> = {}
      const add = (leaf: string, page: ReadonlyArray<string>) =>
        Effect.sync(() => {
          rows[leaf] = [...(rows[leaf] ?? []), ...page]
        })
      yield* readRows(shape, noProgress, add)
      const [total] = yield* sql`SELECT sum(count)::int AS counted FROM delivery_counts WHERE width = '1 day'`
      return { shape, rows, total }
    })
  )
})

const logPartitions = makeTimePartitions({
  tables: ["log_work"],
  days: 7,
  boundAt: (ms) => new Date(ms).toISOString()
})

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const days = yield* makeTimePartitions({
    tables: ["deliveries"],
    days: 1,
    fillfactor: 36,
    boundAt: (ms) => (ms < NOW_MS + DAY_MS ? "dlv_0" : "dlv_Z")
  })
  yield* days.ensure(NOW_MS, NOW_MS)
  const logs = yield* logPartitions
  yield* logs.ensure(NOW_MS, NOW_MS + 7 * DAY_MS)
  const account = "acct_01KAJ0Q4M8000000G3T5W7Y9ZB"
  yield* insertAccount(account)
  yield* insertWebhook(account)
  for (const [i, text] of SPECIAL.entries()) {
    yield* sql`INSERT INTO outbox (topic, key, value) VALUES ('webhooks.config', ${text}, ${i === 0 ? null : text})`
    yield* sql`
      INSERT INTO deliveries (id, webhook_id, account_id, network, event_id, event_type, event_offset, status, last_error, updated_at)
      VALUES (${`dlv_01KAJ0Q4M8000000G3T5W7Y9Z${i}`}, 'wh', ${account}, 'mainnet', 'e', 't', ${i}, 'pending', ${text}, now())`
    const bytes = Buffer.from([0, 255, 92, 39, i])
    yield* sql`
      INSERT INTO log_work (topic, partition, base_offset, last_offset, written_at, newest_timestamp, records)
      VALUES ('webhooks.deliveries', 0, ${i}, ${i}, ${new Date(NOW_MS).toISOString()}::timestamptz, 1, decode(${bytes.toString("hex")}, 'hex'))`
  }
})

const on = (sql: SqlClient.SqlClient) => Effect.provideService(SqlClient.SqlClient, sql)

const copy = (source: SqlClient.SqlClient, target: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const shape = yield* readShape
    const tables = yield* on(target)(fillTables(shape))
    yield* readRows(shape, noProgress, (leaf, page) => on(target)(tables.add(leaf, page)))
    yield* on(target)(tables.finish)
  }).pipe(inSnapshot, on(source))

describe("copied tables", () => {
  it.live("have the rows, partitions, counts and next ids of the others", () =>
    Effect.gen(function* () {
      const [source, target] = [yield* database, yield* database]
      yield* fill.pipe(on(source))
      yield* copy(source, target)
      const [given, found] = [yield* contents.pipe(on(source)), yield* contents.pipe(on(target))]
      assert.deepStrictEqual(found, given)
      assert.strictEqual(given.rows["outbox"]?.length, SPECIAL.length)
      assert.deepStrictEqual(given.total, { counted: SPECIAL.length })
      const inserted = yield* target`
        INSERT INTO outbox (topic, key) VALUES ('webhooks.config', 'next') RETURNING id::int AS id`
      assert.deepStrictEqual(inserted, [{ id: SPECIAL.length + 1 }])
    }).pipe(Effect.scoped)
  )

  it.live("are not taken if a row is missing", () =>
    Effect.gen(function* () {
      const [source, target] = [yield* database, yield* database]
      yield* fill.pipe(on(source))
      const shape = yield* readShape.pipe(inSnapshot, on(source))
      const tables = yield* fillTables(shape).pipe(on(target))
      const unknown = yield* Effect.flip(tables.add("somewhere", []).pipe(on(target)))
      assert.strictEqual(unknown.message, "it has rows of an unknown table somewhere")
      const error = yield* Effect.flip(tables.finish.pipe(on(target)))
      assert.match(error.message, /^the table \w+ has 0 rows instead of [1-9]/)
    }).pipe(Effect.scoped)
  )

  it.live("are not dropped while they are read, and no process waits for the reader", () =>
    Effect.gen(function* () {
      const source = yield* database
      yield* fill.pipe(on(source))
      const days = yield* logPartitions.pipe(on(source))
      const drop = days.drop(NOW_MS + 8 * DAY_MS)
      // In a fiber of its own, so outside the transaction that reads.
      const meanwhile = Effect.promise(() => Effect.runPromise(drop))
      const dropped = yield* Effect.andThen(readShape, meanwhile).pipe(inSnapshot, on(source))
      assert.strictEqual(dropped, 0)
      assert.strictEqual(yield* drop, 1)
    }).pipe(Effect.scoped)
  )
})
