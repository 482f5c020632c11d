/**
 * Ledger servers over one simulated chain. By seed a server is slow, is behind, lacks a ledger for a while, or lies:
 * it leaves out a transaction, names another parent, sends another ledger or one that is not validated.
 */
import { Effect, Layer } from "effect"
import {
  asLedger,
  type ClosedLedger,
  LOWEST_FIRST_LEDGER,
  makeChain
} from "../../../src/features/simulator/Chain.ts"
import type { SeededRandom } from "../../../src/features/simulator/SeededRandom.ts"
import { makeAnnouncements } from "../../../src/spine/ledger/servers/Announcements.ts"
import {
  type FetchedLedger,
  LedgerSource,
  LedgerSourceError
} from "../../../src/spine/ledger/servers/LedgerSource.ts"

const RIPPLE_EPOCH_MS = Date.UTC(2000, 0, 1)
/** Ledgers that closed before the service's first one. */
export const PAST_LEDGERS = 6
const OLDEST_LEDGER = LOWEST_FIRST_LEDGER
export const FIRST_LEDGER = OLDEST_LEDGER + PAST_LEDGERS
/** The newest of them is old enough for every server to have it. */
const PAST_ENDED_MS = 4_000
const TRANSACTIONS = 3
const SERVERS = ["one", "two", "three"]
const POLL_MS = 500
const PAST_MS = 1_000

export interface TimedLedger {
  readonly closed: ClosedLedger
  readonly closedMs: number
}

/**
 * `PAST_LEDGERS` and `count` ledgers. The first of the `count` closes at `beganMs`, and each other one to two seconds
 * later, so that little time is idle.
 */
export const makeLedgers = (seed: number, chance: SeededRandom, beganMs: number, count: number) => {
  const oldestMs = beganMs - PAST_ENDED_MS - (PAST_LEDGERS - 1) * PAST_MS
  const rippleTime = (ms: number) => Math.floor((ms - RIPPLE_EPOCH_MS) / 1_000)
  const chain = makeChain({
    seed,
    firstLedgerIndex: OLDEST_LEDGER,
    transactionsPerLedger: TRANSACTIONS,
    hashing: "digest",
    firstCloseTime: rippleTime(oldestMs)
  })
  const closedAt = (closedMs: number): TimedLedger => ({
    closed: chain.close(rippleTime(closedMs)),
    closedMs
  })
  const past: Array<TimedLedger> = [{ closed: chain.head(), closedMs: oldestMs }]
  while (past.length < PAST_LEDGERS) past.push(closedAt(past.at(-1)!.closedMs + PAST_MS))
  const own: Array<TimedLedger> = [closedAt(beganMs)]
  while (own.length < count) own.push(closedAt(own.at(-1)!.closedMs + chance.int(2, 4) * 500))
  return { past, own }
}

type Lie = (fetched: FetchedLedger) => FetchedLedger

const lies: ReadonlyArray<Lie> = [
  (one) => ({ ...one, validated: false }),
  (one) => ({ ...one, ledger: { ...one.ledger, transactions: one.ledger.transactions.slice(1) } }),
  (one) => ({ ...one, ledger: { ...one.ledger, parent_hash: "F".repeat(64) } }),
  (one) => ({ ...one, ledger: { ...one.ledger, ledger_index: one.ledger.ledger_index + 1 } }),
  (one) => ({ ...one, malformed: 1 })
]

export interface ServerFaults {
  /** How much of the servers' answers are wrong, from 0 to 1. */
  readonly lying: () => number
  /** Whether a server does not have a ledger that it should have. */
  readonly lacks: () => number
}

/** The servers as one process sees them, with consecutive ledgers. `nowMs`: the time of the servers. */
export const ledgerServers = (
  ledgers: ReadonlyArray<TimedLedger>,
  nowMs: () => number,
  chance: SeededRandom,
  faults: ServerFaults
): Layer.Layer<LedgerSource> =>
  Layer.effect(
    LedgerSource,
    Effect.gen(function* () {
      const announcements = makeAnnouncements()
      const behindMs = new Map(SERVERS.map((server) => [server, chance.int(0, 4) * 500]))
      const has = (server: string, { closedMs }: TimedLedger) => closedMs + behindMs.get(server)! <= nowMs()
      const announced = new Map(SERVERS.map((server) => [server, -1]))

      const announce = Effect.gen(function* () {
        for (const server of SERVERS) {
          const newest = ledgers.findLastIndex((ledger) => has(server, ledger))
          if (newest === announced.get(server)) continue
          announced.set(server, newest)
          const { header, transactions } = ledgers[newest]!.closed
          yield* announcements.announce(server, {
            ledgerIndex: header.ledger_index,
            ledgerHash: header.ledger_hash,
            transactionCount: transactions.length
          })
        }
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(announce, Effect.sleep(POLL_MS))))

      const failure = (server: string, index: number) =>
        new LedgerSourceError({ server, reason: "not_found", detail: `no ledger ${index}` })

      return {
        simulated: false,
        awaitHead: announcements.await,
        awaitNews: announcements.awaitNews,
        announced: announcements.announced,
        anchor: () => Effect.void,
        fetch: Effect.fnUntraced(function* (index, accept) {
          let last = failure("none", index)
          for (const server of chance.shuffle(SERVERS)) {
            yield* Effect.sleep(chance.int(1, 20) * 25)
            const found = ledgers[index - ledgers[0]!.closed.header.ledger_index]
            if (found === undefined || !has(server, found) || chance.flip(faults.lacks())) {
              last = failure(server, index)
              continue
            }
            const honest = { server, validated: true, ledger: asLedger(found.closed), malformed: 0 }
            const fetched = chance.flip(faults.lying()) ? chance.pick(lies)(honest) : honest
            const fault = accept(fetched)
            if (fault === undefined) return fetched
            last = new LedgerSourceError({ server, ...fault })
          }
          return yield* last
        }),
        state: Effect.sync(() => ({
          server: SERVERS[0]!,
          lastError: undefined,
          head: announcements.newest()?.announcement,
          headAt: announcements.newest()?.at,
          servers: []
        }))
      }
    })
  )
