/**
 * Where validated ledgers of one network come from: one port; the adapters are `RippledSource` and, for a test network
 * without servers, `SimulatedSource`.
 *
 * Announcements are hints: they may skip, repeat, stop or be wrong. Only what `fetch` returns counts, and only after the
 * caller's own checks (`accept`), which every server's answer must pass. A source never gives up by itself: with no
 * server to talk to, `fetch` waits.
 */
import { Context, type Effect, Schema } from "effect"
import { type Ledger, unixMsToRipple } from "../domain/Ledger.ts"
import type { LedgerMarker } from "../domain/LedgerEvent.ts"

/** What can be wrong with a server's answer to one request; another answer may be right. */
const answerFaults = [
  "not_found",
  "not_validated",
  "malformed",
  "truncated",
  "wrong_ledger",
  /** Another hash than announced: the answer or the announcement is wrong. */
  "wrong_hash",
  /** Its bytes do not have the hashes it claims (XRPL_VERIFY=full). */
  "not_proven",
  /** The ledger does not follow the one taken before: no repetition helps, only another server can. */
  "broken_chain"
] as const

/** What ends the connection to a server. */
const serverFaults = [
  "disconnected",
  "timeout",
  "rate_limited",
  "not_synced",
  "wrong_network",
  /** Its hash of the last ledger taken is another: a reset test network, or a store of another chain. */
  "other_chain",
  "amendment_blocked"
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
  /** Entries of the answer that are no transactions with metadata. */
  readonly malformed: number
  /** The header's root of the transaction tree. */
  readonly transactionHash?: string | undefined
}

export interface LedgerFault {
  readonly reason: AnswerFault
  readonly detail: string
}

/** Undefined: the answer is good. */
export type Accept = (fetched: FetchedLedger) => LedgerFault | undefined

/** A ledger that was taken: no server may contradict it. */
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
  /** Its newest announced ledger. */
  readonly head: number | undefined
  /** The ranges it claims to have, as rippled writes them. */
  readonly ledgers: string | undefined
  readonly lastFault: LedgerSourceError | undefined
  /** Unix milliseconds; undefined: it may be used now. */
  readonly backingOffUntil: number | undefined
}

export interface SourceState {
  /** The server in use. */
  readonly server: string | undefined
  readonly lastError: LedgerSourceError | undefined
  readonly head: Announcement | undefined
  /** Unix milliseconds when the head was first announced. */
  readonly headAt: number | undefined
  /** All of them, the preferred first. */
  readonly servers: ReadonlyArray<ServerState>
  /** Why no ledger is to be expected at present, where that is as it should be. */
  readonly idle?: string | undefined
}

export class LedgerSource extends Context.Service<
  LedgerSource,
  {
    /** Its ledgers are made up: their chain is another than that of the network's servers. */
    readonly simulated: boolean
    /** Waits until a validated ledger at or past `index` is announced; gives the newest. */
    readonly awaitHead: (index: number) => Effect.Effect<Announcement>
    /** Waits until one more server announces exactly that ledger: it may be worth asking again. */
    readonly awaitNews: (index: number) => Effect.Effect<void>
    /** What an answer of `server` for that ledger must agree with, if anything was announced of it. */
    readonly announced: (index: number, server: string) => Announcement | undefined
    /** One round: every server that can be reached is asked, some of them several times, until `accept` is content. */
    readonly fetch: (index: number, accept: Accept) => Effect.Effect<FetchedLedger, LedgerSourceError>
    /** The last ledger taken: servers connected from now on are held against it. */
    readonly anchor: (taken: TakenLedger) => Effect.Effect<void>
    readonly state: Effect.Effect<SourceState>
  }
>()("ledgerhook/ledger/LedgerSource") {}
