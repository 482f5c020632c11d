/**
 * The report: what is wrong with the whole service, with one sentence for each cause, from facts that processes have
 * recorded. Every face shows it and adds nothing. A cause explains its symptoms: if a role is missing, its stage is late,
 * and that is no second finding. Webhooks that fail are not the service's fault, unless most hosts do. Pure.
 */
import type { Role } from "../../../spine/config/Definitions.ts"
import { Limits } from "../../../spine/config/Limits.ts"
import type { HealthState } from "../../../spine/domain/HealthState.ts"
import type { Network } from "../../../spine/event/Network.ts"
import { isSilent, type SeenNetwork } from "../../../spine/ledger/ingest/NetworkFacts.ts"
import type { LostLedgers } from "../../../spine/registry/LostLedgers.ts"
import { count, counted } from "../../../spine/words/Words.ts"
import { type Hosts, mostHostsFail } from "../../health/Hosts.ts"
import { type StageFact, type StageState, stageKey, stageSentence, stageState } from "./LateStages.ts"
import { isLoop, type PartState, partStates } from "./Parts.ts"
import {
  missingSentence,
  type RoleState,
  roleStates,
  silentProcesses,
  silentSentence,
  someRuns
} from "./RoleStates.ts"
import { isAlive, type SeenProcess } from "./SeenProcess.ts"
import { worseSenders } from "./Senders.ts"
import { addSample, type Sample } from "./Trend.ts"

/** A backlog that will be gone within this time is no fault, as in the alerts (ops/prometheus/alerts.yml). */
const DRAINING_S = 900

/** An older report tells nothing. */
export const REPORT_OLD_MS = 3 * Limits.reportMs

export interface ServiceFacts {
  /** Unix milliseconds. */
  readonly nowMs: number
  readonly processes: ReadonlyArray<SeenProcess>
  readonly withoutRoles: ReadonlyArray<Role>
  /** Those that are watched. */
  readonly networks: ReadonlyArray<SeenNetwork>
  /** The schema registry and the mail server, if there are any. */
  readonly outside: ReadonlyArray<PartState>
  /** Undefined: the log cannot be read, so nobody knows. */
  readonly stages: ReadonlyArray<StageFact> | undefined
  readonly webhooks: Readonly<Record<HealthState, number>>
  readonly hosts: Hosts
  /** What the log lost within the last hour. */
  readonly lost: ReadonlyArray<LostLedgers>
}

/** `fault`: the service does not do what it promises. `warning`: something must be repaired, and customers do not see it. */
export interface Finding {
  /** Names the cause, so that two reports agree whether it is the same. */
  readonly what: string
  readonly level: "fault" | "warning"
  readonly sentence: string
  /** Unix milliseconds. */
  readonly sinceMs: number
}

export interface Report {
  readonly madeAtMs: number
  /** False if there is a fault. */
  readonly ok: boolean
  /** Causes, faults first. */
  readonly findings: ReadonlyArray<Finding>
  readonly webhooks: Readonly<Record<HealthState, number>>
  readonly hosts: Hosts
  /** Null: unknown, because the log cannot be read. */
  readonly stages: ReadonlyArray<StageState> | null
  readonly parts: ReadonlyArray<PartState>
  readonly roles: ReadonlyArray<RoleState>
}

type Found = Omit<Finding, "sinceMs">

/** What an operator of test networks only is not woken for. */
const networkLevel = (network: Network | "" | undefined): Finding["level"] =>
  network === "testnet" || network === "devnet" ? "warning" : "fault"

/** Customers notice if these are late. */
const PROMISED: ReadonlySet<string> = new Set(["ingest", "route", "deliver", "delay", "outbox", "api"])

const partLevel = ({ part, state }: PartState): Finding["level"] => {
  if (part.startsWith("ledger."))
    return state === "failed" ? networkLevel(part.slice("ledger.".length) as Network) : "warning"
  return state === "failed" && ["database", "log", "locks", "keys", "disk"].includes(part)
    ? "fault"
    : "warning"
}

