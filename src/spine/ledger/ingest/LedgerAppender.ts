/**
 * Appends ledgers to the log in one transaction, exactly once. A failed write may still have landed, so the last marker
 * is read back before each retry. While the log is unavailable, it retries without a limit.
 */
import { Clock, Effect } from "effect"
import { type LedgerMarker, ledgersTopic } from "../../event/LedgerEvent.ts"
import type { Log, LogError } from "../../log/Log.ts"
import { type PlacedMarker, readMarker } from "../../log/ledgers/LedgerMarkers.ts"
import { retryUntilFenced } from "../../log/RetryUntilFenced.ts"
import { continued } from "../../observe/Tracing.ts"
import { type ChainIdentity, type DetectedLedger, ledgerBatch } from "./LedgerRecords.ts"

export interface LedgerAppenderOptions {
  readonly chain: ChainIdentity
  readonly log: Log["Service"]
  /** From `Log.exclusive`. If it is fenced, the effects below die, and the stage must be restarted. */
  readonly writer: Pick<Log["Service"], "transaction">
  /** Called with each failure before it is retried. */
  readonly onFailure: (error: LogError) => Effect.Effect<void>
}

export const makeLedgerAppender = ({ chain, log, onFailure, writer }: LedgerAppenderOptions) => {
  const { network, topics } = chain
  const retryUntilSuccess = <A>(effect: Effect.Effect<A, LogError>) =>
    effect.pipe(retryUntilFenced(onFailure), Effect.orDie)

  const lastMarker = Effect.map(
    log.last({ topic: topics?.ledgers ?? ledgersTopic(network), partition: 0 }),
    (record): PlacedMarker | undefined =>
      record === undefined ? undefined : { offset: record.offset, marker: readMarker(record) }
  )

  /** Whether the batch that ends with `last` is in the log. */
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
    /** The newest marker in the log. */
    lastMarker: retryUntilSuccess(lastMarker),
    /** Appends one ledger or more and returns their markers. `previous`: the newest marker in the log. */
    append: Effect.fnUntraced(function* (
      detected: ReadonlyArray<DetectedLedger>,
      previous: LedgerMarker | undefined
    ) {
      const { markers, transaction } = ledgerBatch(chain, detected, previous, yield* Clock.currentTimeMillis)
      const append = yield* continued(transaction.append)
      let mayHaveLanded = false
      yield* retryUntilSuccess(
        Effect.gen(function* () {
          if (mayHaveLanded && (yield* landed(markers.at(-1)!, previous))) return
          mayHaveLanded = true
          yield* writer.transaction({ ...transaction, append })
        })
      )
      return markers
    })
  }
}
