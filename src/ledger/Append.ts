/**
 * Appends ledgers to the log, in one transaction and once, however often the log fails on the way: a failed write may
 * have landed, so the last marker is read back before it is repeated. Waits for a log that is away.
 */
import { Clock, Effect } from "effect"
import { readMarker } from "../coverage/LedgerMarkers.ts"
import { type LedgerMarker, ledgersTopic } from "../domain/LedgerEvent.ts"
import type { EventLog } from "../log/EventLog.ts"
import { untilBack } from "../observability/Patiently.ts"
import { type ChainIdentity, type DetectedLedger, ledgerBatch } from "./Batch.ts"
import type { Tracker } from "./Tracker.ts"

export interface Appending {
  /** Where the log ends. */
  readonly lastMarker: Effect.Effect<LedgerMarker | undefined>
  /** `previous`: the last marker in the log. At least one ledger; gives their markers. */
  readonly append: (
    detected: ReadonlyArray<DetectedLedger>,
    previous: LedgerMarker | undefined
  ) => Effect.Effect<ReadonlyArray<LedgerMarker>>
}

/** `writer` is the network's only one (`EventLog.exclusive`): when it is refused this process's ingest must begin anew. */
export const makeAppending = (
  chain: ChainIdentity,
  log: EventLog["Service"],
  writer: Pick<EventLog["Service"], "transaction">,
  tracker: Tracker
): Appending => {
  const { network } = chain
  const lastMarker = log
    .last({ topic: ledgersTopic(network), partition: 0 })
    .pipe(Effect.map((record) => (record === undefined ? undefined : readMarker(record))))

  const patiently = <A>(effect: Effect.Effect<A, Effect.Error<typeof lastMarker>>) =>
    effect.pipe(
      Effect.tapError((error) =>
        tracker.obstructed("waiting", `the log failed to ${error.operation} ${error.topic}`)
      ),
      Effect.retry({ schedule: untilBack, while: ({ operation }) => operation !== "fence" }),
      Effect.orDie
    )

  /** Whether the markers are in the log, of which `last` is the last. */
  const landed = Effect.fnUntraced(function* (last: LedgerMarker, previous: LedgerMarker | undefined) {
    const found = yield* lastMarker
    if (found?.ledger_hash === last.ledger_hash) return true
    if (found?.ledger_hash === previous?.ledger_hash) return false
    return yield* Effect.die(
      new Error(
        `another process wrote ledger ${found?.ledger_index} of ${network} while this one wrote ${last.ledger_index}`
      )
    )
  })

  return {
    lastMarker: patiently(lastMarker),
    append: Effect.fnUntraced(function* (detected, previous) {
      const { markers, transaction } = ledgerBatch(chain, detected, previous, yield* Clock.currentTimeMillis)
      let unsure = false
      yield* patiently(
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
