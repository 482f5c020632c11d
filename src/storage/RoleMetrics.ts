/**
 * Which roles are alive, as a metric and in the log. The process with the lease `retention` reads the rows of all
 * processes and shows the last result. At its start, others may not have written theirs yet, so it waits once.
 */
import { Effect } from "effect"
import { Settings } from "../config/Config.ts"
import { Limits } from "../config/Limits.ts"
import { type RoleState, roleStates } from "../health/Roles.ts"
import { Metrics } from "../observability/Metrics.ts"
import { repeatEvery } from "../observability/RetryUntilSuccess.ts"
import { forgetProcesses, readProcesses } from "./Processes.ts"

const showRoles = Effect.gen(function* () {
  const { withoutRoles } = yield* Settings
  let states: ReadonlyArray<RoleState> = []
  for (const { role } of roleStates([], withoutRoles))
    yield* Metrics.processes.observe(
      { role },
      () => states.find((one) => one.role === role)?.alive ?? Number.NaN
    )
  const read = Effect.gen(function* () {
    const before = states
    states = roleStates(yield* readProcesses, withoutRoles)
    for (const { role, sentence } of states) {
      const wasMissing = before.find((one) => one.role === role)?.sentence !== undefined
      if (sentence !== undefined && !wasMissing) yield* Effect.logError(sentence)
      if (sentence === undefined && wasMissing) yield* Effect.logInfo(`a process has the role ${role} again`)
    }
  })
  yield* Effect.sleep(Limits.processSilentMs)
  return yield* repeatEvery("reading which processes run", Limits.processSeenMs)(read)
}).pipe(Effect.scoped)

export const watchRoles = Effect.raceFirst(showRoles, forgetProcesses)
