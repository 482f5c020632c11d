/** Reads what `status`, `doctor` and `GET /status` say of the service, from the database. */
import { Clock, Effect } from "effect"
import { Settings } from "../../../spine/config/Config.ts"
import { countByHealth } from "../../webhooks/WebhookHealthQueries.ts"
import { currentReport } from "../model/CommandReport.ts"
import { readProcesses } from "../ProcessRows.ts"
import { withoutRoles } from "../Settings.ts"
import { readReport } from "./ReportStore.ts"

export const readCurrentReport = Effect.gen(function* () {
  const settings = yield* Settings
  const processes = yield* readProcesses
  const report = currentReport({
    nowMs: yield* Clock.currentTimeMillis,
    stored: yield* readReport,
    processes,
    withoutRoles: settings.of(withoutRoles) ?? [],
    webhooks: yield* countByHealth()
  })
  return { report, processes }
})
