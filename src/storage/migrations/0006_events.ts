/**
 * The event log that GET /v1/events reads: each event, and each account it involves. Within a network ledgers close one
 * after the other, so (close_time, ledger_index, position) is the ledger's order; the indexes that pages are read from
 * end with it. A row is a function of its ledger alone: written again, even from another log, it is the same row.
 * Partitions cover 30 days and not one: time to plan a query, and to look for what is rare, grows with their number, and
 * 400 days are 15 of them. There is no DEFAULT partition: a row for days that nobody made is an error, not a leak.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // `payload` is text and not jsonb, which would put its keys into another order than the one that was delivered.
  yield* sql`
    CREATE TABLE events (
      network text COLLATE "C" NOT NULL,
      ledger_index bigint NOT NULL,
      position integer NOT NULL,
      close_time timestamptz NOT NULL,
      event_type text COLLATE "C" NOT NULL,
      event_id text COLLATE "C" NOT NULL,
      payload text NOT NULL,
      PRIMARY KEY (network, ledger_index, position, close_time)
    ) PARTITION BY RANGE (close_time)`
  yield* sql`
    CREATE INDEX events_by_type ON events (network, event_type, close_time, ledger_index, position)`
  yield* sql`
    CREATE TABLE event_accounts (
      network text COLLATE "C" NOT NULL,
      event_type text COLLATE "C" NOT NULL,
      account text COLLATE "C" NOT NULL,
      close_time timestamptz NOT NULL,
      ledger_index bigint NOT NULL,
      position integer NOT NULL,
      PRIMARY KEY (network, event_type, account, close_time, ledger_index, position)
    ) PARTITION BY RANGE (close_time)`
  // How many events there are by hour of closing and type: replays are estimated from it.
  yield* sql`
    CREATE TABLE event_hours (
      network text COLLATE "C" NOT NULL,
      event_type text COLLATE "C" NOT NULL,
      hour timestamptz NOT NULL,
      events bigint NOT NULL,
      PRIMARY KEY (network, event_type, hour)
    ) WITH (fillfactor = 50)`
  // What detection withheld because the ledger's data do not decide it (docs/detection-rules.md 1.11). An alert has its place
  // among those of its ledger, so that a ledger taken again after a crash adds nothing.
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
