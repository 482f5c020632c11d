/**
 * Detection alerts. Ingest writes them before the ledger's events, so a crash loses none; writing them again changes
 * nothing. They are kept for RETENTION_EVENTS, and at most the newest `Limits.newestKept`.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../../spine/config/Config.ts"
import { Limits } from "../../spine/config/Limits.ts"
import type { AlertCode } from "../../spine/event/AlertCode.ts"
import type { DetectionAlert } from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"
import { deleteEvery } from "../../spine/observe/ClockTrust.ts"
import { column } from "../../spine/store/Columns.ts"
import { makeDeadLetters } from "../../spine/store/DeadLetters.ts"
import { printable } from "../../spine/words/Printable.ts"

export interface AlertRow extends Omit<DetectionAlert, "code"> {
  /** Null in alerts that release 0.2 recorded. */
  readonly code: AlertCode | null
  readonly network: Network
  readonly ledger_index: number
  readonly recorded_at: string
}

const at = (unixMs: number): string => new Date(unixMs).toISOString()

export class AlertStore extends Context.Service<AlertStore>()("ledgerhook/storage/AlertStore", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const deadLetters = yield* makeDeadLetters
    const newestFirst = sql`recorded_at DESC, network, ledger_index DESC, place DESC`
    return {
      /** All alerts of one ledger. */
      record: (network: Network, ledgerIndex: number, found: ReadonlyArray<DetectionAlert>, nowMs: number) =>
        deadLetters
          .write({
            stage: "alerts",
            records: found.map((alert, i) => ({ ...alert, place: i + 1 })),
            describe: (alert) => ({
              source: `${network} ledger ${ledgerIndex}, alert ${alert.place}`,
              text: JSON.stringify(alert)
            }),
            statement: (alerts) => sql`
              INSERT INTO detection_alerts (network, ledger_index, tx_hash, place, code, event_type, reason, recorded_at)
              SELECT ${network}, ${ledgerIndex}::bigint, new.*, ${at(nowMs)}::timestamptz
              FROM unnest(
                ${column(alerts.map(({ tx_hash }) => tx_hash))}::text[],
                ${column(alerts.map(({ place }) => place))}::int[],
                ${column(alerts.map(({ code }) => code))}::text[],
                ${column(alerts.map(({ event_type }) => event_type))}::text[],
                ${column(alerts.map(({ reason }) => printable(reason, Limits.errorLength)))}::text[]
              ) AS new
              ON CONFLICT DO NOTHING`
          })
          .pipe(Effect.asVoid),

      /** Returns the number of stored alerts, and the newest alerts. */
      newest: Effect.fnUntraced(function* (limit: number) {
        const [counted] = yield* sql<{ readonly total: number }>`
          SELECT count(*)::float8 AS total FROM detection_alerts`
        const alerts = yield* sql<AlertRow>`
          SELECT network, ledger_index::float8 AS ledger_index, tx_hash, code, event_type, reason, recorded_at
          FROM detection_alerts ORDER BY ${newestFirst} LIMIT ${limit}`
        return { total: counted?.total ?? 0, alerts }
      }),

      /** Deletes alerts recorded before `beforeMs`, and all but the newest `keep`; returns how many. */
      drop: (beforeMs: number, keep: number) =>
        sql`
          DELETE FROM detection_alerts
          WHERE recorded_at < ${at(beforeMs)}::timestamptz OR (network, ledger_index, tx_hash, place) IN (
            SELECT network, ledger_index, tx_hash, place FROM detection_alerts
            ORDER BY ${newestFirst} OFFSET ${keep}
          ) RETURNING 1`.pipe(Effect.map((rows) => rows.length))
    }
  })
}) {
  static readonly layer = Layer.effect(AlertStore, AlertStore.make)
}

/** Deletes old and surplus alerts, hourly. */
export const forgetAlerts = Effect.gen(function* () {
  const { retentionEventsMs } = yield* Settings
  const alerts = yield* AlertStore
  const once = Effect.gen(function* () {
    const dropped = yield* alerts.drop(
      (yield* Clock.currentTimeMillis) - retentionEventsMs,
      Limits.newestKept
    )
    if (dropped > 0) yield* Effect.logInfo(`retention dropped ${dropped} detection alerts`)
  })
  return yield* once.pipe(deleteEvery("retention of detection alerts", Limits.maintenanceMs))
})
