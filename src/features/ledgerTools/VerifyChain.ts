/**
 * Reads the markers of a range of ledgers, their events and recorded transactions, in order, and returns the first fault in the chain
 * (ChainCheck.ts). With a server, the hashes are compared at the same time, `Limits.ledgerRequestsPerServer` at once.
 */
import { Data, Effect, Stream } from "effect"
import { Limits } from "../../spine/config/Limits.ts"
import { eventsTopic, type LedgerMarker, ledgersTopic } from "../../spine/event/LedgerEvent.ts"
import type { Network } from "../../spine/event/Network.ts"
import { transactionsTopic } from "../../spine/event/TransactionRecord.ts"
import { makeCursor } from "../../spine/log/Cursor.ts"
import { type LogError, LogReader } from "../../spine/log/Log.ts"
import {
  findInRange,
  ledgerRanges,
  markerIn,
  type NotAMarker
} from "../../spine/log/ledgers/LedgerMarkers.ts"
import { failed } from "../../terminal/Failure.ts"
import { showProgress } from "../../terminal/ProgressLine.ts"
import {
  type ChainFault,
  eventFault,
  excessFault,
  hashFault,
  markerFault,
  missing,
  transactionFault
} from "./ChainCheck.ts"

class Broken extends Data.TaggedError("Broken")<{ readonly fault: ChainFault }> {}

const orBroken = (fault: ChainFault | undefined) =>
  fault === undefined ? Effect.void : Effect.fail(new Broken({ fault }))

const orUnreadable = <A>(effect: Effect.Effect<A, LogError | NotAMarker | Broken>, ledgerIndex: number) =>
  Effect.catchTag(effect, "NotAMarker", ({ message }) =>
    Effect.fail(new Broken({ fault: { ledger_index: ledgerIndex, message } }))
  )

/** The offset of the first ledger's marker, in the newest range that contains it. */
const findStart = Effect.fnUntraced(function* (log: LogReader["Service"], of: Network, index: number) {
  const ranges = yield* ledgerRanges(log, of)
  const range = ranges.findLast(
    ({ first, last }) => first.marker.ledger_index <= index && index <= last.marker.ledger_index
  )
  const found = range === undefined ? undefined : yield* findInRange(log, of, range, index)
  if (found !== undefined) return found.offset
  const held = ranges
    .map(({ first, last }) => `${first.marker.ledger_index} to ${last.marker.ledger_index}`)
    .join(", ")
  return yield* new Broken({
    fault: missing(index, held === "" ? `the log contains no ledger of ${of}` : `the log contains ${held}`)
  })
})

/** A marker or a fault, and the next ledger's index; undefined after a fault. */
type Step = readonly [LedgerMarker | Broken, number | undefined]

/**
 * The markers of the range in order, each checked with its events. A fault is the last element of the stream and not
 * its error, so that the ledgers before it are compared with the server first.
 */
