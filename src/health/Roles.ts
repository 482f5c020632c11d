/**
 * Which roles of an installation are alive, from the rows in which its processes say that they run. All roles are
 * expected, except those that the operator leaves out (`WITHOUT_ROLES`). So no process, a typo in `ROLES` and a frozen
 * process look the same: nobody does the role's work. Pure.
 */
import { type Role, roles } from "../config/Definitions.ts"
import { isAlive, type SeenProcess } from "./SeenProcess.ts"
import { duration } from "./Words.ts"

export interface RoleState {
  readonly role: Role
  /** Processes that do its work. */
  readonly alive: number
  /** What is wrong if there is none, for an operator. */
  readonly sentence: string | undefined
  /** Processes that have it run, but it fails in all of them. */
  readonly fails: boolean
}

const named = ({ host, pid, version }: SeenProcess) => `host ${host}, pid ${pid}, version ${version}`

const sentenceOf = (role: Role, having: ReadonlyArray<SeenProcess>): string => {
  const failing = having.filter(isAlive)
  if (failing.length > 0)
    return `The role ${role} fails in every process that has it (${failing.map(named).join("; ")}); their logs say why.`
  const last = having.toSorted((a, b) => a.seenAgoMs - b.seenAgoMs)[0]
  const seen =
    last === undefined
      ? "none has had it within the last day"
      : `the last one (${named(last)}) ${last.stopped ? "stopped in order" : "became silent"} ${duration(last.seenAgoMs)} ago`
  return `No process has the role ${role}: ${seen}.`
}

/**
 * The state of each expected role. Processes of release 0.2 do not say which roles they have. While one runs, it may have
 * the role that no other process has.
 */
export const roleStates = (
  processes: ReadonlyArray<SeenProcess>,
  without: ReadonlyArray<Role>,
  olderRuns = false
): ReadonlyArray<RoleState> =>
  roles
    .filter((role) => !without.includes(role))
    .map((role) => {
      const having = processes.filter((one) => one.roles.includes(role))
      const alive = having.filter((one) => isAlive(one) && !one.failing.includes(role)).length
      const isMissing = alive === 0 && !olderRuns
      return {
        role,
        alive,
        sentence: isMissing ? sentenceOf(role, having) : undefined,
        fails: alive === 0 && having.some(isAlive)
      }
    })

/** Whether any process runs. If none does, the service is stopped, and no role is missing from it. */
export const someRuns = (processes: ReadonlyArray<SeenProcess>): boolean => processes.some(isAlive)
