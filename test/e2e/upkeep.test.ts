/** What a process does on its database whatever its roles are. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { roles } from "../../src/Roles.ts"
import { eventually } from "../support/delivering.ts"
import { TestDatabase } from "../support/postgres.ts"
import { settingsLayer } from "../support/settings.ts"

const Live = Layer.fresh(roles).pipe(
  Layer.provideMerge(TestDatabase),
  Layer.provide(settingsLayer({ ROLES: "delay", XRPL_MAINNET_URLS: "" }))
)

describe("upkeep", () => {
  it.live("makes the days that deliveries need, and adds to totals what changed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const partitions = sql`SELECT 1 FROM pg_inherits WHERE inhparent = 'deliveries'::regclass`
      yield* eventually(Effect.map(partitions, (rows) => assert.isAbove(rows.length, 1)))
      yield* sql`
        INSERT INTO delivery_changes VALUES ('wh_1', 'acct_1', 'mainnet', now(), 0, 0, 3, 0, 21, 1, 2), ('wh_1', 'acct_1', 'mainnet', now(), 1, 0, 0, 0, 0, 0, 0)`
      const days = sql`SELECT webhook_id, pending, delivered FROM delivery_days ORDER BY webhook_id`
      yield* eventually(
        Effect.map(days, (rows) =>
          assert.deepStrictEqual(rows, [
            { webhook_id: "", pending: 1, delivered: 3 },
            { webhook_id: "wh_1", pending: 1, delivered: 3 }
          ])
        )
      )
      assert.deepStrictEqual(yield* sql`SELECT 1 FROM delivery_changes`, [])
    }).pipe(Effect.scoped, Effect.provide(Live))
  )
})
