/**
 * Counts attempts in their accounts' usage: a part of a statement of RecordAttempts.ts. Test attempts and those on the
 * test networks are free.
 */
import type { SqlClient, Statement } from "effect/sql"
import { CHARGED_NETWORK } from "../domain/Quota.ts"
import { column } from "../store/Columns.ts"
import type { CountedAttempt } from "./Transitions.ts"

/** What stands behind WITH. Adds to `delivery_usage` and `delivery_usage_days`, in the order of their keys. */
// A batch has attempts of the same day of two months only if the clock was changed by a month. The usage of days then
// keeps the later one, because ON CONFLICT accepts each key once.
export const addUsage = (
  sql: SqlClient.SqlClient,
  counted: ReadonlyArray<CountedAttempt>
): Statement.Fragment => {
  const charged = counted.filter(({ isTest, network }) => network === CHARGED_NETWORK && !isTest)
  return sql`
    charges AS (
      SELECT account_id COLLATE "C" AS account_id, (to_timestamp(attempted_ms / 1000) AT TIME ZONE 'UTC')::date AS day,
             count(*) AS deliveries
      FROM unnest(
        ${column(charged.map(({ accountId }) => accountId))}::text[],
        ${column(charged.map(({ attempt }) => attempt.attemptedAt))}::float8[]
      ) AS charged (account_id, attempted_ms)
      GROUP BY 1, 2
    ), charged AS (
      INSERT INTO delivery_usage (account_id, month, deliveries)
      SELECT account_id, date_trunc('month', day)::date AS month, sum(deliveries) FROM charges
      GROUP BY account_id, month ORDER BY account_id, month
      ON CONFLICT (account_id, month) DO UPDATE SET deliveries = delivery_usage.deliveries + excluded.deliveries
    ), charged_days AS (
      INSERT INTO delivery_usage_days AS kept (account_id, day_of_month, day, deliveries)
      SELECT DISTINCT ON (account_id, day_of_month) account_id, extract(day FROM day) AS day_of_month, day, deliveries
      FROM charges ORDER BY account_id, day_of_month, day DESC
      ON CONFLICT (account_id, day_of_month) DO UPDATE SET
        day = excluded.day,
        deliveries = excluded.deliveries + CASE WHEN kept.day = excluded.day THEN kept.deliveries ELSE 0 END
      WHERE kept.day <= excluded.day
    )`
}
