/** `ledgerhook status`: whether the service or some endpoints are at fault, on one screen. Exits 1 if the service is. */
import { Clock, Effect } from "effect"
import { Command } from "effect/cli"
import { Limits } from "../../spine/config/Limits.ts"
import { healthStates } from "../../spine/domain/HealthState.ts"
import { iso } from "../../spine/words/IsoTime.ts"
import { printable } from "../../spine/words/Printable.ts"
import { count, duration, utcSecond } from "../../spine/words/Words.ts"
import { GREEN, painter, RED } from "../../terminal/Colour.ts"
import { FailureReported, failed } from "../../terminal/Failure.ts"
import { switchFlag } from "../../terminal/Flags.ts"
import { about } from "../../terminal/Help.ts"
import { Invocation, settings, stdoutColour } from "../../terminal/Invocation.ts"
import { printableLines } from "../../terminal/JsonText.ts"
import { print } from "../../terminal/Output.ts"
import { databaseReader, hasTable } from "../../terminal/Stores.ts"
import { inJson, json } from "../../terminal/Table.ts"
import { shownHealth } from "../webhooks/WebhookHealth.ts"
import { longestFailing, type WebhookSummary } from "../webhooks/WebhookOverview.ts"
import { sentencesOf } from "./model/CommandReport.ts"
import type { StageState } from "./model/LateStages.ts"
import type { Report } from "./model/Report.ts"
import type { SeenProcess } from "./model/SeenProcess.ts"
import { sentText } from "./model/Senders.ts"
import { shownReport } from "./model/ShownReport.ts"
import { stages } from "./model/Stages.ts"
import { readCurrentReport } from "./report/CurrentReport.ts"

/** All fits on one screen. */
const FAILING_SHOWN = 10
const PROCESSES_SHOWN = 20
/** More often than the report is made, because processes say more often how they are. */
const WATCH_MS = 2_000

interface Status {
  readonly report: Report
  readonly failing: ReadonlyArray<WebhookSummary>
  readonly processes: ReadonlyArray<SeenProcess>
}

const readStatus = Effect.gen(function* () {
  if (!(yield* hasTable("report")))
    return yield* failed(
      "the database is of an older version; migrate it with `ledgerhook migrate`, or use the status of its version."
    )
  const { processes, report } = yield* readCurrentReport
  return { report, failing: yield* longestFailing(FAILING_SHOWN), processes } satisfies Status
})

const processLine = (process: SeenProcess): string => {
  const { failing, holds, host, pid, roles, seenAgoMs, sent, stopped, version } = process
  const end = stopped ? "stopped" : seenAgoMs > Limits.leaseMs ? "silent" : "seen"
  const delivers = sent === null ? "" : `  ${sentText(sent)}`
  const fails = failing.length === 0 ? "" : `  fails: ${failing.join(",")}`
  const leases = holds.length === 0 ? "" : `  holds: ${holds.join(",")}`
  return `${host} ${pid}  ${version}  ${roles.join(",")}  ${end} ${duration(seenAgoMs)} ago${delivers}${leases}${fails}`
}

const webhookLine = ({ health, id, url }: WebhookSummary): string =>
  `${id}  ${URL.parse(url)?.host ?? ""}  ${health.sentence}`

/** Late stages in capitals: they are seen without colours too. */
const ofService = (states: ReadonlyArray<StageState>): string =>
  stages
    .flatMap((stage) => {
      const own = states.filter((one) => one.stage === stage && one.because !== "webhook")
      if (own.length === 0) return []
      const isLate = own.some((one) => one.isLate)
      return `${isLate ? stage.toUpperCase() : stage} ${duration(Math.max(...own.map(({ oldestMs }) => oldestMs)))}`
    })
    .join("  ")

const ofWebhooks = (states: ReadonlyArray<StageState>): ReadonlyArray<string> =>
  states
    .filter(({ because, stage, waiting }) => because === "webhook" && stage === "deliver" && waiting > 0)
    .map(
      ({ oldestMs, waiting }) =>
        `because of webhooks: ${count(waiting)} deliveries wait${oldestMs === 0 ? "" : `, oldest ${duration(oldestMs)}`}`
    )

