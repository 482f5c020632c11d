/**
 * How far ingest of one network has come, and what that means for its health: ok while the head is fresh and the last
 * taken ledger is the head or on its way to it. Pure: judged at the moment somebody asks.
 */
import { Limits } from "../config/Limits.ts"
import type { PartHealth } from "../observability/Health.ts"
import type { SourceState } from "./LedgerSource.ts"

export interface Progress {
  readonly lastTaken: number | undefined
  readonly lastCloseTime: string | undefined
  /** Unix milliseconds: of the last ledger taken here, or of the start. */
  readonly movedAt: number
  /** Why the next ledger cannot be taken at present. */
  readonly obstacle: { readonly kind: "waiting" | "stopped"; readonly detail: string } | undefined
}

const seconds = (ms: number): number => Math.round(ms / 1000)

const judge = (
  progress: Progress,
  source: SourceState,
  now: number
): Pick<PartHealth, "status" | "detail"> => {
  const { lastTaken, obstacle } = progress
  const { head, headAt, server, lastError } = source
  if (obstacle?.kind === "stopped") return { status: "failed", detail: `stopped: ${obstacle.detail}` }
  const trouble = lastError === undefined ? "" : `; ${lastError.server}: ${lastError.detail}`
  const standing = now - progress.movedAt > Limits.ledgerHeadAgeMs
  if (head === undefined || headAt === undefined)
    return { status: standing ? "failed" : "starting", detail: `no ledger announced yet${trouble}` }
  if (now - headAt > Limits.ledgerHeadAgeMs)
    return { status: "failed", detail: `no new ledger announced for ${seconds(now - headAt)} s${trouble}` }
  const behind = lastTaken === undefined ? 0 : head.ledgerIndex - lastTaken
  if (behind > 0 && standing)
    return {
      status: "failed",
      detail: `${behind} ledgers behind and not moving: ${obstacle?.detail ?? "no ledger taken"}`
    }
  if (server === undefined) return { status: "degraded", detail: `reconnecting${trouble}` }
  // One behind is a ledger just announced and being fetched.
  return behind > 1
    ? { status: "ok", detail: `catching up: ${behind} ledgers behind` }
    : { status: "ok", detail: "live" }
}

export const healthOf = (progress: Progress, source: SourceState, now: number): PartHealth => ({
  ...judge(progress, source, now),
  facts: {
    server: source.server ?? null,
    head: source.head?.ledgerIndex ?? null,
    last_taken: progress.lastTaken ?? null,
    last_close_time: progress.lastCloseTime ?? null
  }
})
