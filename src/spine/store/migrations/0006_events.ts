/**
 * The event log for GET /v1/events: events, and the accounts of each. Within a network ledgers close one after the
 * other, so (close_time, ledger_index, position) is the order of events; the indexes of pages end with it. A row
 * depends on its ledger only, so writing it again gives the same row. Partitions cover 30 days: planning and rare
 * searches take longer with more partitions, and 400 days are 15 of them. There is no DEFAULT partition: a row
 * without a partition is an error.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // `payload` is text, because jsonb would change the order of keys from the one that is delivered.
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
  // For GET /v1/explain: a Bloom filter of hashes for each range of blocks. A write costs almost nothing; with a B-tree of
  // hashes it would cost 17 µs more for each event (docs/decisions/0012-events-by-transaction.md).
  yield* sql`
    CREATE INDEX events_by_transaction ON events USING brin (
      split_part(event_id, ':', 3) text_bloom_ops (n_distinct_per_range = 2048, false_positive_rate = 0.001)
    ) WITH (pages_per_range = 128)`
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
  // The number of events by hour and type, for estimates of replays.
  yield* sql`
    CREATE TABLE event_hours (
      network text COLLATE "C" NOT NULL,
      event_type text COLLATE "C" NOT NULL,
      hour timestamptz NOT NULL,
      events bigint NOT NULL,
      PRIMARY KEY (network, event_type, hour)
    ) WITH (fillfactor = 50)`
  // Cases that the detection rules do not decide (docs/detection-rules.md 1.11). `place` numbers the alerts of a transaction's ledger, so that a
  // ledger that is read again after a crash adds none.
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
