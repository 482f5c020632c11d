/**
 * Inserts the rows that a test needs first: accounts and webhooks, as the API would create them. Reads what the stages
 * have stored of a delivery.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { detailsOf } from "../../../src/spine/deliveries/StoredDetails.ts"
import { randomId } from "../../../src/spine/words/Ids.ts"

const CREATED = Date.parse("2026-11-01T00:00:00.000Z")

export const insertAccount = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO accounts (id, name, email, plan, created_at)
    VALUES (${id}, 'Test', 'test@example.com', 'enterprise', now()) ON CONFLICT DO NOTHING`
})

/** Inserts an active webhook for every event on mainnet; returns its id. */
export const insertWebhook = Effect.fnUntraced(function* (
  accountId: string,
  sealedSecret = "sealed",
  id = randomId("wh_", CREATED)
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO webhooks (id, account_id, network, url, event_types, account_filters, status, max_in_flight, headers,
                          sealed_secret, created_at, updated_at)
    VALUES (${id}, ${accountId}, 'mainnet', 'https://receiver.example/', ARRAY['*'], ARRAY[]::text[], 'active', 16,
            '{}'::jsonb, ${sealedSecret}, now(), now())`
  return id
})

/** Sets how much of a month's (`2026-11`) quota the account has used. */
export const setUsage = Effect.fnUntraced(function* (accountId: string, month: string, deliveries: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO delivery_usage (account_id, month, deliveries)
    VALUES (${accountId}, ${`${month}-01`}::date, ${String(deliveries)}::bigint)
    ON CONFLICT (account_id, month) DO UPDATE SET deliveries = excluded.deliveries`
})

/** These deliveries as work that waits for that attempt. */
export const waitingFor = (ids: ReadonlyArray<string>, attempt = 1) =>
  ids.map((deliveryId) => ({ deliveryId, attempt }))

/** What `DeliveryStore.states` does not read of a row. */
export const scheduleOf = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly seriesStart: number; readonly nextAttemptAt: number | null }>`
        SELECT series_start AS "seriesStart", (extract(epoch FROM next_attempt_at) * 1000)::float8 AS "nextAttemptAt"
        FROM deliveries WHERE id = ${id}`,
      ([row]) => row!
    )
  )

/** A delivery's attempts in their order: the failed ones have rows, and a successful one is in the delivery's row. */
export const historyOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    readonly attempt: number
    readonly status: "failed" | "delivered"
    readonly error: string | null
    readonly details: string | null
  }>`
    SELECT attempt, status, error, details FROM attempts WHERE delivery_id = ${id}
    UNION ALL
    SELECT attempts, status, last_error, details FROM deliveries WHERE id = ${id} AND attempted_at IS NOT NULL
    ORDER BY attempt`
  return rows.map(({ details, ...row }) => {
    const batchId = details === null ? undefined : detailsOf(details).batchId
    return { ...row, ...(batchId === undefined ? {} : { batchId }) }
  })
})
