/**
 * A ledger server with a simulated chain, whose ledgers have transactions of every kind and close when a test says so.
 * The same seed and clock give the same ledgers. Close times are whole seconds of the Effect clock, and always after
 * the parent's.
 */
import { Clock, Effect, type Scope } from "effect"
import type { Hashing } from "../../../src/features/simulator/ApplyTransaction.ts"
import {
  type ClosedLedger,
  FIRST_LEDGER_INDEX,
  makeChain,
  type ParentLedger
} from "../../../src/features/simulator/Chain.ts"
import { unixMsToRipple } from "../../../src/spine/event/Ledger.ts"
import { binaryLedgerResult, ledgerResult } from "./ledgerAnswers.ts"
import { type Interference, rippledServer } from "./rippledServer.ts"

export interface SimulatedLedgerOptions {
  readonly seed: number
  readonly networkId: number
  readonly transactionsPerLedger: number
  /** At least 1,000. That ledger is empty. */
  readonly firstLedgerIndex?: number
  /** The ledger before the first. Default: a made-up one. */
  readonly parent?: ParentLedger
  /** Default: `binary`. `digest` is faster for many transactions in a ledger. */
  readonly hashing?: Hashing
  readonly interfere?: Interference
}

export interface SimulatedLedger {
  /** `ws://127.0.0.1:<port>`. */
  readonly url: string
  readonly close: Effect.Effect<ClosedLedger>
  /** Without an announcement. */
  readonly closeSilently: Effect.Effect<ClosedLedger>
  readonly head: Effect.Effect<ClosedLedger>
}

export const makeSimulatedLedger = Effect.fnUntraced(function* (
  options: SimulatedLedgerOptions
): Effect.fn.Return<SimulatedLedger, never, Scope.Scope> {
  const { firstLedgerIndex = FIRST_LEDGER_INDEX, interfere, networkId, seed, transactionsPerLedger } = options
  const clock = yield* Clock.Clock
  const now = () => unixMsToRipple(clock.currentTimeMillisUnsafe())
  const chain = makeChain({
    seed,
    transactionsPerLedger,
    firstLedgerIndex,
    parent: options.parent,
    hashing: options.hashing ?? "binary",
    firstCloseTime: now()
  })
  const server = yield* rippledServer({
    networkId,
    ledgers: () => `${firstLedgerIndex}-${chain.head().header.ledger_index}`,
    ...(interfere !== undefined && { interfere })
  })
  const publish = (ledger: ClosedLedger, announce: boolean) => {
    server.add({
      header: ledger.header,
      count: ledger.transactions.length,
      answer: ({ binary, expand = false, transactions = false }) => ({
        result: binary
          ? binaryLedgerResult(ledger)
          : ledgerResult(ledger, { version: 2, transactions, expand })
      })
    })
    server.close(ledger.header.ledger_index, { announce })
    return ledger
  }
  publish(chain.head(), false)
  return {
    url: server.url,
    close: Effect.sync(() => publish(chain.close(now()), true)),
    closeSilently: Effect.sync(() => publish(chain.close(now()), false)),
    head: Effect.sync(chain.head)
  }
})
