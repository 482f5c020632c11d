/** Recorded transactions for tests: in the log as ingest writes them, and in the index as the stage `events` does. */
import { Clock, Effect } from "effect"
import { TransactionIndex } from "../../../src/features/events/TransactionIndex.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import { normaliseLedger } from "../../../src/spine/event/NormaliseLedger.ts"
import { transactionsTopic } from "../../../src/spine/event/TransactionRecord.ts"
import { type CheckedLedger, ledgerBatch } from "../../../src/spine/ledger/ingest/LedgerRecords.ts"
import { recordedTransactions } from "../../../src/spine/ledger/ingest/TransactionRecords.ts"
import { Log } from "../../../src/spine/log/Log.ts"
import { chain, type RawLedger } from "../../support/ledger/chain.ts"

/** The records of these ledgers, as ingest appends them. */
export const batchOf = (network: Network, ledgers: ReadonlyArray<RawLedger>, nowMs: number) =>
  ledgerBatch(
    { network, simulated: false },
    ledgers.map((raw) => {
      // Every ledger of a test has its header.
      const ledger = normaliseLedger(raw)!.ledger as CheckedLedger
      const transactions = recordedTransactions(network, ledger).records
      return { ledger, detection: { events: [], alerts: [] }, transactions }
    }),
    undefined,
    nowMs
  ).transaction

/** Appends the ledgers; returns the records of their transactions with their offsets. */
export const appendTransactions = Effect.fnUntraced(function* (
  network: Network,
  ledgers: ReadonlyArray<RawLedger>
) {
  const log = yield* Log
  const { append, appendThen } = batchOf(network, ledgers, yield* Clock.currentTimeMillis)
  const positions = yield* log.transaction({ append, ...(appendThen && { appendThen }) })
  return append.map((record, i) => ({ ...record, offset: positions[i]!.offset }))
})

let ledgerIndex = 80_000_000

/** One transaction in the log and the index; returns its hash. */
export const recordTransaction = Effect.fnUntraced(function* (network: Network) {
  const index = yield* TransactionIndex
  const next = ledgerIndex++
  const [record] = yield* appendTransactions(network, chain(next, next, { transactions: 1, name: network }))
  const nowMs = yield* Clock.currentTimeMillis
  const hash = record!.headers!["transaction-hash"]!
  yield* index.insert([{ network, hash, offset: record!.offset, writtenAt: nowMs }], nowMs)
  return hash
})

export const transactionsOf = (network: Network) => ({ topic: transactionsTopic(network), partition: 0 })
