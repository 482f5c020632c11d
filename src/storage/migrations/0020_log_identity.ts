/**
 * Which log this database belongs to (storage/LogIdentity.ts): its deliveries, offsets and checkpoints mean nothing on
 * another one. Recorded at the first start; no cluster means the embedded log.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE log_identity (
      only_row boolean PRIMARY KEY CHECK (only_row),
      cluster_id text,
      topic_prefix text,
      recorded_at timestamptz NOT NULL DEFAULT now(),
      CHECK ((cluster_id IS NULL) = (topic_prefix IS NULL))
    )`
})
