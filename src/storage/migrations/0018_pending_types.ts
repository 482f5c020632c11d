/**
 * What types of deliveries are pending in a minute that has had some for long (storage/PendingTypes.ts finds out): a page
 * of one type passes over the minutes that have none of it. NULL says that nobody knows. A trigger leads back to that
 * whenever the minute's totals change, also if a process of the version before changes them.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE delivery_minutes ADD COLUMN pending_types bigint`
  yield* sql`
    CREATE FUNCTION forget_pending_types() RETURNS trigger LANGUAGE plpgsql
    AS $body$ BEGIN NEW.pending_types := NULL; RETURN NEW; END $body$`
  yield* sql`
    CREATE TRIGGER forget_pending_types BEFORE UPDATE ON delivery_minutes
    FOR EACH ROW WHEN (OLD.pending_types IS NOT NULL) EXECUTE FUNCTION forget_pending_types()`
  yield* sql`
    CREATE INDEX delivery_minutes_pending_unknown ON delivery_minutes (at)
    WHERE has_pending AND pending_types IS NULL AND webhook_id <> ''`
})
