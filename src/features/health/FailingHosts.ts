/**
 * Counts the hosts of webhooks that were attempted in the last hour, and those of them that fail: no webhook of a
 * failing host works. A webhook was attempted if its newest attempt failed in that time, or if a delivery from that time
 * arrived.
 */
import { Clock, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Hosts } from "./Hosts.ts"

/** Hosts that fail are compared with the hosts of webhooks that were attempted in this time. */
const ATTEMPTED_MS = 3_600_000

/** The newest webhooks are read for it, which takes about 0.2 s: 9 µs for each. */
const COUNTED_WEBHOOKS = 20_000

/** The host of a webhook's URL, with its port. */
export const HOST = "lower(substring(url FROM '^[^:]+://([^/?#]*)'))"

export const failingHosts: Effect.Effect<Hosts, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const since = new Date((yield* Clock.currentTimeMillis) - ATTEMPTED_MS)
    const [hosts] = yield* sql<Hosts>`
    SELECT count(*)::int AS "all", count(*) FILTER (WHERE fails)::int AS failing FROM (
      SELECT bool_and(is_failing) AS fails FROM (
        SELECT * FROM webhooks WHERE status = 'active' AND paused_at IS NULL AND deleted_at IS NULL AND attempted_at IS NOT NULL
        ORDER BY id DESC LIMIT ${COUNTED_WEBHOOKS}
      ) AS w
      WHERE last_failed_at >= ${since} OR EXISTS (
        SELECT FROM delivery_totals t
        WHERE t.account_id = w.account_id AND t.network = w.network AND t.webhook_id = w.id AND t.status = 'delivered'
          AND t.width = '1 minute' AND t.at >= ${since} AND NOT t.is_empty
      )
      GROUP BY ${sql.literal(HOST)}
    ) AS hosts`
    return hosts!
  }
)
