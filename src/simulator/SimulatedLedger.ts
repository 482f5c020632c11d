/**
 * The simulated ledger: a chain of ledgers with transactions of every kind, closed by hand or at a steady pace, served
 * over rippled's WebSocket protocol so that an ordinary client cannot tell it from a real server. The same seed and
 * clock give the same ledgers. Close times are whole seconds of the Effect clock, and always after the parent's.
 * Of every ledger it says which events it must cause, from its own making and not from any detector.
 */
import { Clock, Context, Effect, Layer, PubSub, Schedule, type Scope, Stream } from "effect"
import { Limits } from "../config/Limits.ts"
import { unixMsToRipple } from "../domain/Ledger.ts"
import type { Hashing } from "./ApplyTransaction.ts"
import { type ClosedLedger, FIRST_LEDGER_INDEX, makeChain } from "./Chain.ts"
import { type Respond, type SimulatedServerError, startServer } from "./Server.ts"

export { type ClosedLedger, expectedEventIds } from "./Chain.ts"
export { SimulatedServerError } from "./Server.ts"
export { syntheticTransactions } from "./SyntheticTransactions.ts"

export interface SimulatedLedgerOptions {
  readonly seed: number
  /** As `server_info` reports it. */
  readonly networkId: number
  readonly transactionsPerLedger: number
  /** Milliseconds from one close to the next, or `manual`: only `close` makes ledgers. */
  readonly closeEveryMs: number | "manual"
  /** By default a free one. */
  readonly port?: number
  /** At least 1,000. That ledger is empty. */
  readonly firstLedgerIndex?: number
  /** By default `binary`; `digest` where many transactions a ledger must cost little. */
  readonly hashing?: Hashing
  readonly respond?: Respond
}

export interface SimulatedLedgerShape {
  /** `ws://127.0.0.1:<port>`. */
  readonly url: string
  readonly close: Effect.Effect<ClosedLedger>
  readonly head: Effect.Effect<ClosedLedger>
  /** Undefined for ledgers that are not yet closed, or so old that they are forgotten. */
  readonly ledger: (ledgerIndex: number) => Effect.Effect<ClosedLedger | undefined>
  /** Ledgers as they close, from the moment the stream runs. */
  readonly closed: Stream.Stream<ClosedLedger>
  /** Open connections. */
  readonly connections: Effect.Effect<number>
}

const keepClosing = (close: Effect.Effect<ClosedLedger>, everyMs: number) =>
  Effect.sleep(everyMs).pipe(
    Effect.andThen(close.pipe(Effect.repeat(Schedule.fixed(everyMs)))),
    Effect.forkScoped
  )

export const makeSimulatedLedger = Effect.fnUntraced(function* (
  options: SimulatedLedgerOptions
): Effect.fn.Return<SimulatedLedgerShape, SimulatedServerError, Scope.Scope> {
  const { closeEveryMs, networkId, seed, transactionsPerLedger } = options
  const clock = yield* Clock.Clock
  const startedAt = clock.currentTimeMillisUnsafe()
  const chain = makeChain({
    seed,
    transactionsPerLedger,
    firstLedgerIndex: options.firstLedgerIndex ?? FIRST_LEDGER_INDEX,
    hashing: options.hashing ?? "binary",
    firstCloseTime: unixMsToRipple(startedAt)
  })
  const now = () => {
    const unixMs = clock.currentTimeMillisUnsafe()
    return { rippleTime: unixMsToRipple(unixMs), uptimeSeconds: Math.floor((unixMs - startedAt) / 1_000) }
  }
  const answering = { chain, networkId, clock: now }
  const server = yield* startServer(options.port ?? 0, answering, options.respond ?? ((_, answer) => answer))
  const published = yield* PubSub.sliding<ClosedLedger>(Limits.simulatedClosedBacklog)

  const close = Effect.gen(function* () {
    const ledger = chain.close(now().rippleTime)
    server.announce(ledger)
    yield* PubSub.publish(published, ledger)
    return ledger
  })
  if (closeEveryMs !== "manual") yield* keepClosing(close, closeEveryMs)

  return {
    url: `ws://127.0.0.1:${server.port}`,
    close,
    head: Effect.sync(chain.head),
    ledger: (ledgerIndex) => Effect.sync(() => chain.ledger(ledgerIndex)),
    closed: Stream.fromPubSub(published),
    connections: Effect.sync(server.connections)
  }
})

export class SimulatedLedger extends Context.Service<SimulatedLedger, SimulatedLedgerShape>()(
  "ledgerhook/simulator/SimulatedLedger"
) {
  static readonly layer = (
    options: SimulatedLedgerOptions
  ): Layer.Layer<SimulatedLedger, SimulatedServerError> =>
    Layer.effect(SimulatedLedger, makeSimulatedLedger(options))
}