const partFindings = (parts: ReadonlyArray<PartState>): ReadonlyArray<Found> =>
  parts
    .filter(({ state }) => state !== "ok")
    .map((state) => ({ what: `part ${state.part}`, level: partLevel(state), sentence: state.sentence }))

/** One finding for all roles that are missing for the same reason, which is one process in most cases. */
const roleFindings = (
  missing: ReadonlyArray<RoleState>,
  late: ReadonlyArray<StageState>
): ReadonlyArray<Found> =>
  Array.from(
    Map.groupBy(missing, ({ fails, missing: because }) => `${fails} ${because}`).values(),
    (states) => {
      const names = states.map(({ role }) => role)
      const ofThem = late.filter(({ stage }) => names.some((role) => role === stage))
      return {
        what: `role ${names.join(",")}`,
        level: names.some((role) => PROMISED.has(role)) ? "fault" : "warning",
        sentence: [
          missingSentence(states),
          ...ofThem.map(stageSentence),
          ...(states[0]!.fails ? [] : [`Start a process with ROLES=${names.join(",")}.`])
        ].join(" ")
      }
    }
  )

const silentFindings = (
  processes: ReadonlyArray<SeenProcess>,
  missing: ReadonlyArray<RoleState>
): ReadonlyArray<Found> =>
  silentProcesses(processes)
    .filter(({ roles }) => !missing.some(({ role }) => roles.includes(role)))
    .map((process) => ({
      what: `process ${process.host} ${process.pid}`,
      level: "warning",
      sentence: silentSentence(process)
    }))

/** A backlog that will be gone soon is being worked on. */
const isDraining = ({ trend }: StageState): boolean => trend.kind === "shrinking" && trend.leftS < DRAINING_S

/** The stage of a part such as `ingest.mainnet`. */
const stageOf = (part: string): string => part.replace(/\..*/, "")

const stageFindings = (
  late: ReadonlyArray<StageState>,
  parts: ReadonlyArray<PartState>
): ReadonlyArray<Found> =>
  late.map((state) => ({
    what: `stage ${stageKey(state)}`,
    level:
      PROMISED.has(state.stage) && state.because === "service" && !isDraining(state)
        ? networkLevel(state.network)
        : "warning",
    // With the reason, if a process says it.
    sentence: [
      stageSentence(state),
      ...parts
        .filter(({ part, state: is }) => isLoop(part) && is === "degraded" && stageOf(part) === state.stage)
        .map(({ sentence }) => sentence)
    ].join(" ")
  }))

const hostFindings = (hosts: Hosts): ReadonlyArray<Found> =>
  mostHostsFail(hosts)
    ? [
        {
          what: "hosts",
          level: "fault",
          sentence: `${count(hosts.failing)} of ${count(hosts.all)} hosts fail that webhooks were sent to in the last hour: the cause is probably here. Check DNS, the firewall and the route to the internet.`
        }
      ]
    : []

/** For an hour: what is lost does not come back. */
const lostFindings = (lost: ReadonlyArray<LostLedgers>): ReadonlyArray<Found> =>
  lost.map(({ from, network, to }) => ({
    what: `lost ${network} ${from}`,
    level: "fault",
    sentence: `The log has lost events of ${network}, of ledgers ${from} to ${to}, before they were sent. Each webhook that misses them has a gap with the reason lost. \`ledgerhook ledger record --network ${network} --from ${from} --to ${to}\` fetches these ledgers, if a server still has them.`
  }))

