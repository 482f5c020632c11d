/** The report as JSON, for `ledgerhook status` and `GET /status`. */
import { iso } from "../../../spine/words/IsoTime.ts"
import { sentencesOf } from "./CommandReport.ts"
import type { StageState } from "./LateStages.ts"
import type { Report } from "./Report.ts"
import type { SeenProcess } from "./SeenProcess.ts"

const shownStage = ({ because, isLate, network, oldestMs, stage, trend, waiting }: StageState) => ({
  stage,
  network: network === "" ? null : network,
  because,
  oldest_seconds: Math.round(oldestMs) / 1_000,
  waiting,
  late: isLate,
  trend: trend.kind,
  seconds_left: trend.kind === "shrinking" ? trend.leftS : null
})

export const shownReport = (report: Report, processes: ReadonlyArray<SeenProcess>) => ({
  ok: report.ok,
  made_at: iso(report.madeAtMs),
  sentences: sentencesOf(report),
  findings: report.findings.map(({ level, sentence, sinceMs, what }) => ({
    what,
    level,
    since: iso(sinceMs),
    sentence
  })),
  webhooks: report.webhooks,
  hosts: report.hosts,
  stages: report.stages?.map(shownStage) ?? null,
  parts: report.parts,
  roles: report.roles.map(({ alive, role }) => ({ role, processes: alive })),
  processes: processes.map(({ behindMs, parts, seenAgoMs, ...process }) => ({
    ...process,
    seen_ago_ms: Math.round(seenAgoMs),
    behind_ms: Object.fromEntries(
      Object.entries(behindMs).map(([stage, ms]) => [stage, Math.round(ms ?? 0)])
    ),
    parts
  }))
})
