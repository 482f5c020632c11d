/**
 * The embedded log (log/embedded/EmbeddedEventLog.ts). A row is a batch of records of one partition, which keeps rows
 * few. Topics that are kept for days and topics that are kept for more than a year have a table each,
 * range-partitioned by the time of writing, so retention drops whole partitions. Compacted topics have a row for each
 * record, because a newer record replaces an older one of the same key.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The log that this database belongs to (storage/LogIdentity.ts). The first start records it. If the row has no
  // cluster id, it is the embedded log.
  yield* sql`
    CREATE TABLE log_identity (
      only_row boolean PRIMARY KEY CHECK (only_row),
      cluster_id text,
      topic_prefix text,
      recorded_at timestamptz NOT NULL DEFAULT now(),
      CHECK ((cluster_id IS NULL) = (topic_prefix IS NULL))
    )`
  // One row that fences every write. `owner` counts processes that opened the log, `epoch` each time one loads its
  // state.
  yield* sql`
    CREATE TABLE log_owner (
      only_row boolean PRIMARY KEY CHECK (only_row),
      owner bigint NOT NULL,
      epoch bigint NOT NULL
    )`
  yield* sql`INSERT INTO log_owner (only_row, owner, epoch) VALUES (true, 0, 0)`
  yield* sql`
    CREATE TABLE log_ends (
      topic text NOT NULL,
      partition integer NOT NULL,
      start_offset bigint NOT NULL,
      end_offset bigint NOT NULL,
      newest_timestamp bigint NOT NULL,
      PRIMARY KEY (topic, partition)
    )`
  yield* sql`
    CREATE TABLE log_commits (
      group_name text NOT NULL,
      topic text NOT NULL,
      partition integer NOT NULL,
      next_offset bigint NOT NULL,
      PRIMARY KEY (group_name, topic, partition)
    )`
  for (const table of ["log_work", "log_history"]) {
    yield* sql`
      CREATE TABLE ${sql(table)} (
        topic text NOT NULL,
        partition integer NOT NULL,
        base_offset bigint NOT NULL,
        last_offset bigint NOT NULL,
        written_at timestamptz NOT NULL,
        newest_timestamp bigint NOT NULL,
        records bytea NOT NULL,
        PRIMARY KEY (topic, partition, last_offset, written_at)
      ) PARTITION BY RANGE (written_at)`
    // EXTERNAL: records are compressed already. Table partitions inherit this.
    yield* sql`ALTER TABLE ${sql(table)} ALTER COLUMN records SET STORAGE EXTERNAL`
    yield* sql`CREATE INDEX ${sql(`${table}_by_time`)} ON ${sql(table)} (topic, partition, newest_timestamp, last_offset)`
  }
  yield* sql`
    CREATE TABLE log_compacted (
      topic text NOT NULL,
      partition integer NOT NULL,
      log_offset bigint NOT NULL,
      key text NOT NULL,
      value text,
      headers text NOT NULL,
      record_timestamp bigint NOT NULL,
      PRIMARY KEY (topic, partition, log_offset)
    )`
})
