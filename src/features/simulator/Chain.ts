/**
 * The chain of simulated ledgers. Its options and the close times decide every ledger. Each header names its parent's
 * hash and is hashed as in rippled. With `hashing: "binary"` the transaction hashes and the root of the transaction
 * tree are computed as in rippled as well. `account_hash` is always made up. After a restart, a chain continues from
 * its last header, with new accounts.
 */
import type { EventType } from "../../spine/event/EventType.ts"
import type { JsonObject, Ledger } from "../../spine/event/Ledger.ts"
import { NO_TREE, treeRootOf } from "../../spine/ledger/servers/BinaryForm.ts"
import { loadXrpl } from "../../spine/ledger/servers/LoadXrpl.ts"
import { applyTransaction, type Hashing, type SimulatedTransaction } from "./ApplyTransaction.ts"
import { digestOf } from "./Keys.ts"
import { makeScenarioDeck } from "./ScenarioDeck.ts"
import { makeSeededRandom } from "./SeededRandom.ts"
import { makeWorld, TOTAL_DROPS } from "./World.ts"

export interface LedgerHeader {
  readonly account_hash: string
  readonly close_flags: number
  /** Seconds of ripple time. */
  readonly close_time: number
  readonly close_time_resolution: number
  readonly ledger_hash: string
  readonly ledger_index: number
  readonly parent_close_time: number
  readonly parent_hash: string
  /** Drops. */
  readonly total_coins: string
  readonly transaction_hash: string
}

export interface ClosedLedger {
  readonly header: LedgerHeader
  /** In execution order. */
  readonly transactions: ReadonlyArray<SimulatedTransaction>
}

/** The ledger that a chain continues from. */
export interface ParentLedger {
  readonly ledgerHash: string
  /** Ripple seconds. */
  readonly closeTime: number
}

export interface ChainOptions {
  /** A 32-bit number. The same seed, parent and close times give the same ledgers. */
  readonly seed: number
  /** This ledger has no transactions. */
  readonly firstLedgerIndex: number
  /** The ledger before the first. Default: a made-up one. */
  readonly parent?: ParentLedger | undefined
  readonly transactionsPerLedger: number
  readonly hashing: Hashing
  /** Ripple seconds; a time not after the parent's becomes one second after it. */
  readonly firstCloseTime: number
}

/** The first ledger of a new chain. */
export const FIRST_LEDGER_INDEX = 1_000_000
/** An account can be deleted only some ledgers after its sequence number, so a chain cannot begin at ledger 1. */
export const LOWEST_FIRST_LEDGER = 1_000
const CLOSE_TIME_RESOLUTION = 10

const withHash = (header: Omit<LedgerHeader, "ledger_hash">): LedgerHeader => ({
  ...header,
  // The parameter type requires a whole ledger, but the hash covers only the header's fields.
  ledger_hash: loadXrpl().hashes.hashLedgerHeader(header as never)
})

/** The codec takes any object with the ledger's field names; its parameter type lists only the types it knows. */
const bytesOf = (object: JsonObject): string => loadXrpl().encode(object as never)

const treeRoot = (transactions: ReadonlyArray<SimulatedTransaction>, hashing: Hashing): string =>
  hashing === "digest" && transactions.length > 0
    ? digestOf(transactions.map(({ hash }) => hash).join(""))
    : treeRootOf(transactions.map(({ meta, tx }) => ({ tx: bytesOf(tx), meta: bytesOf(meta) })))

const feesOf = (transactions: ReadonlyArray<SimulatedTransaction>): bigint =>
  transactions.reduce((sum, { tx }) => sum + BigInt(String(tx["Fee"])), 0n)

export interface Chain {
  /** The newest ledger. Older ones are not kept. */
  readonly head: () => ClosedLedger
  /** Makes the next ledger; a time not after the parent's close time becomes one second after it. */
  readonly close: (rippleTime: number) => ClosedLedger
}

export const makeChain = (options: ChainOptions): Chain => {
  const { firstLedgerIndex, hashing, transactionsPerLedger } = options
  if (firstLedgerIndex < LOWEST_FIRST_LEDGER)
    throw new Error(`firstLedgerIndex is ${firstLedgerIndex}: at least ${LOWEST_FIRST_LEDGER} is accepted.`)
  // Accounts, and with them all ids, derive from the chain's first ledger, so a restarted chain never repeats them.
  const origin =
    options.parent === undefined ? String(options.seed) : `${options.seed} ${options.parent.ledgerHash}`
  const before = options.parent ?? {
    ledgerHash: digestOf(`before ${origin}`),
    // Ledger time begins in 2000; a test's virtual clock may be before that.
    closeTime: Math.max(0, options.firstCloseTime - 1)
  }
  const firstCloseTime = Math.max(before.closeTime + 1, options.firstCloseTime)
  const world = makeWorld(makeSeededRandom(options.seed), origin, firstLedgerIndex, firstCloseTime)
  const deal = makeScenarioDeck()
  let head: ClosedLedger = {
    header: withHash({
      account_hash: digestOf(`state ${origin}`),
      close_flags: 0,
      close_time: firstCloseTime,
      close_time_resolution: CLOSE_TIME_RESOLUTION,
      ledger_index: firstLedgerIndex,
      parent_close_time: before.closeTime,
      parent_hash: before.ledgerHash,
      total_coins: TOTAL_DROPS.toString(),
      transaction_hash: NO_TREE
    }),
    transactions: []
  }

  const close = (rippleTime: number): ClosedLedger => {
    const parent = head.header
    world.ledgerIndex = parent.ledger_index + 1
    world.parentCloseTime = parent.close_time
    const transactions: Array<SimulatedTransaction> = []
    for (let index = 0; index < transactionsPerLedger; index++)
      transactions.push(applyTransaction(world, deal(world), index, hashing))
    const transactionHash = treeRoot(transactions, hashing)
    head = {
      header: withHash({
        account_hash: digestOf(parent.account_hash + transactionHash),
        close_flags: 0,
        close_time: Math.max(parent.close_time + 1, rippleTime),
        close_time_resolution: CLOSE_TIME_RESOLUTION,
        ledger_index: world.ledgerIndex,
        parent_close_time: parent.close_time,
        parent_hash: parent.ledger_hash,
        total_coins: (BigInt(parent.total_coins) - feesOf(transactions)).toString(),
        transaction_hash: transactionHash
      }),
      transactions
    }
    return head
  }

  return {
    head: () => head,
    close
  }
}

/** In the shape that detection works on. */
export const asLedger = ({ header, transactions }: ClosedLedger): Ledger => ({
  ledger_index: header.ledger_index,
  ledger_hash: header.ledger_hash,
  parent_hash: header.parent_hash,
  close_time: header.close_time,
  parent_close_time: header.parent_close_time,
  transactions: transactions.map(({ hash, meta, tx }) => ({ hash, meta, tx }))
})

/**
 * The ids of the events that a ledger must cause. They come from the scenarios alone, so tests can compare them with
 * deliveries without using detection.
 */
export const expectedEventIds = ({ header, transactions }: ClosedLedger): ReadonlyArray<string> =>
  transactions.flatMap(({ expected, hash }) => {
    const counts = new Map<EventType, number>()
    for (const type of expected) counts.set(type, (counts.get(type) ?? 0) + 1)
    return [...counts].flatMap(([type, count]) => {
      const id = `xrpl:${header.ledger_index}:${hash}:${type}`
      return count === 1 ? [id] : Array.from({ length: count }, (_, n) => `${id}:${n}`)
    })
  })
