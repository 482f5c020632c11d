/**
 * The load of a run: a local ledger server whose chain closes a ledger at a steady pace while it flows, and the events
 * that each ledger must cause. The chain's own scenarios say which, so detection is not asked.
 */
import { Effect, type Scope } from "effect"
import { expectedEventIds } from "../../../src/features/simulator/Chain.ts"
import { makeSimulatedLedger } from "../../../test/support/ledger/simulatedLedger.ts"

export interface Load {
  readonly url: string
  readonly firstLedger: number
  /** Ledgers close only while this is true. */
  flowing: boolean
  readonly expected: ReadonlySet<string>
  readonly lastLedger: () => number
}

export interface LoadOptions {
  readonly seed: number
  readonly everyMs: number
  readonly transactionsPerLedger: number
}

/** Starts the server; it stops when the scope closes. */
export const startLoad = Effect.fnUntraced(function* ({
  seed,
  everyMs,
  transactionsPerLedger
}: LoadOptions): Effect.fn.Return<Load, Error, Scope.Scope> {
  const ledger = yield* makeSimulatedLedger({
    seed,
    networkId: 0,
    transactionsPerLedger,
    hashing: "digest"
  })
  const firstLedger = (yield* ledger.head).header.ledger_index
  const expected = new Set<string>()
  let last = firstLedger
  const load: Load = { url: ledger.url, firstLedger, flowing: false, expected, lastLedger: () => last }
  const close = Effect.gen(function* () {
    if (load.flowing) {
      const closed = yield* ledger.close
      for (const id of expectedEventIds(closed)) expected.add(id)
      last = closed.header.ledger_index
    }
    yield* Effect.sleep(everyMs)
  })
  yield* Effect.forkScoped(Effect.forever(close))
  return load
})
