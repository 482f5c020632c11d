/** `ending`: the webhook is deleted, and what was queued for it is being ended (storage/deliveries/DeletedQueues.ts). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE webhooks ADD COLUMN ending boolean NOT NULL DEFAULT false`
  yield* sql`CREATE INDEX webhooks_ending ON webhooks (id) WHERE ending`
})
