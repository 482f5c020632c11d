/** What one process at a time, the one with the lease `retention`, does for all: retention, totals, the report. */
import { Effect } from "effect"
import { forgetAnswers } from "../http/IdempotencyStore.ts"
import { Limits } from "../spine/config/Limits.ts"
import { maintain } from "../spine/deliveries/Retention.ts"
import { Log } from "../spine/log/Log.ts"
import { deleteEvery } from "../spine/observe/ClockTrust.ts"
import { forgetDeadLetters } from "../spine/store/DeadLetters.ts"
import { forgetEndedRows } from "../spine/store/EndedRows.ts"
import { type Service, services } from "./Services.ts"

const retention = Effect.gen(function* () {
  const log = yield* Log
  return yield* log.applyRetention.pipe(deleteEvery("retention of the log", Limits.maintenanceMs))
})

export const upkeep = Effect.raceAllFirst([
  maintain,
  forgetAnswers,
  forgetEndedRows,
  forgetDeadLetters,
  retention,
  ...services.flatMap((service): ReadonlyArray<Service["upkeep"][number]> => service.upkeep)
])
