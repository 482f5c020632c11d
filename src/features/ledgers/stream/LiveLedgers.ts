/**
 * The newest ledgers of one network as one account sees them: what became of their events, when to read that again,
 * and which ledgers a viewer has not been sent in their present state. Only the newest state of a ledger is kept, so
 * nothing is queued for a slow viewer. Pure.
 */
import type { Network } from "../../../spine/event/Network.ts"
import type { LedgerAnswers } from "../../deliveries/LedgerAnswers.ts"

/** A ledger whose events are queued for the webhooks that want them. */
export interface RoutedLedger {
  /** Of its record, in the topic of the network's ledgers. */
  readonly offset: number
  readonly network: Network
  readonly ledgerIndex: number
  /** ISO 8601. */
  readonly closedAt: string
  /** When the service took it, in Unix milliseconds. No other ledger of the network was taken then. */
  readonly takenAt: number
  /** About when its events were queued, on this process's monotonic clock. */
  readonly routedAtMs: number
  /** How many events it has, by type. */
  readonly events: Readonly<Record<string, number>>
}

interface Kept {
  readonly ledger: RoutedLedger
  /** When its answers are to be read. */
  dueAtMs: number
  /** Grows with each change of `text`, over all networks. 0: its answers have not been read yet. */
  version: number
  /** The message that shows it. */
  text: string
}

export interface LedgerText {
  readonly version: number
  readonly text: string
}

/** The newest ledgers of a network that are shown: about two minutes. */
export const KEPT_LEDGERS = 32

/** Between two reads of the answers to a ledger's events, at least: it is sent once in this time at most. */
const EVERY_MS = 1_000

/** A ledger is first shown so long after its events were queued: the quick answers have come by then. */
const FIRST_MS = 250

/**
 * The answers to a ledger's events are read less often as it grows older: at this part of its age. They come in the
 * first seconds, and later by retries. Once none is awaited, only a retry by hand changes them, or a delivery that was
 * held up before it had a row.
 */
const AGE_SHARE = { waiting: 1 / 2, settled: 2 }

const webhooksOf = (rows: ReadonlyArray<LedgerAnswers>) => {
  const sum = (own: ReadonlyArray<LedgerAnswers>, count: (row: LedgerAnswers) => number) =>
    own.reduce((total, row) => total + count(row), 0)
  return Array.from(
    Map.groupBy(rows, (row) => row.webhook_id),
    ([webhook_id, own]) => ({
      webhook_id,
      events: sum(own, (row) => row.events),
      event_types: Object.fromEntries(own.map((row) => [row.event_type, row.events])),
      answered: sum(own, (row) => row.answered),
      failed: sum(own, (row) => row.failed),
      last_status: own[0]!.last_status,
      last_error: own[0]!.last_error,
      response_time_ms: own[0]!.response_time_ms
    })
  )
}

const textOf = (
  { closedAt, events, ledgerIndex, network }: RoutedLedger,
  rows: ReadonlyArray<LedgerAnswers>
) =>
  `event: ledger\ndata: ${JSON.stringify({
    network,
    ledger_index: ledgerIndex,
    closed_at: closedAt,
    events,
    webhooks: webhooksOf(rows)
  })}\n\n`

export interface LiveLedgers {
  /** Keeps these, which are in order, and forgets the others. */
  readonly keep: (ledgers: ReadonlyArray<RoutedLedger>) => void
  /** The ledgers whose answers are to be read now, oldest first. */
  readonly due: (nowMs: number) => ReadonlyArray<RoutedLedger>
  /** When answers are to be read next; undefined if there is no ledger. */
  readonly nextDueAtMs: () => number | undefined
  /** Takes what was read at `nowMs` about these ledgers. Returns whether one of them has changed. */
  readonly answered: (
    ledgers: ReadonlyArray<RoutedLedger>,
    rows: ReadonlyArray<LedgerAnswers>,
    nowMs: number
  ) => boolean
  /** The ledgers that have changed after that version, in the order of their changes. */
  readonly after: (version: number) => ReadonlyArray<LedgerText>
}

/** `nextVersion` returns larger and larger numbers from 1. */
export const makeLiveLedgers = (nextVersion: () => number): LiveLedgers => {
  let kept: ReadonlyArray<Kept> = []
  return {
    keep: (ledgers) => {
      const known = new Map(kept.map((one) => [one.ledger.offset, one]))
      kept = ledgers.map(
        (ledger) =>
          known.get(ledger.offset) ?? { ledger, dueAtMs: ledger.routedAtMs + FIRST_MS, version: 0, text: "" }
      )
    },
    due: (nowMs) => kept.filter(({ dueAtMs }) => dueAtMs <= nowMs).map(({ ledger }) => ledger),
    nextDueAtMs: () => (kept.length === 0 ? undefined : Math.min(...kept.map(({ dueAtMs }) => dueAtMs))),
    answered: (ledgers, rows, nowMs) => {
      const read = new Set(ledgers)
      const rowsOf = Map.groupBy(rows, (row) => row.taken_at)
      let changed = false
      for (const one of kept) {
        if (!read.has(one.ledger)) continue
        const own = rowsOf.get(one.ledger.takenAt) ?? []
        const isSettled = own.length > 0 && own.every(({ waiting }) => waiting === 0)
        const share = AGE_SHARE[isSettled ? "settled" : "waiting"]
        one.dueAtMs = nowMs + Math.max(EVERY_MS, share * (nowMs - one.ledger.routedAtMs))
        const text = textOf(one.ledger, own)
        if (text === one.text) continue
        one.text = text
        one.version = nextVersion()
        changed = true
      }
      return changed
    },
    after: (version) => kept.filter((one) => one.version > version).toSorted((a, b) => a.version - b.version)
  }
}
