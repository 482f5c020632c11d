/**
 * Which of a network's servers are connected, which is asked for a ledger, and how long one that failed is left alone.
 * The operator's order decides among equals. Pure: the pool keeps the standings, the clock and the dice.
 */
import { Limits } from "../config/Limits.ts"
import type { LedgerSourceError } from "./LedgerSource.ts"

export interface Backoff {
  /** Failures since it last announced a ledger. */
  readonly failures: number
  /** Unix milliseconds. */
  readonly notBefore: number
  /** The same while no server of the network is connected. */
  readonly notBeforeWhenNoneConnected: number
}

export const noBackoff: Backoff = { failures: 0, notBefore: 0, notBeforeWhenNoneConnected: 0 }

/** By how much of itself a wait is stretched at most. */
const JITTER = 1 / 4

/** Exponential, bounded, and stretched by up to a quarter so that many clients do not come back at once. */
export const backoffMs = (
  failures: number,
  { first, longest }: { readonly first: number; readonly longest: number },
  chance: number
): number => Math.round(Math.min(longest, first * 2 ** Math.max(0, failures - 1)) * (1 + chance * JITTER))

/** Stretched it is `ledgerAllAwayMs` at most. */
const ALL_AWAY_MS = Limits.ledgerAllAwayMs / (1 + JITTER)

/** What only the server's operator mends, or ours. */
export const isUnfit = (reason: LedgerSourceError["reason"]): boolean =>
  reason === "wrong_network" || reason === "other_chain" || reason === "amendment_blocked"

export const afterFailure = (
  backoff: Backoff,
  reason: LedgerSourceError["reason"],
  now: number,
  chance: number
): Backoff => {
  const failures = backoff.failures + 1
  const constant = (ms: number) => ({ first: ms, longest: ms })
  const bounds =
    reason === "rate_limited"
      ? Limits.ledgerRateLimitedMs
      : isUnfit(reason)
        ? constant(Limits.ledgerUnfitServerMs)
        : reason === "not_synced"
          ? constant(Limits.ledgerNotSyncedMs)
          : Limits.ledgerReconnectMs
  const longest = Math.min(bounds.longest, ALL_AWAY_MS)
  return {
    failures,
    notBefore: now + backoffMs(failures, bounds, chance),
    notBeforeWhenNoneConnected: now + backoffMs(failures, { first: bounds.first, longest }, chance)
  }
}

/** No server is left alone for longer than this: a moment beyond it means that the clock has gone back. */
const LONGEST_MS = backoffMs(
  1,
  { first: Limits.ledgerRateLimitedMs.longest, longest: Limits.ledgerRateLimitedMs.longest },
  1
)

/** `noneConnected`: no server of the network is connected. */
export const notBeforeOf = (backoff: Backoff, now: number, noneConnected: boolean): number => {
  const notBefore = noneConnected ? backoff.notBeforeWhenNoneConnected : backoff.notBefore
  return notBefore - now > LONGEST_MS ? now : notBefore
}

export interface PoolServer {
  /** Two servers of one host fail together: only one of them is connected. */
  readonly host: string
  readonly phase: "idle" | "connecting" | "connected"
  /** Has announced a ledger since it was subscribed to. */
  readonly proven: boolean
  readonly notBefore: number
  /** Unix milliseconds until which a fetch wants it beyond the active server and the standby. */
  readonly wantedUntil: number
}

export interface ConnectionPlan {
  readonly connect: ReadonlyArray<number>
  readonly release: ReadonlyArray<number>
  /** Until the plan may be another without anything having happened. */
  readonly waitMs: number
}

/**
 * The first two that can be used are to be connected: the active server and the hot standby. A less preferred one is
 * let go only once both before it have proven themselves, so that a preferred one that comes back costs nothing.
 */
export const planConnections = (servers: ReadonlyArray<PoolServer>, now: number): ConnectionPlan => {
  const connect: Array<number> = []
  const release: Array<number> = []
  let waitMs = Number.POSITIVE_INFINITY
  const used = new Set<string>()
  const proven = new Set<string>()
  for (const [position, server] of servers.entries()) {
    const { wantedUntil, host, notBefore, phase } = server
    const called = wantedUntil > now
    const wanted = (used.size < Limits.ledgerServersConnected && !used.has(host)) || called
    if (phase === "idle") {
      if (!wanted) continue
      if (notBefore > now) {
        waitMs = Math.min(waitMs, notBefore - now)
        continue
      }
      connect.push(position)
      used.add(host)
      continue
    }
    const superseded = proven.size >= Limits.ledgerServersConnected || proven.has(host)
    if (superseded && !called) release.push(position)
    else {
      if (superseded) waitMs = Math.min(waitMs, wantedUntil - now)
      used.add(host)
      if (phase === "connected" && server.proven) proven.add(host)
    }
  }
  return { connect, release, waitMs }
}

export interface Candidate {
  /** Claims to have the ledger. */
  readonly claims: boolean
  /** Its place among those that announced the ledger; undefined: it did not. */
  readonly announced: number | undefined
  /** Its last answer was refused. */
  readonly refused: boolean
  /** It has as many requests as it takes. */
  readonly full: boolean
}

/**
 * The position of the candidate to ask: one that claims to have the ledger and has not just been refused, of those the
 * first to have announced it, then the first in order. Undefined: those that come into question are full.
 */
export const chooseServer = (candidates: ReadonlyArray<Candidate>): number | undefined => {
  const doubt = ({ claims, refused }: Candidate) => (claims ? 0 : 2) + (refused ? 1 : 0)
  const least = Math.min(...candidates.map(doubt))
  const place = (i: number) => candidates[i]!.announced ?? Number.MAX_SAFE_INTEGER
  return [...candidates.keys()]
    .filter((i) => doubt(candidates[i]!) === least && !candidates[i]!.full)
    .toSorted((a, b) => place(a) - place(b))[0]
}
