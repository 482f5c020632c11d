/** What a migration may do while processes of the version before serve (src/README.md), on every table at once. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { tableShapes } from "../../../src/spine/store/tables/TableShapes.ts"

export const compatibleChange = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE added_later (id text PRIMARY KEY)`
  for (const { name } of yield* tableShapes) {
    yield* sql`ALTER TABLE ${sql(name)} ADD COLUMN added_later text`
    yield* sql`ALTER TABLE ${sql(name)} ADD COLUMN counted_later integer NOT NULL DEFAULT 0`
  }
})
