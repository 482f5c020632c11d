/**
 * Webhooks. After a rotation a row keeps the previous secret, sealed, and the end of its grace. `ending`: the webhook
 * is deleted and its queued deliveries are being ended (storage/deliveries/DeletedQueues.ts). The number of account
 * filters is stored, so that summing it for an account reads an index only. `last_disabled_at` and `last_enabled_at`
 * are the last period in which it was disabled and that is over.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE webhooks (
      id text COLLATE "C" PRIMARY KEY,
      account_id text NOT NULL REFERENCES accounts (id),
      network text NOT NULL,
      url text NOT NULL,
      description text,
      event_types text[] NOT NULL,
      account_filters text[] NOT NULL,
      payload_filter json,
      account_filters_count integer NOT NULL GENERATED ALWAYS AS (cardinality(account_filters)) STORED,
      status text NOT NULL CHECK (status IN ('active', 'disabled')),
      consecutive_failures integer NOT NULL DEFAULT 0,
      failing_since timestamptz,
      failed_attempts integer NOT NULL DEFAULT 0,
      failing_reported timestamptz,
      max_in_flight integer NOT NULL,
      max_per_second integer,
      signing text[] NOT NULL DEFAULT '{service}',
      format text NOT NULL DEFAULT 'ledgerhook',
      compression text,
      batch json,
      headers jsonb NOT NULL,
      sealed_secret text NOT NULL,
      previous_sealed_secret text,
      previous_secret_until timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      disabled_at timestamptz,
      disabled_reason text,
      last_disabled_at timestamptz,
      last_enabled_at timestamptz,
      deleted_at timestamptz,
      ending boolean NOT NULL DEFAULT false,
      CONSTRAINT webhooks_previous_secret
        CHECK ((previous_sealed_secret IS NULL) = (previous_secret_until IS NULL))
    )`
  yield* sql`CREATE INDEX webhooks_by_account ON webhooks (account_id, id)`
  yield* sql`
    CREATE INDEX webhooks_present ON webhooks (account_id, id) INCLUDE (account_filters_count)
    WHERE deleted_at IS NULL`
  yield* sql`
    CREATE INDEX webhooks_previous_secret_until ON webhooks (previous_secret_until)
    WHERE previous_secret_until IS NOT NULL`
  // `failing_since`: the first failed attempt after the newest success, and `failed_attempts` since then. `failing_reported`:
  // the `failing_since` of which the account has a mail (storage/webhooks/FailingWebhooks.ts).
  yield* sql`
    CREATE INDEX webhooks_failing ON webhooks (id) WHERE failing_since IS NOT NULL OR failing_reported IS NOT NULL`
  yield* sql`CREATE INDEX webhooks_ending ON webhooks (id) WHERE ending`
})
