/**
 * Where validated ledgers of one network come from: one port; the adapter is `RippledSource`.
 *
 * Announcements are hints: they may skip, repeat, stop or be wrong. Only what `fetch` returns counts, and only after the
 * caller's own checks (`accept`), which every server's answer must pass. A source never gives up by itself: with no
 * server to talk to, `fetch` waits.
 */
import { Context, type Effect, Schema } from "effect"
import type { Ledger } from "../domain/Ledger.ts"

/** What can be wrong with a server's answer to one request; another answer may be right. */
const answerFaults = [
  "not_found",
  "not_validated",
  "malformed",
  "truncated",
  "wrong_ledger",
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
}

export interface LedgerFault {
  readonly reason: AnswerFault
  readonly detail: string
}

/** Undefined: the answer is good. */
export type Accept = (fetched: FetchedLedger) => LedgerFault | undefined

export interface SourceState {
  /** The server in use. */
  readonly server: string | undefined
  readonly lastError: LedgerSourceError | undefined
  readonly head: Announcement | undefined
  /** Unix milliseconds when the head was first announced. */
  readonly headAt: number | undefined
}

export class LedgerSource extends Context.Service<
  LedgerSource,
  {
    /** Waits until a validated ledger at or past `index` is announced; gives the newest. */
    readonly awaitHead: (index: number) => Effect.Effect<Announcement>
    /** What was announced of that ledger, if anything. */
    readonly announced: (index: number) => Announcement | undefined
    /** One round: every server that can be reached is asked, some of them several times, until `accept` is content. */
    readonly fetch: (index: number, accept: Accept) => Effect.Effect<FetchedLedger, LedgerSourceError>
    readonly state: Effect.Effect<SourceState>
  }
>()("ledgerhook/ledger/LedgerSource") {}
