/**
 * Decides which servers of a network to connect, which one to ask for a ledger, and how long to back off from a server
 * that failed. Among equals the operator's order decides. Pure: ServerPool.ts keeps the state.
 */
import { ledgerLimits } from "../Limits.ts"
import type { LedgerSourceError } from "./LedgerSource.ts"

/**
 * The wait after a server lost the network: it needs about this long to synchronise. It is also the longest wait for
 * any server while none is connected, because ingest then stands still.
 */
const RECOVERY_MS = 30_000

/** Servers that are connected at a time: the active one and a hot standby. */
const CONNECTED = 2

export interface Backoff {
  /** Failures since the server was last sound (`isSound`). */
  readonly failures: number
  /** The last wait in milliseconds. */
  readonly waitMs: number
  /** Milliseconds of the monotonic clock before which the server is not connected. */
  readonly notBefore: number
  /** Replaces `notBefore` while no server of the network is connected. */
  readonly notBeforeWhenNoneConnected: number
}

export const noBackoff: Backoff = { failures: 0, waitMs: 0, notBefore: 0, notBeforeWhenNoneConnected: 0 }

/** A wait is lengthened at random by up to this part of itself, so that many clients do not reconnect at once. */
const JITTER = 1 / 4

/** Exponential backoff with an upper bound and jitter. `chance`: random, from 0 to 1. */
export const backoffMs = (
  failures: number,
  { first, longest }: { readonly first: number; readonly longest: number },
  chance: number
): number => Math.round(Math.min(longest, first * 2 ** Math.max(0, failures - 1)) * (1 + chance * JITTER))

/** With jitter it is at most `RECOVERY_MS`. */
const ALL_AWAY_MS = RECOVERY_MS / (1 + JITTER)

/** Faults that only an operator can fix: the server's, or ours by changing the settings. `/readyz` names them. */
export const isUnfit = (reason: LedgerSourceError["reason"]): boolean =>
  ["wrong_network", "other_chain", "amendment_blocked", "misbehaving"].includes(reason)

export const afterFailure = (
  backoff: Backoff,
  reason: LedgerSourceError["reason"],
  now: number,
  chance: number
): Backoff => {
  const failures = backoff.failures + 1
  const bounds =
    reason === "rate_limited"
      ? ledgerLimits.ledgerRateLimitedMs
      : reason === "misbehaving"
        ? ledgerLimits.ledgerMisbehavingMs
        : isUnfit(reason)
          ? ledgerLimits.ledgerUnfitServerMs
          : reason === "not_synced"
            ? { first: RECOVERY_MS, longest: RECOVERY_MS }
            : ledgerLimits.ledgerReconnectMs
  const longest = Math.min(bounds.longest, ALL_AWAY_MS)
  const waitMs = backoffMs(failures, bounds, chance)
  return {
    failures,
    waitMs,
    notBefore: now + waitMs,
    notBeforeWhenNoneConnected: now + backoffMs(failures, { first: bounds.first, longest }, chance)
  }
}

/**
 * Whether an announcement ends the backoff of a server that has been connected for so long. A server that fails soon
 * after each connection is left for longer and longer, although it announces ledgers.
 */
export const isSound = ({ waitMs }: Backoff, connectedMs: number): boolean => connectedMs >= waitMs

/** When the server may be connected. */
export const notBeforeOf = (backoff: Backoff, noneConnected: boolean): number =>
  noneConnected ? backoff.notBeforeWhenNoneConnected : backoff.notBefore

export interface PoolServer {
  /** Servers on one host tend to fail together, so only one of them is connected. */
  readonly host: string
  readonly phase: "idle" | "connecting" | "connected"
  /** Whether it has announced a ledger over this connection. */
  readonly proven: boolean
  readonly notBefore: number
  /** Until when, on the monotonic clock, a fetch needs it in addition to the active server and the standby. */
  readonly wantedUntil: number
}

export interface ConnectionPlan {
  readonly connect: ReadonlyArray<number>
  readonly release: ReadonlyArray<number>
  /** Time after which the plan can change because a wait ends. */
  readonly waitMs: number
}

/**
 * Connects the first two usable servers: the active one and a hot standby. A less preferred server is released only
 * after both servers before it have announced a ledger, so switching back to a preferred server leaves no gap.
 */
export const planConnections = (servers: ReadonlyArray<PoolServer>, now: number): ConnectionPlan => {
  const connect: Array<number> = []
  const release: Array<number> = []
  let waitMs = Number.POSITIVE_INFINITY
  const used = new Set<string>()
  const proven = new Set<string>()
  for (const [position, server] of servers.entries()) {
    const { wantedUntil, host, notBefore, phase } = server
    const isNeeded = wantedUntil > now
    const wanted = (used.size < CONNECTED && !used.has(host)) || isNeeded
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
    const superseded = proven.size >= CONNECTED || proven.has(host)
    if (superseded && !isNeeded) release.push(position)
    else {
      if (superseded) waitMs = Math.min(waitMs, wantedUntil - now)
      used.add(host)
      if (phase === "connected" && server.proven) proven.add(host)
    }
  }
  return { connect, release, waitMs }
}

export interface Candidate {
  /** Whether the server claims to have the ledger. */
  readonly claims: boolean
  /** The server's place among the servers that announced the ledger; undefined if it did not announce it. */
  readonly announced: number | undefined
  /** Whether its last answer failed the checks, for a ledger that it claimed to have. */
  readonly discredited: boolean
  /** Whether it has reached its request limit. */
  readonly full: boolean
}

/**
 * The position of the candidate to ask. Candidates that claim to have the ledger come first, then those whose last
 * answer passed the checks, then the earliest announcer, then the operator's order. Undefined: the best candidates are
 * full.
 */
export const chooseServer = (candidates: ReadonlyArray<Candidate>): number | undefined => {
  const doubt = ({ claims, discredited }: Candidate) => (claims ? 0 : 2) + (discredited ? 1 : 0)
  const least = Math.min(...candidates.map(doubt))
  const place = (i: number) => candidates[i]!.announced ?? Number.MAX_SAFE_INTEGER
  return [...candidates.keys()]
    .filter((i) => doubt(candidates[i]!) === least && !candidates[i]!.full)
    .toSorted((a, b) => place(a) - place(b))[0]
}
