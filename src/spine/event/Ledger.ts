/**
 * A validated ledger in the one shape that everything behind the source works on, whatever API version or server it
 * came from (docs/detection-rules.md 1.7). Field values inside `tx` and `meta` are the ledger's own and stay untyped:
 * detectors read what they need and must survive anything.
 */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

export interface LedgerTransaction {
  /** 64 upper-case hex digits. */
  readonly hash: string
  readonly tx: JsonObject
  readonly meta: JsonObject
}

export interface Ledger {
  readonly ledger_index: number
  readonly ledger_hash: string | undefined
  readonly parent_hash: string | undefined
  /** Seconds since 2000-01-01T00:00:00Z (ripple time); undefined only for recorded data without a header. */
  readonly close_time: number | undefined
  readonly parent_close_time: number | undefined
  /** In execution order (`meta.TransactionIndex`). */
  readonly transactions: ReadonlyArray<LedgerTransaction>
}

/** 2000-01-01T00:00:00Z in Unix seconds. */
const RIPPLE_EPOCH_SECONDS = 946_684_800

/** Ledger time as events carry it: ISO 8601 UTC in whole seconds (docs/detection-rules.md 1.4). */
export const isoTime = (rippleSeconds: number): string =>
  `${new Date((rippleSeconds + RIPPLE_EPOCH_SECONDS) * 1000).toISOString().slice(0, 19)}Z`

export const rippleToUnixMs = (rippleSeconds: number): number => (rippleSeconds + RIPPLE_EPOCH_SECONDS) * 1000

export const unixMsToRipple = (unixMs: number): number => Math.floor(unixMs / 1000) - RIPPLE_EPOCH_SECONDS
