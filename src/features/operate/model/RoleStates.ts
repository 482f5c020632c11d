/**
 * Which roles of an installation are alive, from the rows in which its processes say that they run. All roles are
 * expected, except those that the operator leaves out (`WITHOUT_ROLES`). So no process, a typo in `ROLES` and a frozen
 * process look the same: nobody does the role's work. Pure.
 */
import { type Role, roles } from "../../../spine/config/Definitions.ts"
import { duration } from "../../../spine/words/Words.ts"
import { isAlive, named, rolePart, type SeenProcess } from "./SeenProcess.ts"

export interface RoleState {
  readonly role: Role
  /** Processes that do its work. */
  readonly alive: number
  /** Why nobody does its work. Undefined if somebody does, or nobody knows. */
  readonly missing: string | undefined
  /** Processes that have it run, but it fails in all of them. */
  readonly fails: boolean
}

/** A process that says nothing any more may still run: it says so in PostgreSQL. */
const endOf = ({ seenAgoMs, stopped }: SeenProcess): string =>
  stopped
    ? `stopped in order ${duration(seenAgoMs)} ago`
    : `has said nothing for ${duration(seenAgoMs)}: it was killed, is frozen, or does not reach PostgreSQL`

const missingBecause = (role: Role, having: ReadonlyArray<SeenProcess>): string => {
  const failing = having.filter(isAlive)
  if (failing.length > 0) {
    const reason = failing.map(({ parts }) => parts[rolePart(role)]?.detail).find((one) => one !== undefined)
    return `${failing.map(named).join("; ")}): ${reason ?? "their logs say why"}`
  }
  const last = having.toSorted((a, b) => a.seenAgoMs - b.seenAgoMs)[0]
  return last === undefined
    ? "none has had it within the last day"
    : `the last one (${named(last)}) ${endOf(last)}`
}

/** The state of each expected role. */
export const roleStates = (
  processes: ReadonlyArray<SeenProcess>,
  without: ReadonlyArray<Role>
): ReadonlyArray<RoleState> =>
  roles
    .filter((role) => !without.includes(role))
    .map((role) => {
      const having = processes.filter((one) => one.roles.includes(role))
      const alive = having.filter((one) => isAlive(one) && !one.failing.includes(role)).length
      return {
        role,
        alive,
        missing: alive > 0 ? undefined : missingBecause(role, having),
        fails: alive === 0 && having.some(isAlive)
      }
    })

/** One sentence for roles that are missing for the same reason. */
export const missingSentence = (states: ReadonlyArray<RoleState>): string => {
  const { fails, missing } = states[0]!
  const names = states.map(({ role }) => role).join(", ")
  const isOne = states.length === 1
  return fails
    ? `The ${isOne ? "role" : "roles"} ${names} ${isOne ? "fails" : "fail"} in every process that has ${isOne ? "it" : "them"} (${missing}.`
    : `No process has the ${isOne ? "role" : "roles"} ${names}: ${missing}.`
}

/** How long after its last word a silent process is named: an operator has seen it by then. */
const NAMED_MS = 15 * 60_000

/** Processes that ended without a word although no other has started in their place. */
export const silentProcesses = (processes: ReadonlyArray<SeenProcess>): ReadonlyArray<SeenProcess> => {
  const alive = processes.filter(isAlive)
  return processes.filter(
    (one) =>
      !one.stopped &&
      !isAlive(one) &&
      one.seenAgoMs < NAMED_MS &&
      !alive.some(
        ({ host, roles: own }) => host === one.host && one.roles.every((role) => own.includes(role))
      )
  )
}

/** `host b, pid 311 (delay, events) has said nothing for …` */
export const silentSentence = (process: SeenProcess): string =>
  `The process with ${process.roles.join(", ")} (${named(process)}) ${endOf(process)}. Others have its roles.`

/** Whether any process runs. If none does, the service is stopped, and no role is missing from it. */
export const someRuns = (processes: ReadonlyArray<SeenProcess>): boolean => processes.some(isAlive)
