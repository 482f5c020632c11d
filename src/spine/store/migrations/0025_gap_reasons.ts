/**
 * More reasons of gaps: `paused` and `waited_too_long` (what waited was discarded), and `lost` (the log no longer has it).
 * Processes of release 0.3 cannot show these. So none is written while one of them runs: `release` is null in its row.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE webhook_gaps DROP CONSTRAINT webhook_gaps_reason_check, ADD CONSTRAINT webhook_gaps_reason_check
      CHECK (reason IN ('disabled', 'suspended', 'quota', 'paused', 'waited_too_long', 'lost'))`
  yield* sql`ALTER TABLE processes ADD COLUMN release text`
})
