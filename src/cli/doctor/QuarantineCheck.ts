/** What `doctor` says of the records that the store could not take: how many there are, and the newest with its reason. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Limits } from "../../config/Limits.ts"
import { makeQuarantine, type QuarantineRow } from "../../storage/Quarantine.ts"
import type { Finding } from "./Finding.ts"

export interface QuarantineLook {
  readonly total: number
  /** The newest first. */
  readonly rows: ReadonlyArray<QuarantineRow>
}

/** Undefined when the database is not migrated that far. */
export const lookAtQuarantine: Effect.Effect<
  QuarantineLook | undefined,
  SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ readonly found: boolean }>`
    SELECT to_regclass('quarantine') IS NOT NULL AS found`
  if (table?.found !== true) return undefined
  const { newest } = yield* makeQuarantine
  return yield* newest(Limits.doctorQuarantined)
})

const line = ({ stage, source, reason }: QuarantineRow): string => `${stage}, ${source}: ${reason}`

export const quarantineFinding = ({ total, rows }: QuarantineLook): Finding =>
  total === 0
    ? { check: "quarantine", status: "ok", detail: "the store could take every record", mend: "" }
    : {
        check: "quarantine",
        status: "warning",
        detail: `${total} ${total === 1 ? "record is" : "records are"} in quarantine, since the store cannot take them; newest: ${rows.map(line).join("; ")}`,
        mend: "All other records were written. The table quarantine holds each with its reason; report those that come from the ledger."
      }
