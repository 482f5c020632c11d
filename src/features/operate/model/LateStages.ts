/**
 * How many seconds each stage of the service is late, and because of whom: the service itself, a webhook's own speed,
 * rate, pause or failures, or the world outside (a ledger server). Pure.
 */

import type { Network } from "../../../spine/event/Network.ts"
import { count, counted, duration } from "../../../spine/words/Words.ts"
import { operateLimits } from "../Limits.ts"
import type { SeenProcess } from "./SeenProcess.ts"
import type { Because, Stage } from "./Stages.ts"
import { type Trend, trendOf } from "./Trend.ts"

/** What waits in a stage because of one of the three. */
export interface StageFact {
  readonly stage: Stage
  /** Empty if it is the same stage for all networks. */
  readonly network: Network | ""
  readonly because: Because
  /** Since the oldest item that waits was due. 0: nothing waits. */
  readonly oldestMs: number
  /** Items that wait, as far as is known. */
  readonly waiting: number
}

export interface StageState extends StageFact {
  readonly isLate: boolean
  readonly trend: Trend
}

/** Names the row of a stage in all tables. */
export const stageKey = ({ because, network, stage }: StageFact): string => `${stage}/${network}/${because}`

/** The longest age that a process with this role gives of its own work; undefined if no process has it. */
export const oldestInProcesses = (
  processes: ReadonlyArray<SeenProcess>,
  stage: "deliver" | "backlog" | "delay" | "outbox" | "upkeep"
): number | undefined => {
  const ages = processes.flatMap(({ behindMs }) => behindMs[stage] ?? [])
  return ages.length === 0 ? undefined : Math.max(...ages)
}

export interface Backlog {
  /** Since the first delivery that its webhook did not take in time was due, for the webhook where that is longest. */
  readonly oldestDueMs: number
  /** Deliveries whose webhooks do not take them in time. */
  readonly overflowed: number
  /** All deliveries that have a row and wait, and that nothing but their webhook holds back. */
  readonly waiting: number
}

/**
 * Deliveries in the backlog wait for their webhooks. But a process that lacks CPU time, or whose database is slow, sends
 * less than its webhooks would take, and then they wait for the service, for as long as that lasts.
 */
export const backlogFacts = (
  processes: ReadonlyArray<SeenProcess>,
  { oldestDueMs, overflowed, waiting }: Backlog
): ReadonlyArray<StageFact> => {
  const fact = { stage: "deliver", network: "" } as const
  const ofService = Math.min(oldestDueMs, oldestInProcesses(processes, "backlog") ?? 0)
  return [
    { ...fact, because: "webhook", oldestMs: oldestDueMs, waiting },
    ...(ofService > 0
      ? [{ ...fact, because: "service", oldestMs: ofService, waiting: overflowed } as const]
      : [])
  ]
}

/** One fact for each stage, network and cause: the oldest, and the largest count. */
export const merged = (facts: ReadonlyArray<StageFact>): ReadonlyArray<StageFact> =>
  Array.from(Map.groupBy(facts, stageKey).values(), (same) => ({
    ...same[0]!,
    oldestMs: Math.max(...same.map(({ oldestMs }) => oldestMs)),
    waiting: Math.max(...same.map(({ waiting }) => waiting))
  }))

const lateMs = (stage: Stage): number => {
  const longer: Partial<Record<Stage, number>> = operateLimits.laterMs
  return longer[stage] ?? operateLimits.lateMs
}

export const stageState = (fact: StageFact, samples: Parameters<typeof trendOf>[0]): StageState => ({
  ...fact,
  isLate: fact.oldestMs > lateMs(fact.stage),
  trend: trendOf(samples)
})

/** ` and the backlog will be gone in about 12 min 0 s` and the like; empty if nothing is known. */
const trendText = (trend: Trend): string => {
  switch (trend.kind) {
    case "growing":
      return trend.perSecond >= 1 ? `, ${count(Math.round(trend.perSecond))}/s more` : ", and growing"
    case "shrinking":
      return `, gone in about ${duration(trend.leftS * 1_000)}`
    case "stuck":
      return ", and nothing moves"
    default:
      return ""
  }
}

const subject = ({ network, stage, waiting }: StageState): string => {
  const some = waiting > 0
  switch (stage) {
    case "ingest":
      return `Ledgers of ${network} are taken late${some ? `: ${counted(waiting, "ledger", "ledgers")} behind` : ""}`
    case "events":
      return `GET /v1/events is behind for ${network}${some ? `: ${counted(waiting, "event waits", "events wait")}` : ""}`
    case "route":
      return `Events of ${network} are routed late${some ? `: ${counted(waiting, "waits", "wait")}` : ""}`
    case "deliver":
      return `${some ? counted(waiting, "delivery waits", "deliveries wait") : "Deliveries wait"} for the service`
    case "delay":
      return `${some ? counted(waiting, "retry is", "retries are") : "Retries are"} overdue`
    case "replay":
      return `${counted(waiting, "replay waits", "replays wait")} for a process that runs it`
    case "outbox":
      return "Changes made through the API are not in the log yet"
    case "upkeep":
      return "Old data are not deleted in time"
    case "notices":
      return `${counted(waiting, "message to an account is", "messages to accounts are")} late`
  }
}

/** One sentence for an operator. */
export const stageSentence = (state: StageState): string =>
  `${subject(state)}, oldest ${duration(state.oldestMs)}${trendText(state.trend)}.`
