/** What one process at a time, the one with the lease `retention`, does for all: retention, totals, the report. */
import { Effect } from "effect"
import { forgetSessions } from "../features/accounts/SessionStore.ts"
import { keepEndingQueues } from "../features/deliveries/DeletedQueues.ts"
import { forgetAlerts } from "../features/events/AlertStore.ts"
import { maintainEvents } from "../features/events/EventIndex.ts"
import { forgetTransactions } from "../features/events/TransactionIndex.ts"
import { keepHealth } from "../features/health/HealthUpkeep.ts"
import { forgetProcesses } from "../features/operate/ProcessRows.ts"
import { report } from "../features/operate/report/Stage.ts"
import { keepGaps } from "../features/progress/GapUpkeep.ts"
import { keepJobs } from "../features/replay/JobEnds.ts"
import { keepTotals } from "../features/statistics/DeliveryTotals.ts"
import { forgetPreviousSecrets } from "../features/webhooks/WebhookStore.ts"
import { forgetAnswers } from "../http/IdempotencyStore.ts"
import { Limits } from "../spine/config/Limits.ts"
import { maintain } from "../spine/deliveries/Retention.ts"
import { Log } from "../spine/log/Log.ts"
import { deleteEvery } from "../spine/observe/ClockTrust.ts"
import { forgetDeadLetters } from "../spine/store/DeadLetters.ts"
import { forgetEndedRows } from "../spine/store/EndedRows.ts"

const retention = Effect.gen(function* () {
  const log = yield* Log
  return yield* log.applyRetention.pipe(deleteEvery("retention of the log", Limits.maintenanceMs))
})

export const upkeep = Effect.raceAllFirst([
  maintain,
  maintainEvents,
  forgetAlerts,
  forgetAnswers,
  forgetEndedRows,
  forgetDeadLetters,
  forgetPreviousSecrets,
  forgetSessions,
  forgetTransactions,
  keepEndingQueues,
  keepGaps,
  keepHealth,
  keepJobs,
  keepTotals,
  forgetProcesses,
  report,
  retention
])
