/**
 * Makes the report of the whole service every `reportMs`: stores it, shows it as metrics, and writes each change to the
 * program's log, for operators without Prometheus. The process with the lease `retention` does it for all.
 */
import { Effect } from "effect"
import { Settings, watchedNetworks } from "../../../spine/config/Config.ts"
import { Limits } from "../../../spine/config/Limits.ts"
import { healthStates } from "../../../spine/domain/HealthState.ts"
import { repeatEvery } from "../../../spine/observe/RetryUntilSuccess.ts"
import { monotonicClock } from "../../../spine/words/Monotonic.ts"
import { JobMetrics } from "../../replay/Metrics.ts"
import { ReportMetrics } from "../Metrics.ts"
import { type StageFact, type StageState, stageKey } from "../model/LateStages.ts"
import { makeReport, REPORT_OLD_MS, type Report, type Samples, sampled } from "../model/Report.ts"
import { roleStates } from "../model/RoleStates.ts"
import { withoutRoles } from "../Settings.ts"
import { readFacts } from "./Facts.ts"
import { makeRegistryPart } from "./Outside.ts"
import { readReport, writeReport } from "./ReportStore.ts"
import type { OpenJobs } from "./WaitingWork.ts"

const SECOND_MS = 1_000

/** +Inf: it does not shrink. NaN: nobody knows. */
const leftSeconds = ({ trend }: StageState): number => {
  switch (trend.kind) {
    case "none":
      return 0
    case "shrinking":
      return trend.leftS
    case "unknown":
      return Number.NaN
    default:
      return Number.POSITIVE_INFINITY
  }
}

/** A line for each finding that is new or over. */
const logChanges = Effect.fnUntraced(function* (report: Report, before: Report | undefined) {
  const had = new Set(before?.findings.map(({ what }) => what))
  const has = new Set(report.findings.map(({ what }) => what))
  for (const { level, sentence, what } of report.findings)
    if (!had.has(what)) yield* level === "fault" ? Effect.logError(sentence) : Effect.logWarning(sentence)
  for (const { sentence, what } of before?.findings ?? [])
    if (!has.has(what)) yield* Effect.logInfo(`no longer: ${sentence}`)
})

export const report = Effect.gen(function* () {
  const settings = yield* Settings
  const nowMs = yield* monotonicClock
  let newest: Report | undefined
  let madeAt = 0
  /** While no report can be made, for example because the database is away, the last one tells nothing. */
  const known = () => (nowMs() - madeAt <= REPORT_OLD_MS ? newest : undefined)
  let jobs: OpenJobs | undefined
  let samples: Samples = new Map()
  const registry = yield* makeRegistryPart
  const shown = new Set<string>()

  for (const { role } of roleStates([], settings.of(withoutRoles) ?? []))
    yield* ReportMetrics.processes.observe(
      { role },
      () => known()?.roles.find((one) => one.role === role)?.alive ?? Number.NaN
    )
  for (const health of healthStates)
    yield* ReportMetrics.webhooks.observe({ health }, () => known()?.webhooks[health] ?? Number.NaN)
  for (const state of ["failing", "all"] as const)
    yield* ReportMetrics.webhookHosts.observe({ state }, () => known()?.hosts[state] ?? Number.NaN)
  for (const state of ["queued", "running"] as const)
    yield* JobMetrics.open.observe({ state }, () => (known() === undefined ? Number.NaN : jobs![state]))
  for (const part of [
    ...watchedNetworks(settings).map((network) => `ledger.${network}`),
    "registry",
    "mail"
  ]) {
    const of = () => known()?.parts.find((one) => one.part === part)?.state
    const shownAs = (value: boolean) => (of() === undefined ? Number.NaN : value ? 1 : 0)
    yield* ReportMetrics.partOk.observe({ part }, () => shownAs(of() !== "failed"))
    yield* ReportMetrics.partDegraded.observe({ part }, () => shownAs(of() === "degraded"))
  }

  /** Shows a stage from when it first has a fact. While nothing is known, it has no value. */
  const show = Effect.fnUntraced(function* (fact: StageFact) {
    const key = stageKey(fact)
    if (shown.has(key)) return
    shown.add(key)
    const { because, network, stage } = fact
    const of = (read: (state: StageState) => number) => () => {
      const state = known()?.stages?.find((one) => stageKey(one) === key)
      return state === undefined ? Number.NaN : read(state)
    }
    const labels = { stage, network, because }
    yield* ReportMetrics.oldestSeconds.observe(
      labels,
      of(({ oldestMs }) => oldestMs / SECOND_MS)
    )
    yield* ReportMetrics.waiting.observe(
      labels,
      of(({ waiting }) => waiting)
    )
    if (because === "service") yield* ReportMetrics.backlogLeft.observe({ stage, network }, of(leftSeconds))
  })

  const make = Effect.gen(function* () {
    const read = yield* readFacts(registry)
    samples = sampled(samples, read.facts.stages, nowMs())
    const before = newest ?? (yield* readReport)?.report
    const made = makeReport(read.facts, samples, before)
    yield* writeReport(made)
    yield* logChanges(made, newest)
    newest = made
    madeAt = nowMs()
    jobs = read.jobs
    yield* Effect.forEach(made.stages ?? [], show, { discard: true })
  })
  // At the start others may not have said yet that they run.
  yield* Effect.sleep(Limits.leaseMs)
  return yield* make.pipe(repeatEvery("making the report", Limits.reportMs))
}).pipe(Effect.scoped)
