/**
 * What the commands `status` and `doctor` say: the newest report or, if it is too old, what the rows of processes say of
 * themselves. Pure.
 */
import type { Role } from "../../../spine/config/Definitions.ts"
import type { HealthState } from "../../../spine/domain/HealthState.ts"
import type { Network } from "../../../spine/event/Network.ts"
import { duration } from "../../../spine/words/Words.ts"
import { makeReport, REPORT_OLD_MS, type Report, type StoredReport, webhooksSentence } from "./Report.ts"
import { someRuns } from "./RoleStates.ts"
import type { SeenProcess } from "./SeenProcess.ts"

export interface KnownFacts {
  readonly nowMs: number
  /** Undefined: none was ever made. */
  readonly stored: StoredReport | undefined
  readonly processes: ReadonlyArray<SeenProcess>
  readonly withoutRoles: ReadonlyArray<Role>
  readonly webhooks: Readonly<Record<HealthState, number>>
}

/** The newest report, if it is not too old and the service runs. Otherwise one without stages and networks. */
export const currentReport = ({ stored, ...facts }: KnownFacts): Report => {
  const runs = someRuns(facts.processes)
  if (runs && stored !== undefined && stored.ageMs <= REPORT_OLD_MS) return stored.report
  const own = makeReport(
    {
      ...facts,
      networks: [],
      outside: [],
      stages: undefined,
      lost: [],
      hosts: stored?.report.hosts ?? { all: 0, failing: 0 }
    },
    new Map(),
    stored?.report
  )
  if (!runs) return own
  const since = stored === undefined ? "yet" : `for ${duration(stored.ageMs)}`
  const sentence = `No process has made a report of the whole service ${since}: how late it is, and how its ledger servers are, is not known.`
  return {
    ...own,
    findings: [...own.findings, { what: "report", level: "warning", sentence, sinceMs: facts.nowMs }]
  }
}

/** The first lines of a face: what is wrong, or that nothing is. */
export const sentencesOf = ({ findings, hosts, ok, webhooks }: Report): ReadonlyArray<string> => [
  ...(ok ? [`The service is well. ${webhooksSentence(webhooks, hosts)}`] : []),
  ...findings.map(({ sentence }) => sentence)
]

/**
 * How long the oldest event of the network that the service has not sent yet waits because of the service, in seconds.
 * Undefined: unknown, also because the report is too old.
 */
export const secondsLate = (stored: StoredReport | undefined, network: Network): number | undefined => {
  const stages = stored !== undefined && stored.ageMs <= REPORT_OLD_MS ? stored.report.stages : null
  if (stages === null) return undefined
  const own = stages.filter(
    ({ because, network: of, stage, waiting }) =>
      because === "service" &&
      (of === network || of === "") &&
      // Ingest is always a few seconds behind a close.
      (stage === "route" || stage === "deliver" || (stage === "ingest" && waiting > 0))
  )
  return Math.floor(Math.max(0, ...own.map(({ oldestMs }) => oldestMs)) / 1_000)
}