const checkedMarkers = (
  log: LogReader["Service"],
  of: Network,
  first: number,
  last: number,
  counted: (transactions: number) => void
) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const offset = yield* orUnreadable(findStart(log, of, first), first)
      const markers = makeCursor(log, { topic: ledgersTopic(of), partition: 0, offset })
      let events: ReturnType<typeof makeCursor> | undefined
      let previous: LedgerMarker | undefined

      const checkEvents = Effect.fnUntraced(function* (marker: LedgerMarker) {
        if (marker.first_event_offset === null) return
        events ??= makeCursor(log, {
          topic: eventsTopic(of),
          partition: 0,
          offset: marker.first_event_offset
        })
        for (let place = 0; place < marker.event_count; place++)
          yield* orBroken(eventFault(marker, place, yield* events.next))
      })

      const ofTransactions = { topic: transactionsTopic(of), partition: 0 }
      const keptFrom = Effect.map(log.offsets(ofTransactions), ({ start }) => start)
      let transactions: ReturnType<typeof makeCursor> | undefined
      /** Transactions are dropped earlier than markers. */
      const checkTransactions = Effect.fnUntraced(function* (marker: LedgerMarker) {
        const { first_transaction_offset: from = null, transaction_record_count: count = 0 } = marker
        if (from === null) return
        if (transactions === undefined && from < (yield* keptFrom)) return
        transactions ??= makeCursor(log, { ...ofTransactions, offset: from })
        for (let place = 0; place < count; place++) {
          const found = transactionFault(marker, place, yield* transactions.next)
          if (found !== undefined && from >= (yield* keptFrom)) return yield* orBroken(found)
        }
        counted(count)
      })

      const nextMarker = Effect.fnUntraced(function* (expected: number) {
        const record = yield* markers.next
        if (record === undefined)
          return yield* new Broken({ fault: missing(expected, "the log ends before it") })
        const marker = yield* orUnreadable(markerIn(record), expected)
        yield* orBroken(markerFault(previous, marker))
        yield* checkEvents(marker)
        yield* checkTransactions(marker)
        if (expected === last && events !== undefined)
          yield* orBroken(excessFault(marker, yield* events.peek))
        previous = marker
        return marker
      })

      return Stream.unfold(first, (expected: number | undefined) =>
        expected === undefined || expected > last
          ? Effect.succeed(undefined)
          : nextMarker(expected).pipe(
              Effect.map((marker): Step => [marker, expected + 1]),
              Effect.catchTag("Broken", (broken) => Effect.succeed<Step>([broken, undefined]))
            )
      )
    })
  )

export interface Verification {
  readonly ok: boolean
  readonly network: Network
  readonly from: number
  readonly to: number
  /** How many ledgers from the first on are complete, and their events. */
  readonly ledgers: number
  /** How many of them an operator skipped: their events are missing. */
  readonly skipped: number
  readonly events: number
  /** Their recorded transactions that are retained (RAW_TRANSACTIONS). */
  readonly transactions: number
  readonly last_hash: string | null
  /** Host of the server that was compared with. */
  readonly against: string | null
  readonly fault: ChainFault | null
}

export interface VerifyOptions {
  readonly network: Network
  readonly from: number
  readonly to: number
  /** URL of the server to compare with. */
  readonly against: string | undefined
}

export const verifyChain = Effect.fnUntraced(function* (options: VerifyOptions) {
  const log = yield* LogReader
  const show = yield* showProgress("verified", options.to - options.from + 1)
  // Loaded when needed: the ledger's client library is large.
  const client =
    options.against === undefined
      ? undefined
      : yield* (yield* Effect.promise(
          () => import("../../spine/ledger/servers/LedgerClient.ts")
        )).makeLedgerClient(options.network, options.against)
  let ledgers = 0
  let skipped = 0
  let events = 0
  let transactions = 0
  let last: LedgerMarker | undefined

  const compared = Effect.fnUntraced(function* (marker: LedgerMarker | Broken) {
    if (marker instanceof Broken) return yield* marker
    if (client === undefined) return marker
    const hash = yield* client
      .hash(marker.ledger_index)
      .pipe(
        Effect.mapError((error) =>
          failed(`ledger ${marker.ledger_index} cannot be compared: ${error.server}: ${error.detail}.`)
        )
      )
    yield* orBroken(hashFault(marker, client.server, hash))
    return marker
  })

  const count = (more: number) => {
    transactions += more
  }
  const fault = yield* checkedMarkers(log, options.network, options.from, options.to, count).pipe(
    Stream.mapEffect((marker) => Effect.result(compared(marker)), {
      concurrency: Limits.ledgerRequestsPerServer
    }),
    Stream.mapEffect(Effect.fromResult),
    Stream.runForEach((marker) => {
      ledgers++
      if (marker.skipped !== undefined) skipped++
      events += marker.event_count
      last = marker
      return show(ledgers)
    }),
    Effect.as(null),
    Effect.catchTag("Broken", (broken) => Effect.succeed(broken.fault))
  )
  return {
    ok: fault === null,
    network: options.network,
    from: options.from,
    to: options.to,
    ledgers,
    skipped,
    events,
    transactions,
    last_hash: last?.ledger_hash ?? null,
    against: client?.server ?? null,
    fault
  } satisfies Verification
}, Effect.scoped)
