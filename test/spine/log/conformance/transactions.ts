/**
 * What every adapter of `Log` keeps of RAW_TRANSACTIONS: with ledgers that arrive while transactions of the log fail
 * and ingest is interrupted, each transaction is in its topic once, in ledger order, where the ledger's marker says.
 */
import { randomBytes } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { type LedgerMarker, ledgersTopic } from "../../../../src/spine/event/LedgerEvent.ts"
import { normaliseLedger } from "../../../../src/spine/event/NormaliseLedger.ts"
import { parseTransactionRecord, transactionsTopic } from "../../../../src/spine/event/TransactionRecord.ts"
import { type IngestOptions, ingest } from "../../../../src/spine/ledger/ingest/Ingest.ts"
import { Log, type LogRecord } from "../../../../src/spine/log/Log.ts"
import { Health } from "../../../../src/spine/observe/Health.ts"
import { waitUntil } from "../../../support/http/apiClient.ts"
import { chain, type RawLedger } from "../../../support/ledger/chain.ts"
import { corpusPresent, corpusRuns } from "../../../support/ledger/corpusLedgers.ts"
import { oneEventEach } from "../../../support/ledger/ingesting.ts"
import { scriptedSource } from "../../../support/ledger/scriptedSource.ts"
import { type Fault, faultyLog } from "../../../support/log/faultyLog.ts"

const NETWORK = "testnet"

const readAll = Effect.fnUntraced(function* (topic: string) {
  const log = yield* Log
  const found: Array<LogRecord> = []
  for (let offset = 0; ; offset = found.at(-1)!.offset + 1) {
    const records = yield* log.read({ topic, partition: 0, offset }, 500)
    if (records.length === 0) return found
    found.push(...records)
  }
})

/** Also with real ledgers, where the corpus is. */
const ledgersToTake = (): ReadonlyArray<RawLedger> => {
  const real = corpusPresent
    ? corpusRuns(0).toSorted((a, b) => b.ledgers.length - a.ledgers.length)[0]
    : undefined
  return real?.ledgers ?? chain(101, 110, { transactions: 9 })
}

const takeAll = Effect.fnUntraced(function* (
  ledgers: ReadonlyArray<RawLedger>,
  faults: ReadonlyArray<Fault>,
  rawTransactions = true,
  onWithheld: NonNullable<IngestOptions["onWithheld"]> = () => Effect.void
) {
  const log = yield* Log
  const partition = { topic: ledgersTopic(NETWORK), partition: 0 }
  for (const { ledger_index: index } of ledgers) {
    const source = scriptedSource()
    source.serve(ledgers)
    const life = yield* ingest({
      network: NETWORK,
      start: ledgers[0]!.ledger_index,
      detect: oneEventEach,
      rawTransactions,
      onWithheld
    }).pipe(
      Effect.provide(Layer.merge(source.layer, Health.layer)),
      Effect.provide(faultyLog([...faults])),
      Effect.forkScoped
    )
    yield* source.announce(index)
    yield* waitUntil(
      Effect.map(log.last(partition), (record) => Number(record?.headers["ledger-index"]) >= index),
      "60 seconds"
    )
    yield* Fiber.interrupt(life)
  }
})

/** The transactions of each recorded ledger, found as a reader finds them: by its marker. */
const byMarkers = Effect.gen(function* () {
  const records = yield* readAll(transactionsTopic(NETWORK))
  const found: Array<readonly [number, ReadonlyArray<LogRecord>]> = []
  for (const { value } of yield* readAll(ledgersTopic(NETWORK))) {
    // Ingest wrote this form.
    const marker = JSON.parse(value!) as LedgerMarker
    const { first_transaction_offset: first, ledger_index, transaction_record_count: count } = marker
    if (count === undefined) continue
    const from = records.findIndex(({ offset }) => offset === first)
    assert.strictEqual(from === -1, count === 0)
    found.push([ledger_index, records.slice(from, from + count)])
  }
  assert.deepStrictEqual(
    found.flatMap(([, own]) => own),
    records,
    "each record belongs to one marker"
  )
  return found
})

const inOrder = (raw: RawLedger) => normaliseLedger(raw)!.ledger.transactions

export const suite = (subject: Effect.Effect<Layer.Layer<Log, unknown>, unknown, Scope.Scope>): void => {
  const test = (promise: string, body: Effect.Effect<void, unknown, Log | Scope.Scope>) =>
    it.live(promise, () =>
      Effect.gen(function* () {
        // One log for all that the test starts.
        const log = yield* Layer.build(yield* subject)
        yield* Effect.provide(body, log)
      }).pipe(Effect.scoped, Effect.orDie)
    )

  test(
    "has each transaction once and in order, although appends fail or their outcome is unknown",
    Effect.gen(function* () {
      const ledgers = ledgersToTake()
      yield* takeAll(ledgers, ["before", "after", "before"])
      const found = yield* byMarkers
      assert.deepStrictEqual(
        found.map(([index]) => index),
        ledgers.map(({ ledger_index }) => ledger_index)
      )
      for (const [i, [index, records]] of found.entries()) {
        const transactions = inOrder(ledgers[i]!)
        assert.deepStrictEqual(
          records.map(({ value }) => JSON.stringify(parseTransactionRecord(value)?.meta)),
          transactions.map(({ meta }) => JSON.stringify(meta))
        )
        for (const [place, { headers, key, value }] of records.entries()) {
          const { hash, tx } = transactions[place]!
          assert.strictEqual(key, NETWORK)
          assert.deepInclude(headers, {
            "transaction-hash": hash,
            "transaction-type": String(tx["TransactionType"]),
            "ledger-index": String(index),
            "content-type": "application/json"
          })
          assert.deepInclude(parseTransactionRecord(value), { hash, position: place, ledger_index: index })
        }
      }
    })
  )

  test(
    "says by the markers from which ledger on transactions are recorded, and up to which",
    Effect.gen(function* () {
      const ledgers = chain(101, 106, { transactions: 2 })
      yield* takeAll(ledgers.slice(0, 2), [], false)
      yield* takeAll(ledgers.slice(0, 4), [], true)
      yield* takeAll(ledgers, [], false)
      assert.deepStrictEqual(
        (yield* byMarkers).map(([index, records]) => [index, records.length]),
        [
          [103, 2],
          [104, 2]
        ]
      )
    })
  )

  test(
    "continues after a transaction that is too large for a record, and the marker counts it without one",
    Effect.gen(function* () {
      const ledgers = chain(101, 103, { transactions: 3 })
      const [first, second, third] = ledgers
      const large = second!.transactions.map((one, i) =>
        i === 1 ? { ...one, Blob: randomBytes(1_500_000).toString("hex") } : one
      )
      const reported: Array<string> = []
      yield* takeAll([first!, { ...second!, transactions: large }, third!], [], true, (ledger, withheld) =>
        Effect.sync(() =>
          reported.push(...withheld.map(({ hash, position }) => `${ledger} ${position} ${hash}`))
        )
      )
      assert.deepStrictEqual(reported, [`102 1 ${large[1]!.hash}`])
      assert.deepStrictEqual(
        (yield* byMarkers).map(([index, records]) => [
          index,
          records.map(({ value }) => parseTransactionRecord(value)?.position)
        ]),
        [
          [101, [0, 1, 2]],
          [102, [0, 2]],
          [103, [0, 1, 2]]
        ]
      )
    })
  )
}
