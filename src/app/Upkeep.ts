/** What one process at a time, the one with the lease `retention`, does for all: retention, totals, the report. */
import { Effect } from "effect"
import { Limits } from "./config/Limits.ts"
import { keepGaps } from "./coverage/GapUpkeep.ts"
import { Log } from "./log/Log.ts"
import { deleteEvery } from "./observability/ClockTrust.ts"
import { report } from "./report/Stage.ts"
import { forgetAnswers } from "./storage/accounts/IdempotencyStore.ts"
import { forgetSessions } from "./storage/accounts/SessionStore.ts"
import { forgetDeadLetters } from "./storage/DeadLetters.ts"
import { keepEndingQueues } from "./storage/deliveries/DeletedQueues.ts"
import { keepTotals } from "./storage/deliveries/DeliveryTotals.ts"
import { maintain } from "./storage/deliveries/Retention.ts"
import { forgetEndedRows } from "./storage/EndedRows.ts"
import { forgetAlerts } from "./storage/events/AlertStore.ts"
import { maintainEvents } from "./storage/events/EventIndex.ts"
import { forgetTransactions } from "./storage/events/TransactionIndex.ts"
import { forgetProcesses } from "./storage/Processes.ts"
import { keepJobs } from "./storage/replays/JobEnds.ts"
import { keepHealth } from "./storage/webhooks/HealthUpkeep.ts"
import { forgetPreviousSecrets } from "./storage/webhooks/WebhookStore.ts"

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
