/**
 * Events that detection withheld because the ledger's data do not decide them (events.md 1.6), with the reason. An
 * alert has its place among those of its ledger, so that a ledger taken again after a crash adds nothing.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE detection_alerts (
      network text NOT NULL,
      ledger_index bigint NOT NULL,
      tx_hash text NOT NULL,
      place integer NOT NULL,
      event_type text,
      reason text NOT NULL,
      recorded_at timestamptz NOT NULL,
      PRIMARY KEY (network, ledger_index, tx_hash, place)
    )`
  yield* sql`CREATE INDEX detection_alerts_by_time ON detection_alerts (recorded_at)`
})
