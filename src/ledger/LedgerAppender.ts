/**
 * Appends ledgers to the log, in one transaction and once, however often the log fails on the way: a failed write may
 * have landed, so the last marker is read back before it is repeated. Waits for a log that is away.
 */
import { Clock, Effect } from "effect"
import { type PlacedMarker, readMarker } from "../coverage/LedgerMarkers.ts"
import { type LedgerMarker, ledgersTopic } from "../domain/LedgerEvent.ts"
import type { EventLog, EventLogError } from "../log/EventLog.ts"
import { storeRetrySchedule } from "../observability/RetryUntilSuccess.ts"
import { type ChainIdentity, type DetectedLedger, ledgerBatch } from "./LedgerRecords.ts"

export interface LedgerAppenderOptions {
  readonly chain: ChainIdentity
  readonly log: EventLog["Service"]
  /** The only one of its name (`EventLog.exclusive`): when it is refused, this process must begin anew. */
  readonly writer: Pick<EventLog["Service"], "transaction">
  /** Is told why the log cannot be used at present. */
  readonly onFailure: (error: EventLogError) => Effect.Effect<void>
}

export const makeLedgerAppender = ({ chain, log, onFailure, writer }: LedgerAppenderOptions) => {
  const { network, topics } = chain
  const retryUntilSuccess = <A>(effect: Effect.Effect<A, EventLogError>) =>
    effect.pipe(
      Effect.tapError(onFailure),
      Effect.retry({ schedule: storeRetrySchedule, while: ({ operation }) => operation !== "fence" }),
      Effect.orDie
    )

  const lastMarker = Effect.map(
    log.last({ topic: topics?.ledgers ?? ledgersTopic(network), partition: 0 }),
    (record): PlacedMarker | undefined =>
      record === undefined ? undefined : { offset: record.offset, marker: readMarker(record) }
  )

  /** Whether the markers are in the log, of which `last` is the last. */
  const landed = Effect.fnUntraced(function* (last: LedgerMarker, previous: LedgerMarker | undefined) {
    const found = (yield* lastMarker)?.marker
    if (found?.detected_at === last.detected_at && found.ledger_hash === last.ledger_hash) return true
    if (found?.detected_at === previous?.detected_at) return false
    return yield* Effect.die(
      new Error(
        `another process wrote ledger ${found?.ledger_index} of ${network} while this one wrote ${last.ledger_index}`
      )
    )
  })

  return {
    retryUntilSuccess,
    /** Where the log ends. */
    lastMarker: retryUntilSuccess(lastMarker),
    /** At least one ledger, after `previous`, the last marker in the log; gives their markers. */
    append: Effect.fnUntraced(function* (
      detected: ReadonlyArray<DetectedLedger>,
      previous: LedgerMarker | undefined
    ) {
      const { markers, transaction } = ledgerBatch(chain, detected, previous, yield* Clock.currentTimeMillis)
      let unsure = false
      yield* retryUntilSuccess(
        Effect.gen(function* () {
          if (unsure && (yield* landed(markers.at(-1)!, previous))) return
          unsure = true
          yield* writer.transaction(transaction)
        })
      )
      return markers
    })
  }
}
