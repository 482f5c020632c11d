/** Reads what `status`, `doctor` and `GET /status` say of the service, from the database. */
import { Clock, Effect } from "effect"
import { Settings } from "../config/Config.ts"
import { currentReport } from "../health/Service.ts"
import { olderRuns, readProcesses } from "./Processes.ts"
import { readReport } from "./ReportStore.ts"
import { countByHealth } from "./webhooks/WebhookHealth.ts"

export const readCurrentReport = Effect.gen(function* () {
  const { withoutRoles } = yield* Settings
  const processes = yield* readProcesses
  const report = currentReport({
    nowMs: yield* Clock.currentTimeMillis,
    stored: yield* readReport,
    processes,
    withoutRoles,
    olderRuns: yield* olderRuns,
    webhooks: yield* countByHealth()
  })
  return { report, processes }
})
