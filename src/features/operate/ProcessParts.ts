/**
 * How what this process needs is: the database, the log, keys, the clock, the disk; and which of its stages and tasks have
 * failed for long. As metrics, and for its row.
 */

import { statfs } from "node:fs/promises"
import { Effect } from "effect"
import { Settings } from "../../spine/config/Config.ts"
import { Health } from "../../spine/observe/Health.ts"
import { lastingTroubles } from "../../spine/observe/Troubles.ts"
import { monotonicNow } from "../../spine/words/Monotonic.ts"
import { operateLimits } from "./Limits.ts"
import { ReportMetrics } from "./Metrics.ts"
import { afterProbe, clockPart, databasePart, diskPart, type ProbedPart } from "./model/PartProbes.ts"
import { isLoop } from "./model/Parts.ts"
import type { PartInProcess } from "./model/SeenProcess.ts"

/** The database's answer to a small statement. */
export interface Answer {
  readonly tookMs: number
  /** How far the clock of this process is ahead of the database's. */
  readonly aheadMs: number
}

const isWell = ({ status }: PartInProcess) => status !== "failed"

export const makeParts = Effect.gen(function* () {
  const { databaseUrl, dataDir } = yield* Settings
  const health = yield* Health
  const parts = new Map<string, ProbedPart>()
  let slowMs = 0
  let sharedFailedAt = Number.NEGATIVE_INFINITY

  const note = Effect.fnUntraced(function* (part: string, found: PartInProcess) {
    const isFirst = !parts.has(part)
    const now = afterProbe(parts.get(part), found)
    parts.set(part, now)
    if (now.status === "failed" && (part === "log" || part === "database"))
      sharedFailedAt = yield* monotonicNow
    if (!isFirst) return
    yield* ReportMetrics.partOk.observe({ part }, () => (isWell(parts.get(part)!) ? 1 : 0))
    yield* ReportMetrics.partDegraded.observe({ part }, () =>
      parts.get(part)!.status === "degraded" ? 1 : 0
    )
  })

  const free =
    databaseUrl === undefined
      ? Effect.promise(() => statfs(dataDir).catch(() => undefined))
      : Effect.succeed(undefined)

  return {
    /** Probes all but the database and the clock. */
    probe: Effect.gen(function* () {
      const log = yield* health.get("log")
      if (log !== undefined) yield* note("log", log)
      const keys = yield* health.get("webhooks")
      // `/readyz` calls it degraded, because the process can send for all other webhooks.
      if (keys !== undefined) yield* note("keys", { ...keys, status: keys.status === "ok" ? "ok" : "failed" })
      const troubles = yield* lastingTroubles
      for (const [part, detail] of troubles) yield* note(part, { status: "degraded", detail })
      for (const part of parts.keys())
        if (isLoop(part) && !troubles.has(part)) yield* note(part, { status: "ok", detail: "works again" })
      const found = yield* free
      if (found !== undefined) yield* note("disk", diskPart(found.bavail * found.bsize))
    }),
    /** Notes what the database answered; undefined: nothing. `sinceMs`: the time since the answer before. */
    answered: Effect.fnUntraced(function* (answer: Answer | undefined, sinceMs: number) {
      if (answer === undefined)
        return yield* note("database", { status: "failed", detail: "does not answer" })
      slowMs = answer.tookMs > operateLimits.databaseSlowMs ? slowMs + sinceMs : 0
      yield* note("database", databasePart(answer.tookMs, slowMs))
      yield* note("clock", clockPart(answer.aheadMs, answer.tookMs))
    }),
    /** When the log or the database last failed: until some time after that, stages fail because of them. */
    sharedFailedAt: () => sharedFailedAt,
    read: (): Readonly<Record<string, PartInProcess>> =>
      Object.fromEntries(
        Array.from(parts)
          .filter(([part, { status }]) => !isLoop(part) || status !== "ok")
          .map(([part, { detail, status }]) => [part, { status, detail }])
      )
  }
})
