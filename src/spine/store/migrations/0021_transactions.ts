/**
 * Transactions as the ledger has them (RAW_TRANSACTIONS): the table of their records in the embedded log, and the index
 * by hash for GET /v1/transactions/:hash. The index has 8 bytes of the hash and the record's place in the log, and the
 * record says whether it is the one. So a row and its entry in the B-tree take 80 bytes, and a look-up reads one page of
 * each day. Nothing is unique: after a crash a place may be there twice, and two transactions may share 8 bytes.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // As `log_work`, whose retention is fixed. `newest_timestamp` is there because one statement writes both.
  yield* sql`
    CREATE TABLE log_transactions (
      topic text NOT NULL,
      partition integer NOT NULL,
      base_offset bigint NOT NULL,
      last_offset bigint NOT NULL,
      written_at timestamptz NOT NULL,
      newest_timestamp bigint NOT NULL,
      records bytea NOT NULL,
      PRIMARY KEY (topic, partition, last_offset, written_at)
    ) PARTITION BY RANGE (written_at)`
  yield* sql`ALTER TABLE log_transactions ALTER COLUMN records SET STORAGE EXTERNAL`
  // `network`: its network id. `day`: the day on which ingest wrote the record, as the log's retention counts.
  yield* sql`
    CREATE TABLE transactions (
      hash bigint NOT NULL,
      log_offset bigint NOT NULL,
      day date NOT NULL,
      network smallint NOT NULL
    ) PARTITION BY RANGE (day)`
  yield* sql`CREATE INDEX transactions_by_hash ON transactions (hash)`
})
