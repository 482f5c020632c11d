/** The newest report of the whole service (table `report`). One process makes it, and any process or command reads it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Report, StoredReport } from "../model/Report.ts"

export const writeReport = Effect.fnUntraced(function* (report: Report) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO report (only_row, made_at, report)
    VALUES (true, clock_timestamp(), ${JSON.stringify(report)}::text::jsonb)
    ON CONFLICT (only_row) DO UPDATE SET made_at = excluded.made_at, report = excluded.report`
})

/** Undefined: none was ever made. */
export const readReport = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<StoredReport>`
    SELECT report, greatest(0, extract(epoch FROM clock_timestamp() - made_at) * 1000)::float8 AS "ageMs" FROM report`
  return row
})
