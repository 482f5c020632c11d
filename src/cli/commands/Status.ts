/** `ledgerhook status`: whether the service or some endpoints are at fault, on one screen. Exits 1 if the service is. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Settings } from "../../config/Config.ts"
import { Limits } from "../../config/Limits.ts"
import { healthStates } from "../../domain/HealthState.ts"
import { printable } from "../../domain/Printable.ts"
import { type RoleState, roleStates, type SeenProcess } from "../../health/Roles.ts"
import { type ServiceState, serviceState } from "../../health/Service.ts"
import { shownHealth } from "../../health/Webhook.ts"
import { readProcesses } from "../../storage/Processes.ts"
import { countByHealth } from "../../storage/webhooks/WebhookHealth.ts"
import { longestFailing, type WebhookSummary } from "../../storage/webhooks/WebhookOverview.ts"
import { databaseReader, hasTable } from "../Stores.ts"
import { GREEN, painter, RED } from "../terminal/Colour.ts"
import { FailureReported, failed } from "../terminal/Failure.ts"
import { about } from "../terminal/Help.ts"
import { Invocation, settings, stdoutColour } from "../terminal/Invocation.ts"
import { printableLines } from "../terminal/JsonText.ts"
import { print } from "../terminal/Output.ts"
import { inJson, json } from "../terminal/Table.ts"

const SECOND_MS = 1_000

interface Status {
  readonly state: ServiceState
  readonly counts: Readonly<Record<(typeof healthStates)[number], number>>
  readonly failing: ReadonlyArray<WebhookSummary>
  readonly roles: ReadonlyArray<RoleState>
  readonly processes: ReadonlyArray<SeenProcess>
}

const readStatus = Effect.gen(function* () {
  const { withoutRoles } = yield* Settings
  if (!(yield* hasTable("processes")))
    return yield* failed(
      "the database is of an older version; migrate it with `ledgerhook migrate`, or use the status of its version."
    )
  const processes = yield* readProcesses
  const counts = yield* countByHealth
  const failing = yield* longestFailing(Limits.statusWebhooks)
  const roles = roleStates(processes, withoutRoles)
  return { state: serviceState(processes, roles, counts), counts, failing, roles, processes } satisfies Status
})

const processLine = ({ failing, host, pid, roles, seenAgoMs, stopped, version }: SeenProcess): string => {
  const end = stopped ? "stopped" : seenAgoMs > Limits.processSilentMs ? "silent" : "seen"
  const fails = failing.length === 0 ? "" : `  fails: ${failing.join(",")}`
  return `${host} ${pid}  ${version}  ${roles.join(",")}  ${end} ${Math.round(seenAgoMs / SECOND_MS)} s ago${fails}`
}

const webhookLine = ({ health, id, url }: WebhookSummary): string =>
  `${id}  ${URL.parse(url)?.host ?? ""}  ${health.sentence}`

const lines = ({ counts, failing, processes, roles, state }: Status, colour: boolean): string => {
  const paint = painter(colour)
  const more = counts.failing - failing.length
  const rows: ReadonlyArray<readonly [head: string, text: ReadonlyArray<string>]> = [
    [state.ok ? "WELL" : "FAULT", state.sentences],
    [
      "webhooks",
      [
        healthStates.map((health) => `${health} ${counts[health].toLocaleString("en-US")}`).join("  "),
        ...failing.map(webhookLine),
        ...(more > 0
          ? [`${more.toLocaleString("en-US")} more: ledgerhook webhook list --health failing`]
          : [])
      ]
    ],
    ["roles", [roles.map(({ alive, role }) => `${role} ${alive}`).join("  ")]],
    ["processes", processes.slice(0, Limits.statusProcesses).map(processLine)]
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

const inWords = ({ counts, failing, processes, roles, state }: Status) => ({
  ok: state.ok,
  sentences: state.sentences,
  webhooks: counts,
  longest_failing: failing.map(({ account_id, health, id, url }) => ({
    id,
    account_id,
    url,
    health: shownHealth(health)
  })),
  roles: roles.map(({ alive, role }) => ({ role, processes: alive })),
  processes: processes.map(({ seenAgoMs, ...process }) => ({
    ...process,
    seen_ago_ms: Math.round(seenAgoMs)
  }))
})

export const status = Command.make(
  "status",
  { json },
  Effect.fnUntraced(function* ({ json: asJson }) {
    const invocation = yield* Invocation
    const found = yield* readStatus
    yield* print(
      inJson(invocation, asJson)
        ? printableLines(JSON.stringify(inWords(found), null, 2))
        : lines(found, stdoutColour(invocation))
    )
    if (!found.state.ok) return yield* new FailureReported()
  }, Effect.provide(settings))
).pipe(
  Command.provide(databaseReader("status")),
  about(
    "Say how the service is",
    "Say how the service is, on one screen: whether it or some customers' endpoints are at fault, which webhooks have failed for longest and why, and which process has which role. Reads the database only, and changes nothing. Exits 1 if the service is at fault; failing webhooks are not its fault.",
    {
      "ledgerhook status": "Print one screen",
      "ledgerhook status | jq .sentences": "Print the sentences only"
    }
  )
)
