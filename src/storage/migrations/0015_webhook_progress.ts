/**
 * Gaps of webhooks: spans of ledgers in which nothing was queued for a webhook. Triggers open and close them with the
 * statement that disables or enables a webhook, or suspends an account, whatever its version. Upkeep does it for quotas
 * (coverage/GapUpkeep.ts), and stores for each network up to which ledger events are routed.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE routed_ledgers (
      network text PRIMARY KEY,
      routed_through bigint NOT NULL
    ) WITH (fillfactor = 50)`
  // `to_ledger` is null until it is known which ledger was the newest one after the end.
  yield* sql`
    CREATE TABLE webhook_gaps (
      webhook_id text COLLATE "C" NOT NULL,
      reason text NOT NULL CHECK (reason IN ('disabled', 'suspended', 'quota')),
      began_at timestamptz NOT NULL,
      ended_at timestamptz,
      from_ledger bigint NOT NULL,
      to_ledger bigint,
      PRIMARY KEY (webhook_id, reason, began_at)
    )`
  yield* sql`CREATE UNIQUE INDEX webhook_gaps_open ON webhook_gaps (webhook_id, reason) WHERE ended_at IS NULL`
  yield* sql`CREATE INDEX webhook_gaps_unknown ON webhook_gaps (ended_at) WHERE to_ledger IS NULL`
  // What was routed by a moment before was queued: a gap begins after it.
  yield* sql.unsafe(`
    CREATE FUNCTION open_webhook_gaps(ids text[], why text) RETURNS void LANGUAGE sql
    AS $body$
      INSERT INTO webhook_gaps (webhook_id, reason, began_at, from_ledger)
      SELECT w.id, why, clock_timestamp(), coalesce(r.routed_through, 0) + 1
      FROM webhooks w LEFT JOIN routed_ledgers r ON r.network = w.network
      WHERE w.id = ANY(ids) AND w.deleted_at IS NULL ORDER BY w.id
      ON CONFLICT DO NOTHING
    $body$`)
  yield* sql.unsafe(`
    CREATE FUNCTION close_webhook_gaps(ids text[], why text) RETURNS void LANGUAGE sql
    AS $body$
      UPDATE webhook_gaps SET ended_at = clock_timestamp()
      WHERE webhook_id = ANY(ids) AND reason = why AND ended_at IS NULL
    $body$`)
  const whenChanged = (
    table: string,
    column: string,
    isChanged: string,
    ids: string,
    begins: string,
    why: string
  ) =>
    Effect.andThen(
      sql.unsafe(`
        CREATE FUNCTION keep_gaps_of_${table}() RETURNS trigger LANGUAGE plpgsql
        AS $body$ BEGIN
          IF ${begins} THEN PERFORM open_webhook_gaps(${ids}, '${why}');
          ELSE PERFORM close_webhook_gaps(${ids}, '${why}');
          END IF;
          RETURN NULL;
        END $body$`),
      sql.unsafe(`
        CREATE TRIGGER keep_gaps_of_${table} AFTER UPDATE OF ${column} ON ${table}
        FOR EACH ROW WHEN (${isChanged}) EXECUTE FUNCTION keep_gaps_of_${table}()`)
    )
  yield* whenChanged(
    "webhooks",
    "status",
    "OLD.status <> NEW.status",
    "ARRAY[NEW.id]",
    "NEW.status = 'disabled'",
    "disabled"
  )
  yield* whenChanged(
    "accounts",
    "suspended_at",
    "(OLD.suspended_at IS NULL) <> (NEW.suspended_at IS NULL)",
    "ARRAY(SELECT id FROM webhooks WHERE account_id = NEW.id)",
    "NEW.suspended_at IS NOT NULL",
    "suspended"
  )
})
