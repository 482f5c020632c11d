/** What `doctor` says of what detection could not decide: how many alerts are on record, and the newest few. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import { type AlertRow, AlertStore } from "../../storage/events/AlertStore.ts"
import type { Finding } from "./Finding.ts"

export interface Withheld {
  readonly total: number
  /** The newest first. */
  readonly alerts: ReadonlyArray<AlertRow>
}

/** Undefined when the database is not migrated that far. */
export const withheld: Effect.Effect<Withheld | undefined, SqlError.SqlError, SqlClient.SqlClient> =
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [table] = yield* sql<{ readonly found: boolean }>`
      SELECT to_regclass('detection_alerts') IS NOT NULL AS found`
    if (table?.found !== true) return undefined
    const store = yield* AlertStore
    return yield* store.newest(Limits.doctorAlerts)
  }).pipe(Effect.provide(AlertStore.layer))

const line = ({ network, ledger_index, tx_hash, event_type, reason }: AlertRow): string =>
  `${network} ${ledger_index} ${tx_hash} ${event_type ?? "(any event)"}: ${reason}`

export const alertFinding = ({ total, alerts }: Withheld): Finding =>
  total === 0
    ? { check: "detection", status: "ok", detail: "no event was withheld", mend: "" }
    : {
        check: "detection",
        status: "warning",
        detail: `${total} on record where an event, or a part of one, was withheld: the ledger's data do not decide it, or it does not match its published schema; newest: ${alerts.map(line).join("; ")}`,
        mend: "Everything else was delivered. Look the transactions up by their hash, and report those that should have become an event."
      }
