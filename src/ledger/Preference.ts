/**
 * Which of a network's servers is used next, and how long one that failed is left alone: the first in the operator's
 * order whose wait is over. Pure: the pool keeps the standings, the clock and the dice.
 */
import { Limits } from "../config/Limits.ts"
import type { LedgerSourceError } from "./LedgerSource.ts"

export interface Standing {
  /** Failures since it last announced a ledger. */
  readonly failures: number
  /** Unix milliseconds. */
  readonly notBefore: number
}

export const newcomer: Standing = { failures: 0, notBefore: 0 }

/** Exponential, bounded, and stretched by up to a quarter so that many clients do not come back at once. */
export const backoffMs = (
  failures: number,
  { first, longest }: { readonly first: number; readonly longest: number },
  chance: number
): number => Math.round(Math.min(longest, first * 2 ** Math.max(0, failures - 1)) * (1 + chance / 4))

export const afterFailure = (
  standing: Standing,
  reason: LedgerSourceError["reason"],
  now: number,
  chance: number
): Standing => {
  const failures = standing.failures + 1
  const constant = (ms: number) => ({ first: ms, longest: ms })
  const bounds =
    reason === "rate_limited"
      ? Limits.ledgerRateLimitedMs
      : reason === "wrong_network" || reason === "amendment_blocked"
        ? constant(Limits.ledgerUnfitServerMs)
        : reason === "not_synced"
          ? constant(Limits.ledgerNotSyncedMs)
          : Limits.ledgerReconnectMs
  return { failures, notBefore: now + backoffMs(failures, bounds, chance) }
}

/** Position of the server to use, and how long to wait first. There is at least one. */
export const choose = (
  standings: ReadonlyArray<Standing>,
  now: number
): { readonly server: number; readonly waitMs: number } => {
  const ready = standings.findIndex(({ notBefore }) => notBefore <= now)
  if (ready !== -1) return { server: ready, waitMs: 0 }
  const soonest = Math.min(...standings.map(({ notBefore }) => notBefore))
  return {
    server: standings.findIndex(({ notBefore }) => notBefore === soonest),
    waitMs: soonest - now
  }
}
