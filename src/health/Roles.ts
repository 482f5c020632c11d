/**
 * Which roles of an installation are alive, from the rows in which its processes say that they run. All roles are
 * expected, except those that the operator leaves out (`WITHOUT_ROLES`). So no process, a typo in `ROLES` and a frozen
 * process look the same: nobody does the role's work. Pure.
 */
import { type Role, roles } from "../config/Definitions.ts"
import { Limits } from "../config/Limits.ts"

/** A process that has run within the last day. */
export interface SeenProcess {
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly roles: ReadonlyArray<string>
  /** Roles that have failed and are being restarted. */
  readonly failing: ReadonlyArray<string>
  /** When it last said that it runs, by the database's clock, before now. */
  readonly seenAgoMs: number
  /** Whether it stopped in order. */
  readonly stopped: boolean
}

export interface RoleState {
  readonly role: Role
  /** Processes that do its work. */
  readonly alive: number
  /** What is wrong if there is none, for an operator. */
  readonly sentence: string | undefined
}

const isAlive = ({ seenAgoMs, stopped }: SeenProcess): boolean =>
  !stopped && seenAgoMs <= Limits.processSilentMs

const SECOND_MS = 1_000
const MINUTE_S = 60

const ago = (ms: number): string => {
  const seconds = Math.round(ms / SECOND_MS)
  return seconds < MINUTE_S
    ? `${seconds} s ago`
    : `${Math.floor(seconds / MINUTE_S)} min ${seconds % MINUTE_S} s ago`
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
      : `the last one (${named(last)}) ${last.stopped ? "stopped in order" : "became silent"} ${ago(last.seenAgoMs)}`
  return `No process has the role ${role}: ${seen}.`
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
      return { role, alive, sentence: alive > 0 ? undefined : sentenceOf(role, having) }
    })

/** Whether any process runs. If none does, the service is stopped, and no role is missing from it. */
export const someRuns = (processes: ReadonlyArray<SeenProcess>): boolean => processes.some(isAlive)