const stageLines = ({ stages: states }: Report): ReadonlyArray<string> =>
  states === null ? ["not known"] : [ofService(states), ...ofWebhooks(states)]

const headLines = (report: Report): ReadonlyArray<string> => [
  ...sentencesOf({ ...report, findings: [] }),
  ...report.findings.map(({ sentence, sinceMs }) => `${sentence} Since ${utcSecond(sinceMs)}.`)
]

const lines = ({ failing, processes, report }: Status, nowMs: number, colour: boolean): string => {
  const paint = painter(colour)
  const { parts, roles, webhooks } = report
  const more = webhooks.failing - failing.length
  const rows: ReadonlyArray<readonly [head: string, text: ReadonlyArray<string>]> = [
    [report.ok ? "WELL" : "FAULT", [...headLines(report), `as of ${iso(nowMs).slice(11, 19)} UTC`]],
    [
      "webhooks",
      [
        healthStates.map((health) => `${count(webhooks[health])} ${health}`).join("  "),
        ...failing.map(webhookLine),
        ...(more > 0 ? [`${count(more)} more: ledgerhook webhook list --health failing`] : [])
      ]
    ],
    ["stages", stageLines(report)],
    [
      "roles",
      [
        roles
          .map(({ alive, missing, role }) => `${missing === undefined ? role : role.toUpperCase()} ${alive}`)
          .join("  ")
      ]
    ],
    [
      "parts",
      [
        parts
          .map(({ part, state }) => (state === "ok" ? `${part} ok` : `${part.toUpperCase()} ${state}`))
          .join("  ")
      ]
    ],
    ["processes", processes.slice(0, PROCESSES_SHOWN).map(processLine)]
  ]
  const width = Math.max(...rows.map(([head]) => head.length))
  return rows
    .flatMap(([head, texts]) =>
      texts.map((text, i) => {
        const shown = (i === 0 ? head : "").padEnd(width)
        const code = head === "WELL" ? GREEN : head === "FAULT" ? RED : undefined
        return `${paint(shown, code)}  ${printable(text, text.length)}`
      })
    )
    .join("\n")
}

const inWords = ({ failing, processes, report }: Status) => ({
  ...shownReport(report, processes),
  longest_failing: failing.map(({ account_id, health, id, url }) => ({
    id,
    account_id,
    url,
    health: shownHealth(health)
  }))
})

const CLEAR_SCREEN = "\u001b[H\u001b[2J"

export const status = Command.make(
  "status",
  {
    json,
    watch: switchFlag("watch", "Print it again every 2 seconds, until you press Ctrl-C")
  },
  Effect.fnUntraced(function* ({ json: asJson, watch }) {
    const invocation = yield* Invocation
    const isJson = inJson(invocation, asJson)
    const show = Effect.gen(function* () {
      const found = yield* readStatus
      const nowMs = yield* Clock.currentTimeMillis
      // One line for each time, so that a program can read them.
      const text = isJson
        ? printableLines(JSON.stringify(inWords(found), null, watch ? undefined : 2))
        : lines(found, nowMs, stdoutColour(invocation))
      yield* print(watch && !isJson ? `${CLEAR_SCREEN}${text}` : text)
      return found.report.ok
    })
    if (watch) return yield* Effect.forever(Effect.andThen(show, Effect.sleep(WATCH_MS)))
    if (!(yield* show)) return yield* new FailureReported()
  }, Effect.provide(settings))
).pipe(
  Command.provide(databaseReader("status")),
  about(
    "Say how the service is",
    "Say how the service is, on one screen: whether it or some customers' endpoints are at fault and since when, which webhooks have failed for longest and why, how many seconds each stage is late, which process has which role, and whether the log, the database and the ledger servers answer. Reads the database only, and changes nothing. Exits 1 if the service is at fault; failing webhooks are not its fault.",
    {
      "ledgerhook status": "Print one screen",
      "ledgerhook status --watch": "Print it every 2 seconds",
      "ledgerhook status | jq .sentences": "Print the sentences only"
    }
  )
)
