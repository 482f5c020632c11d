/**
 * Minutes that have pending deliveries are in an index, so that a page of those leads from one such minute to the next,
 * however many others lie between. What is indexed is a flag that changes with a minute's first and last pending delivery,
 * and not their number: with an indexed number every change of a minute's totals would write to all its indexes. A trigger
 * keeps the flag, so that a process of the version before may still add to the totals.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE delivery_minutes ADD COLUMN has_pending boolean NOT NULL DEFAULT false`
  yield* sql`
    CREATE FUNCTION flag_pending() RETURNS trigger LANGUAGE plpgsql
    AS $body$ BEGIN NEW.has_pending := NEW.pending > 0; RETURN NEW; END $body$`
  yield* sql`
    CREATE TRIGGER flag_pending BEFORE INSERT OR UPDATE ON delivery_minutes
    FOR EACH ROW WHEN (NEW.has_pending <> (NEW.pending > 0)) EXECUTE FUNCTION flag_pending()`
  yield* sql`UPDATE delivery_minutes SET has_pending = true WHERE pending > 0`
  yield* sql`
    CREATE INDEX delivery_minutes_pending_by_account ON delivery_minutes (account_id, network, at)
    WHERE has_pending AND webhook_id <> ''`
  yield* sql`
    CREATE INDEX delivery_minutes_pending_by_webhook ON delivery_minutes (webhook_id, at) WHERE has_pending`
})
