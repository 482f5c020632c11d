/**
 * Finds out which types of deliveries are pending in minutes that have had some for long: of an account whose quota is
 * used up that may be a month of minutes, and a page of one type would look into each (DeliveryPages.ts). What is known
 * holds what is pending, and is forgotten when that changes (migration 0018).
 */
import { Clock, Duration, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../config/Limits.ts"
import { patiently } from "../config/Retrying.ts"
import { firstIdAt } from "../domain/Ids.ts"
import { column } from "./Columns.ts"

const MINUTE_MS = 60_000

interface MinuteRow {
  readonly webhook_id: string
  readonly account_id: string
  readonly network: string
  readonly at: Date
}

/** Of more deliveries than are looked at: any type, also one that this version does not know. */
const ANY_TYPE = "-1"

/**
 * Of some minutes before that time of which nobody knows it; returns how many. They are held first, and the deliveries read
 * by a statement of its own: so it sees what changed them before, and what changes them next waits, and forgets what is
 * found here.
 */
export const findPendingTypes = (
  beforeMs: number
): Effect.Effect<number, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.gen(function* () {
      const { minutes, deliveries } = Limits.pendingTypes
      const held = yield* sql<MinuteRow>`
        SELECT webhook_id, account_id, network, at FROM delivery_minutes
        WHERE has_pending AND pending_types IS NULL AND webhook_id <> '' AND at < ${new Date(beforeMs)}
        ORDER BY at LIMIT ${minutes} FOR UPDATE SKIP LOCKED`
      if (held.length === 0) return 0
      const of = (name: "webhook_id" | "account_id" | "network") => column(held.map((row) => row[name]))
      const idAt = (afterMs: number) =>
        column(held.map(({ at }) => firstIdAt("dlv_", at.getTime() + afterMs)))
      // Written as in DeliveryPages.ts, for the index of webhooks and ids.
      yield* sql`
        UPDATE delivery_minutes AS minute SET pending_types = known.types
        FROM (
          SELECT held.*, found.types
          FROM unnest(${of("webhook_id")}::text[], ${of("account_id")}::text[], ${of("network")}::text[],
                      ${column(held.map(({ at }) => at.toISOString()))}::timestamptz[],
                      ${idAt(0)}::text[], ${idAt(MINUTE_MS)}::text[])
            AS held (webhook_id, account_id, network, at, from_id, until_id)
          CROSS JOIN LATERAL (
            SELECT CASE WHEN count(*) > ${deliveries} THEN ${sql.literal(ANY_TYPE)}
              ELSE coalesce(bit_or(event_type_bit(event_type)) FILTER (WHERE status = 'pending'), 0) END AS types
            FROM (
              SELECT event_type, status FROM deliveries
              WHERE (webhook_id, id) >= (held.webhook_id, from_id) AND (webhook_id, id) < (held.webhook_id, until_id)
                AND (id >= from_id OR id IS NULL) AND (id < until_id OR id IS NULL)
              ORDER BY webhook_id, id LIMIT ${deliveries + 1}
            ) AS looked_at
          ) AS found
        ) AS known
        WHERE (minute.webhook_id, minute.account_id, minute.network, minute.at)
            = (known.webhook_id, known.account_id, known.network, known.at)`
      return held.length
    }).pipe(sql.withTransaction)
  )

/** Does so for what has been pending for long, for a fifth of a connection's time at most. Never ends by itself. */
export const keepPendingTypes = Effect.gen(function* () {
  const { afterMs, pauseMs, minutes } = Limits.pendingTypes
  const find = Effect.flatMap(Clock.currentTimeMillis, (nowMs) => findPendingTypes(nowMs - afterMs))
  return yield* Effect.forever(
    Effect.flatMap(Effect.timed(patiently("types of pending deliveries")(find)), ([took, found]) =>
      Effect.sleep(found < minutes ? pauseMs : 4 * Duration.toMillis(took))
    )
  )
})
