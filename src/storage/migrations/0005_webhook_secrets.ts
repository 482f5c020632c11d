/**
 * What a rotation leaves behind for its grace: the previous secret, sealed, and its end. And test deliveries: their
 * events are in no topic, so they stand in their rows; `test_event` is also the mark of what is free and counts nowhere.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE webhooks
      ADD COLUMN previous_sealed_secret text,
      ADD COLUMN previous_secret_until timestamptz,
      ADD CONSTRAINT webhooks_previous_secret
        CHECK ((previous_sealed_secret IS NULL) = (previous_secret_until IS NULL))`
  yield* sql`
    CREATE INDEX webhooks_previous_secret_until ON webhooks (previous_secret_until)
    WHERE previous_secret_until IS NOT NULL`
  yield* sql`
    ALTER TABLE deliveries
      ADD COLUMN test_event text,
      ALTER COLUMN event_offset DROP NOT NULL,
      ADD CONSTRAINT deliveries_event CHECK ((event_offset IS NULL) <> (test_event IS NULL))`
})