const findingsOf = (
  { hosts, lost, processes }: ServiceFacts,
  parts: ReadonlyArray<PartState>,
  roles: ReadonlyArray<RoleState>,
  stages: ReadonlyArray<StageState>
): ReadonlyArray<Found> => {
  if (!someRuns(processes))
    return [{ what: "service", level: "fault", sentence: "The service does not run: no process says so." }]
  const isBad = (part: string, states: ReadonlyArray<string>) =>
    parts.some((one) => one.part === part && states.includes(one.state))
  const shared = ["log", "database", "locks"].filter((part) => isBad(part, ["failed"]))
  // A stage fails because of them; a role that nobody has is missing nevertheless.
  const missing = roles.filter(
    ({ fails, missing: because }) => because !== undefined && !(fails && shared.length > 0)
  )
  const late = stages.filter(({ because, isLate }) => isLate && because !== "webhook")
  const explained = new Set<string>(missing.map(({ role }) => role))
  const unexplained = late.filter(
    ({ network, stage }) =>
      !explained.has(stage) &&
      !(stage === "notices" && isBad("mail", ["failed"])) &&
      !(stage === "ingest" && isBad(`ledger.${network}`, ["failed", "degraded"]))
  )
  const lateStages = new Set<string>(unexplained.map(({ stage }) => stage))
  // Without the log, ingest cannot take ledgers, whatever its servers do. Stages and tasks fail because of what they share.
  const isExplained = ({ part, state }: PartState) =>
    (shared.includes("log") && part.startsWith("ledger.")) ||
    (isLoop(part) && (shared.length > 0 || (state === "degraded" && lateStages.has(stageOf(part)))))
  const found = [
    ...partFindings(parts.filter((part) => !isExplained(part))),
    ...roleFindings(missing, late),
    ...silentFindings(processes, missing),
    ...(shared.length > 0 ? [] : stageFindings(unexplained, parts)),
    ...hostFindings(hosts),
    ...lostFindings(lost),
    ...worseSenders(processes.filter(isAlive)).map(
      ({ process, sentence }): Found => ({
        what: `sender ${process.host} ${process.pid}`,
        level: "warning",
        sentence
      })
    )
  ]
  return [
    ...found.filter(({ level }) => level === "fault"),
    ...found.filter(({ level }) => level === "warning")
  ]
}

/** The newest report that was stored. */
export interface StoredReport {
  readonly report: Report
  /** By the database's clock. */
  readonly ageMs: number
}

export type Samples = ReadonlyMap<string, ReadonlyArray<Sample>>

/** The samples with those of now. What no longer waits anywhere is forgotten. `atMs` is of the monotonic clock. */
export const sampled = (
  before: Samples,
  facts: ReadonlyArray<StageFact> | undefined,
  atMs: number
): Samples =>
  new Map(
    (facts ?? []).map((fact) => [
      stageKey(fact),
      addSample(before.get(stageKey(fact)) ?? [], { atMs, waiting: fact.waiting })
    ])
  )

/** `before`: the report before this one, whose times a state keeps that it had already. */
export const makeReport = (facts: ServiceFacts, samples: Samples, before: Report | undefined): Report => {
  const { hosts, networks, nowMs, outside, processes, webhooks, withoutRoles } = facts
  // That no process takes ledgers is a finding of the role.
  const parts = [
    ...partStates(
      processes.filter(isAlive),
      networks.filter((one) => !isSilent(one))
    ),
    ...outside
  ]
  const roles = roleStates(processes, withoutRoles)
  const stages = facts.stages?.map((fact) => stageState(fact, samples.get(stageKey(fact)) ?? [])) ?? null
  const sinceOf = (what: string) => before?.findings.find((one) => one.what === what)?.sinceMs ?? nowMs
  const findings = findingsOf(facts, parts, roles, stages ?? []).map((found) => ({
    ...found,
    sinceMs: sinceOf(found.what)
  }))
  return {
    madeAtMs: nowMs,
    ok: findings.every(({ level }) => level !== "fault"),
    findings,
    webhooks,
    hosts,
    stages,
    parts,
    roles
  }
}

/** For the first line of a face: how many webhooks fail. */
export const webhooksSentence = (
  webhooks: Readonly<Record<HealthState, number>>,
  { failing: failingHosts }: Hosts
): string => {
  const { disabled, failing, ...others } = webhooks
  const active = failing + Object.values(others).reduce((sum, one) => sum + one, 0)
  if (active === 0) return "There is no active webhook."
  if (failing === 0)
    return active === 1
      ? "The only active webhook does not fail."
      : `None of ${count(active)} webhooks fails.`
  const hosts = failingHosts === 0 ? "" : `, at ${counted(failingHosts, "host", "hosts")}`
  return `${count(failing)} of ${count(active)} active webhooks ${failing === 1 ? "fails" : "fail"}${hosts}.`
}
