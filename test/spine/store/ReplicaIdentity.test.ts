/** Others may publish every table (CREATE PUBLICATION … FOR ALL TABLES): PostgreSQL must be able to identify each row. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeTimePartitions } from "../../../src/spine/log/TimePartitions.ts"
import replicaIdentity from "../../../src/spine/store/migrations/0022_replica_identity.ts"
import { dateOf } from "../../../src/spine/words/IsoTime.ts"
import { TestDatabase } from "../../support/store/postgres.ts"

/** Tables and partitions with rows that PostgreSQL refuses to update and delete while they are published. */
const unidentified = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relreplident <> 'f'
      AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary) ORDER BY 1`
  return tables.map(({ name }) => name)
})

const DAY = Date.UTC(2026, 10, 28)
const daysOf = makeTimePartitions({ tables: ["transactions"], days: 1, boundAt: dateOf })

describe("every table", () => {
  it.effect("identifies its rows to subscribers, also a partition made later", () =>
    Effect.gen(function* () {
      const days = yield* daysOf
      yield* days.ensure(DAY, DAY)
      assert.deepStrictEqual(yield* unidentified, [])
    }).pipe(Effect.provide(TestDatabase))
  )

  it.effect("does so with partitions that an older version has made", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const made = ["transactions_20261128", "transactions_20261129"]
      yield* sql`
        CREATE TABLE transactions_20261128 PARTITION OF transactions FOR VALUES FROM ('2026-11-28') TO ('2026-11-29')`
      yield* sql`
        CREATE TABLE transactions_20261129 PARTITION OF transactions FOR VALUES FROM ('2026-11-29') TO ('2026-11-30')`
      assert.deepStrictEqual(yield* unidentified, made)
      // A process that was started before the migration made it, and one of this version finds it.
      const days = yield* daysOf
      yield* days.ensure(DAY, DAY)
      assert.deepStrictEqual(yield* unidentified, ["transactions_20261129"])
      yield* replicaIdentity
      assert.deepStrictEqual(yield* unidentified, [])
    }).pipe(Effect.provide(TestDatabase))
  )
})
