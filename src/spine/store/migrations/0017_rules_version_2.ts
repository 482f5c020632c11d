/** What version 2 of the detection rules adds: codes of alerts, and what a webhook wants beside its payloads. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // `code` is null in alerts of release 0.2.
  yield* sql`ALTER TABLE detection_alerts ADD COLUMN code text`
  // JSON of the fields that records have beside the payload; null if there are none.
  yield* sql`ALTER TABLE events ADD COLUMN included text`
  yield* sql`ALTER TABLE webhooks ADD COLUMN include text[] NOT NULL DEFAULT '{}'`
})
