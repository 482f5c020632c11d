/**
 * Jobs that retry many deliveries of a webhook: `retry` says which, `next_delivery_id` is where its next batch begins.
 *
 * Parked deliveries remember the lane that parked them (`after_live`: the lane of replays). The lane that parks a row is
 * the lane that reads it back, whoever made the delivery: a manual retry of a replayed delivery goes with live ones. Rows
 * that are parked when this runs go with live ones.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE deliveries ADD COLUMN after_live boolean NOT NULL DEFAULT false`
  yield* sql`DROP INDEX deliveries_parked`
  yield* sql`CREATE INDEX deliveries_parked ON deliveries (webhook_id, after_live, id) WHERE parked`
  yield* sql`
    ALTER TABLE replay_jobs
      ADD COLUMN retry jsonb,
      ADD COLUMN next_delivery_id text COLLATE "C",
      DROP CONSTRAINT replay_jobs_mode,
      ADD CONSTRAINT replay_jobs_mode CHECK (num_nonnulls(event_ids, filters, retry) = 1)`
})
