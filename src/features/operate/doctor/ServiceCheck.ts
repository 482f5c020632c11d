/**
 * `doctor` checks the service that is running: which of its parts are not well, which of its settings differ from those
 * of this command, and whether it may open enough files. No finding if no service runs there.
 */

import { readdirSync } from "node:fs"
import { Effect } from "effect"
import type { SettingsShape } from "../../../spine/config/Config.ts"
import { Limits } from "../../../spine/config/Limits.ts"
import { DeliverLimits } from "../../../spine/deliver/Limits.ts"
import { openFileLimit } from "../../../spine/observe/OpenFiles.ts"
import { operateLimits } from "../Limits.ts"
import { type Finding, fine } from "./Finding.ts"
import { urlOf } from "./PortCheck.ts"
import type { RunningService } from "./RunningService.ts"

interface Part {
  readonly part: string
  readonly status: string
  readonly detail: string
}

/** The parts in `/readyz`; undefined if Ledgerhook does not answer there. */
const partsAt = (url: string): Effect.Effect<ReadonlyArray<Part> | undefined> =>
  Effect.tryPromise(async (signal): Promise<ReadonlyArray<Part>> => {
    const response = await fetch(`${url}/readyz`, { signal })
    const { parts } = Object(await response.json())
    return Object.entries<unknown>(parts).map(([part, health]) => {
      const { status, detail } = Object(health)
      return { part, status: String(status), detail: String(detail) }
    })
  }).pipe(
    Effect.timeout(operateLimits.doctorCheckMs),
    Effect.orElseSucceed(() => undefined)
  )

const partsFinding = (parts: ReadonlyArray<Part>, url: string): Finding => {
  const unwell = parts.filter(({ status }) => status !== "ok")
  if (unwell.length === 0) return fine("service", `runs at ${url}; all its ${parts.length} parts are ok`)
  return {
    check: "service",
    status: unwell.some(({ status }) => status === "failed") ? "problem" : "warning",
    detail: `runs at ${url}; ${unwell.map(({ part, status, detail }) => `${part} is ${status}: ${detail}`).join("; ")}`,
    fix: 'docs/operations.md, "Parts in /readyz", says what each part means.'
  }
}

const settingsFinding = ({ pid, others }: RunningService): Finding =>
  others.length === 0
    ? fine("service settings", `process ${pid} has the settings of this command`)
    : {
        check: "service settings",
        status: "warning",
        detail: `process ${pid} has other values than this command: ${others.join(", ")}`,
        fix: "The other checks used the values of this command. Run it in the folder and with the environment of the service, or restart the service with these values."
      }

/** For the database, the log and files, besides connections to receivers and to the API. */
const OTHER_FILES = 300

/** `needed`: how many files and connections the service may have open. */
const filesFinding = (pid: number | "self", needed: number): Finding | undefined => {
  const limit = openFileLimit(pid)
  if (limit === undefined || limit.most >= needed) return undefined
  const { most } = limit
  let open: number
  try {
    open = readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return undefined
  }
  return {
    check: "open files",
    status: "warning",
    detail: `${pid === "self" ? "a process of this user" : `process ${pid}, which has ${open} open,`} may open ${most} files and connections; under full load it needs ${needed}`,
    fix: `Raise the limit to ${needed} or more: LimitNOFILE of systemd, --ulimit nofile of Docker, or \`ulimit -n\`. With fewer, deliveries wait for free connections, and fewer callers of the API stay connected.`
  }
}

/** `running`: the service that was found by its DATA_DIR. */
export const serviceChecks = Effect.fnUntraced(function* (
  { host, opsPort, port }: SettingsShape,
  running: RunningService | undefined
) {
  const { connectionsInUse } = yield* DeliverLimits
  const url = yield* urlOf(host, opsPort ?? port)
  const parts = yield* partsAt(url)
  return [
    parts === undefined ? undefined : partsFinding(parts, url),
    running === undefined ? undefined : settingsFinding(running),
    filesFinding(running?.pid ?? "self", connectionsInUse + Limits.connections + OTHER_FILES)
  ].filter((finding) => finding !== undefined)
})
