/**
 * What the events topics of the log lost before it was routed, and what the last look at each of them saw. `also_types` of
 * a notice URL: types that release 0.3 does not know; null if 0.3, or nobody, has chosen.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // `topic_id`: of the cluster. `end_offset`: the topic had a record before it.
  yield* sql`
    CREATE TABLE log_places (
      topic text COLLATE "C" PRIMARY KEY,
      topic_id text NOT NULL,
      end_offset bigint NOT NULL
    ) WITH (fillfactor = 50)`
  // `told_at`: when the webhooks that miss the ledgers got their gaps.
  yield* sql`
    CREATE TABLE lost_ledgers (
      network text NOT NULL,
      from_ledger bigint NOT NULL,
      to_ledger bigint NOT NULL,
      found_at timestamptz NOT NULL,
      told_at timestamptz,
      PRIMARY KEY (network, from_ledger, found_at)
    )`
  yield* sql`ALTER TABLE notice_urls ADD COLUMN also_types text[]`
})
