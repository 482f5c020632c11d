/**
 * Whether what the service needs works: the log, the database, ledger servers, keys, the clock, the disk. Each process
 * says how it is for itself, and which of its stages and tasks have failed for long. If a shared part fails in some
 * processes only, these are cut off from it. Pure.
 */
import type { SeenNetwork } from "../../../spine/ledger/ingest/NetworkFacts.ts"
import { counted } from "../../../spine/words/Words.ts"
import { isRolePart, type PartInProcess, type SeenProcess } from "./SeenProcess.ts"

export interface PartState {
  readonly part: string
  readonly state: "ok" | "degraded" | "failed" | "cut off"
  /** What is wrong, or how it is. */
  readonly sentence: string
}

/** What the service needs `part` for, and what to do. */
const consequences: Readonly<Record<string, string>> = {
  log: "Deliveries wait; nothing is lost. Repair it: everything resumes automatically.",
  database: "Deliveries wait; nothing is lost. Repair it: everything resumes automatically.",
  keys: "Deliveries of these webhooks wait. Set SECRETS_KEY or SECRETS_KEY_PREVIOUS there to the key that their secrets are encrypted with.",
  disk: "Free space at DATA_DIR, or the service will stop.",
  clock: "Set the clock of that machine."
}

const places = (processes: ReadonlyArray<SeenProcess>): string =>
  processes.map(({ host, pid }) => `host ${host}, pid ${pid}`).join("; ")

const NAMES: Readonly<Record<string, string>> = { log: "The log", database: "PostgreSQL", disk: "The disk" }
const named = (part: string) => NAMES[part] ?? part

const SHARED = ["log", "database"]
const OWN = ["keys", "disk", "clock"]

const OUTSIDE = ["locks", "registry", "mail"]

/** Whether it is a stage or a task of upkeep of a process, which tries something again without success. */
export const isLoop = (part: string): boolean =>
  ![...SHARED, ...OWN, ...OUTSIDE].includes(part) && !isRolePart(part) && !part.startsWith("ledger.")

/** The parts that belong to one process each, not to something that all share. */
const isOwn = (part: string) => !SHARED.includes(part)

const sentenceOf = (
  part: string,
  found: ReadonlyArray<readonly [SeenProcess, PartInProcess]>,
  bad: ReadonlyArray<readonly [SeenProcess, PartInProcess]>
): string => {
  const detail = bad[0]![1].detail
  const advice = consequences[part] ?? ""
  if (isOwn(part)) return `${places(bad.map(([process]) => process))}: ${detail}. ${advice}`.trimEnd()
  if (bad.length < found.length)
    return `${named(part)} does not answer ${places(bad.map(([process]) => process))}, but ${found.length - bad.length} others: ${detail}. Check the network of that machine.`
  return `${named(part)} answers none of ${counted(found.length, "process", "processes")}: ${detail}. ${advice}`
}

const networkPart = ({ detail, network, status }: SeenNetwork): PartState => {
  const state = status === "reset" ? "failed" : status === "starting" ? "ok" : status
  return { part: `ledger.${network}`, state, sentence: `${network}: ${detail}` }
}

/** The state of each part that a live process has, and of each network. `processes`: those that are alive. */
export const partStates = (
  processes: ReadonlyArray<SeenProcess>,
  networks: ReadonlyArray<SeenNetwork>
): ReadonlyArray<PartState> => {
  const parts = [...new Set(processes.flatMap(({ parts }) => Object.keys(parts)))]
    .filter((part) => !isRolePart(part))
    .toSorted()
  const shared = parts.map((part): PartState => {
    const found = processes.flatMap((process) => {
      const state = process.parts[part]
      return state === undefined ? [] : [[process, state] as const]
    })
    const failed = found.filter(([, { status }]) => status === "failed")
    if (failed.length > 0) {
      const state = failed.length === found.length || isOwn(part) ? "failed" : "cut off"
      return { part, state, sentence: sentenceOf(part, found, failed) }
    }
    const degraded = found.filter(([, { status }]) => status === "degraded")
    if (degraded.length > 0)
      return {
        part,
        state: "degraded",
        sentence: isOwn(part)
          ? sentenceOf(part, found, degraded)
          : `${named(part)}: ${degraded[0]![1].detail}.`
      }
    return { part, state: "ok", sentence: found[0]![1].detail }
  })
  return [...shared, ...networks.map(networkPart)]
}
