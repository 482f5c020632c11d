/**
 * The health of ingest of one network, computed from its progress and the state of its servers when `/readyz` asks. It
 * is ok while the head is at most `ledgerHeadAgeMs` old and ingest is at the head or still taking ledgers. Pure.
 */
import { Limits } from "../config/Limits.ts"
import type { BothClocks } from "../domain/Monotonic.ts"
import type { PartHealth } from "../observability/Health.ts"
import { type ProgressSamples, remaining } from "./CatchUpRate.ts"
import type { ServerState, SourceState } from "./LedgerSource.ts"
import { isUnfit } from "./ServerSelection.ts"

export interface Progress {
  readonly lastTaken: number | undefined
  readonly lastCloseTime: string | undefined
  /** When this process last took a ledger, or started, on the monotonic clock. */
  readonly movedAt: number
  readonly samples: ProgressSamples
  /** How many ledgers of the network were skipped so far; undefined: not known yet. */
  readonly skipped?: number | undefined
  /** Why the next ledger cannot be taken now. */
  readonly obstacle: { readonly kind: "waiting" | "stopped"; readonly detail: string } | undefined
}

const seconds = (ms: number): number => Math.round(ms / 1000)

/** The faults of servers that an operator must fix. */
const unfitServers = (servers: ReadonlyArray<ServerState>) =>
  servers.flatMap(({ lastFault, state }) =>
    lastFault !== undefined && isUnfit(lastFault.reason) && state !== "active" && state !== "standby"
      ? [lastFault]
      : []
  )

/**
 * Set while the head is before the next ledger's parent, so that no ledger can be taken. Servers may lag for a moment;
 * `isLasting` says that they do not.
 */
export const headTooLow = (
  { lastCloseTime, lastTaken, movedAt }: Progress,
  { head, idle }: SourceState,
  now: number
): { readonly detail: string; readonly isLasting: boolean } | undefined => {
  if (idle !== undefined || head === undefined || lastTaken === undefined) return undefined
  const missing = lastTaken - head.ledgerIndex
  if (missing <= 0) return undefined
  return {
    detail:
      lastCloseTime === undefined
        ? `the servers are at ledger ${head.ledgerIndex}, and the first one to take is ${lastTaken + 1}`
        : `the servers are at ledger ${head.ledgerIndex}, before the last one taken (${lastTaken}): they lag, or the network was reset`,
    isLasting: missing > Limits.ledgerNearHead || now - movedAt > Limits.ledgerHeadAgeMs
  }
}

const judge = (
  progress: Progress,
  source: SourceState,
  now: number
): Pick<PartHealth, "status" | "detail"> => {
  const { lastTaken, obstacle } = progress
  const { head, headAt, server, lastError, servers } = source
  if (obstacle?.kind === "stopped") return { status: "failed", detail: `stopped: ${obstacle.detail}` }
  if (source.idle !== undefined) return { status: "ok", detail: `idle: ${source.idle}` }
  const unfit = unfitServers(servers)
  const stranger = unfit.find(({ reason }) => reason === "other_chain")
  if (server === undefined && stranger !== undefined && unfit.length === servers.length)
    return { status: "failed", detail: `stopped: ${stranger.server}: ${stranger.detail}` }
  const trouble = lastError === undefined ? "" : `; ${lastError.server}: ${lastError.detail}`
  const isStalled = now - progress.movedAt > Limits.ledgerHeadAgeMs
  if (head === undefined || headAt === undefined)
    return { status: isStalled ? "failed" : "starting", detail: `no ledger announced yet${trouble}` }
  if (now - headAt > Limits.ledgerHeadAgeMs)
    return { status: "failed", detail: `no new ledger announced for ${seconds(now - headAt)} s${trouble}` }
  const behind = lastTaken === undefined ? 0 : head.ledgerIndex - lastTaken
  // If only the head is missing, ingest could not take it before it was announced.
  const movable = behind === 1 ? Math.max(progress.movedAt, headAt) : progress.movedAt
  const standingMs = behind > 0 ? now - movable : 0
  if (standingMs > Limits.ledgerStandingMs)
    return {
      status: standingMs > Limits.ledgerHeadAgeMs ? "failed" : "degraded",
      detail: `${behind} ledgers behind and not moving: ${obstacle?.detail ?? `no ledger taken${trouble}`}`
    }
  const low = headTooLow(progress, source, now)
  if (low !== undefined) return { status: low.isLasting ? "failed" : "degraded", detail: low.detail }
  if (server === undefined) return { status: "degraded", detail: `reconnecting${trouble}` }
  // One ledger behind is normal: it was just announced and is being fetched.
  const detail = behind > 1 ? `catching up: ${behind} ledgers behind` : "at the head"
  return unfit.length === 0
    ? { status: "ok", detail }
    : {
        status: "degraded",
        detail: [detail, ...unfit.map((fault) => `${fault.server}: ${fault.detail}`)].join("; ")
      }
}

/** A moment of the monotonic clock, as wall-clock time. */
const shown = (at: number | undefined, { monotonicMs, wallMs }: BothClocks): string | null =>
  at === undefined ? null : new Date(Math.round(wallMs + at - monotonicMs)).toISOString()

/** Flat, as facts are: `servers.<place>.<field>`, the preferred server first. */
const serverFacts = (servers: ReadonlyArray<ServerState>, now: BothClocks): PartHealth["facts"] =>
  Object.fromEntries(
    servers.flatMap(({ backingOffUntil, head, lastFault, ledgers, server, state }, i) =>
      Object.entries({
        address: server,
        state,
        head: head ?? null,
        ledgers: ledgers ?? null,
        last_fault: lastFault === undefined ? null : `${lastFault.reason}: ${lastFault.detail}`,
        backing_off_until: shown(backingOffUntil, now)
      }).map(([field, value]) => [`servers.${i + 1}.${field}`, value])
    )
  )

/** The distance to the head, the rate, and the time left. */
const catchUpFacts = (progress: Progress, source: SourceState, now: number): PartHealth["facts"] => {
  if (source.head === undefined) return { behind: null, ledgers_per_second: null, seconds_left: null }
  const { ledgers, ledgers_per_second, seconds } = remaining(progress.samples, source.head.ledgerIndex, now)
  return {
    behind: ledgers,
    ledgers_per_second: ledgers_per_second ?? null,
    seconds_left: seconds ?? null
  }
}

export const healthOf = (progress: Progress, source: SourceState, now: BothClocks): PartHealth => ({
  ...judge(progress, source, now.monotonicMs),
  facts: {
    server: source.server ?? null,
    head: source.head?.ledgerIndex ?? null,
    head_at: shown(source.headAt, now),
    last_taken: progress.lastTaken ?? null,
    last_close_time: progress.lastCloseTime ?? null,
    obstacle: progress.obstacle?.detail ?? null,
    skipped_ledgers: progress.skipped ?? null,
    ...catchUpFacts(progress, source, now.monotonicMs),
    ...serverFacts(source.servers, now)
  }
})
