/**
 * The port through which validated ledgers of one network arrive. Adapters: `RippledSource` and, for a test network
 * without servers, `SimulatedSource`.
 *
 * Announcements are hints: they may skip, repeat, stop or be wrong. Only a ledger that `fetch` returns is used, and it
 * has passed the caller's checks (`accept`). While no server can be reached, `fetch` waits.
 */
import { Context, type Effect, Schema } from "effect"
import { type Ledger, unixMsToRipple } from "../../event/Ledger.ts"
import type { LedgerMarker } from "../../event/LedgerEvent.ts"

/** Faults of one answer. The connection stays open, since the next answer may be right. */
const answerFaults = [
  "not_found",
  "not_validated",
  "malformed",
  "truncated",
  "wrong_ledger",
  /** The hash differs from the announced one: the answer or the announcement is wrong. */
  "wrong_hash",
  /** With XRPL_VERIFY=full: the bytes do not have the hash that the answer names, or cannot be decoded. */
  "not_proven",
  /** The ledger does not link to the last taken one. The same server would answer the same again. */
  "broken_chain"
] as const

/** Faults that end the connection to a server. */
const serverFaults = [
  "disconnected",
  "timeout",
  "rate_limited",
  "not_synced",
  "wrong_network",
  /**
   * The server has another hash for a ledger that we have taken: a test network was reset, or our log belongs to
   * another chain.
   */
  "other_chain",
  "amendment_blocked",
  /** It sent what no sound server sends: a message beyond the limits, no JSON, another ledger than it announced. */
  "misbehaving"
] as const

export type AnswerFault = (typeof answerFaults)[number]
export type ServerFault = (typeof serverFaults)[number]

export class LedgerSourceError extends Schema.TaggedError<LedgerSourceError>()("LedgerSourceError", {
  /** Host of the server: an address may hold a credential. */
  server: Schema.String,
  reason: Schema.Literals([...answerFaults, ...serverFaults]),
  detail: Schema.String
}) {}

export const endsConnection = (reason: LedgerSourceError["reason"]): reason is ServerFault =>
  (serverFaults as ReadonlyArray<string>).includes(reason)

export interface Announcement {
  readonly ledgerIndex: number
  readonly ledgerHash: string | undefined
  readonly transactionCount: number | undefined
}

export interface FetchedLedger {
  readonly server: string
  readonly validated: boolean
  readonly ledger: Ledger
  /** Number of entries that are not a transaction with metadata. */
  readonly malformed: number
  /** The header's root of the transaction tree. */
  readonly transactionHash?: string | undefined
  /** About how many bytes of memory it takes. */
  readonly bytes?: number
  /** Set if an operator ordered to skip the ledger: the reason. It then has a header and no transactions. */
  readonly skipped?: string
}

/** What to ask for: the ledger with all its transactions, or only its header. */
export type LedgerPart = "whole" | "header"

export interface LedgerFault {
  readonly reason: AnswerFault
  readonly detail: string
}

/** Undefined: the answer is good. */
export type Accept = (fetched: FetchedLedger) => LedgerFault | undefined

/** A ledger that we have taken. A server with another hash for it is on another chain. */
export interface TakenLedger {
  readonly ledgerIndex: number
  readonly ledgerHash: string
  /** Ripple seconds. */
  readonly closeTime: number
}

export const takenLedger = ({ close_time, ledger_hash, ledger_index }: LedgerMarker): TakenLedger => ({
  ledgerIndex: ledger_index,
  ledgerHash: ledger_hash,
  closeTime: unixMsToRipple(Date.parse(close_time))
})

export interface ServerState {
  /** Host of its address. */
  readonly server: string
  readonly state: "active" | "standby" | "connecting" | "idle" | "backing_off"
  /** The newest ledger that the server announced. */
  readonly head: number | undefined
  /** The ranges it claims to have, as rippled writes them. */
  readonly ledgers: string | undefined
  readonly lastFault: LedgerSourceError | undefined
  /** Unix milliseconds; undefined: it may be used now. */
  readonly backingOffUntil: number | undefined
}

export interface SourceState {
  /** The active server. */
  readonly server: string | undefined
  readonly lastError: LedgerSourceError | undefined
  readonly head: Announcement | undefined
  /** When the head was first announced, on the monotonic clock. */
  readonly headAt: number | undefined
  /** The servers in the operator's order. */
  readonly servers: ReadonlyArray<ServerState>
  /** Set while no ledger is expected: the reason. */
  readonly idle?: string | undefined
}

export class LedgerSource extends Context.Service<
  LedgerSource,
  {
    /** Whether the ledgers are generated. They form another chain than that of the network's servers. */
    readonly simulated: boolean
    /** Waits until a validated ledger at or past `index` is announced, and returns the newest announcement. */
    readonly awaitHead: (index: number) => Effect.Effect<Announcement>
    /** Waits until one more server announces exactly this ledger. */
    readonly awaitNews: (index: number) => Effect.Effect<void>
    /** What `server` announced of this ledger, which its answer must match; undefined if it announced nothing. */
    readonly announced: (index: number, server: string) => Announcement | undefined
    /** Asks the servers one after the other until an answer passes `accept`. Fails when no reachable server is left. */
    readonly fetch: (
      index: number,
      accept: Accept,
      part?: LedgerPart
    ) => Effect.Effect<FetchedLedger, LedgerSourceError>
    /** Sets the last taken ledger. A server that connects later must not contradict it. */
    readonly anchor: (taken: TakenLedger) => Effect.Effect<void>
    readonly state: Effect.Effect<SourceState>
  }
>()("ledgerhook/ledger/LedgerSource") {}
