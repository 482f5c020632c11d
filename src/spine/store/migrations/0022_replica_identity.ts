/**
 * Tables without a primary key identify a row by all its columns. Without this PostgreSQL refuses to delete rows of
 * `delivery_changes` and `job_changes` as soon as somebody publishes all tables (CREATE PUBLICATION … FOR ALL TABLES). A
 * key would cost each attempt an index, and a row may be there twice. Later partitions follow their parent
 * (log/TimePartitions.ts).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const partitions = yield* sql<{ readonly name: string }>`
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'transactions'::regclass ORDER BY c.relname`
  for (const name of [
    "delivery_changes",
    "job_changes",
    "transactions",
    ...partitions.map((one) => one.name)
  ])
    yield* sql`ALTER TABLE ${sql(name)} REPLICA IDENTITY FULL`
})
