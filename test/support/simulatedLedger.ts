/**
 * A server of simulated ledgers: a chain with transactions of every kind, which tests close and which is served over
 * rippled's WebSocket protocol, so that ordinary clients work as with a real server. The same seed and clock give the
 * same ledgers. Close times are whole seconds of the Effect clock, and always after the parent's.
 */
import { Clock, Effect, type Scope } from "effect"
import { unixMsToRipple } from "../../src/domain/Ledger.ts"
import type { Hashing } from "../../src/simulator/ApplyTransaction.ts"
import {
  type ClosedLedger,
  FIRST_LEDGER_INDEX,
  makeChain,
  type ParentLedger
} from "../../src/simulator/Chain.ts"
import { type Respond, type SimulatedServerError, startServer } from "./simulatedServer.ts"

export interface SimulatedLedgerOptions {
  readonly seed: number
  /** The id that `server_info` reports. */
  readonly networkId: number
  readonly transactionsPerLedger: number
  /** Default: a free port. */
  readonly port?: number
  /** At least 1,000. That ledger is empty. */
  readonly firstLedgerIndex?: number
  /** The ledger before the first. Default: a made-up one. */
  readonly parent?: ParentLedger
  /** Default: `binary`. `digest` is faster for many transactions in a ledger. */
  readonly hashing?: Hashing
  readonly respond?: Respond
}

export interface SimulatedLedger {
  /** `ws://127.0.0.1:<port>`. */
  readonly url: string
  readonly close: Effect.Effect<ClosedLedger>
  /** Without an announcement. */
  readonly closeSilently: Effect.Effect<ClosedLedger>
  readonly head: Effect.Effect<ClosedLedger>
  /** Open connections. */
  readonly connections: Effect.Effect<number>
}

export const makeSimulatedLedger = Effect.fnUntraced(function* (
  options: SimulatedLedgerOptions
): Effect.fn.Return<SimulatedLedger, SimulatedServerError, Scope.Scope> {
  const { firstLedgerIndex = FIRST_LEDGER_INDEX, networkId, seed, transactionsPerLedger } = options
  const clock = yield* Clock.Clock
  const startedAt = clock.currentTimeMillisUnsafe()
  const chain = makeChain({
    seed,
    transactionsPerLedger,
    firstLedgerIndex,
    parent: options.parent,
    hashing: options.hashing ?? "binary",
    firstCloseTime: unixMsToRipple(startedAt)
  })
  const closed = [chain.head()]
  const now = () => {
    const unixMs = clock.currentTimeMillisUnsafe()
    return { rippleTime: unixMsToRipple(unixMs), uptimeSeconds: Math.floor((unixMs - startedAt) / 1_000) }
  }
  const ledgers = {
    head: chain.head,
    firstIndex: firstLedgerIndex,
    byIndex: (index: number) => closed[index - firstLedgerIndex],
    byHash: (hash: string) => closed.find(({ header }) => header.ledger_hash === hash)
  }
  const answering = { ledgers, networkId, clock: now }
  const server = yield* startServer(options.port ?? 0, answering, options.respond ?? ((_, answer) => answer))
  const closeSilently = Effect.sync(() => {
    const ledger = chain.close(now().rippleTime)
    closed.push(ledger)
    return ledger
  })
  return {
    url: `ws://127.0.0.1:${server.port}`,
    closeSilently,
    close: Effect.tap(closeSilently, (ledger) => Effect.sync(() => server.announce(ledger))),
    head: Effect.sync(chain.head),
    connections: Effect.sync(server.connections)
  }
})
