/** XRPL_VERIFY=full: a ledger is taken only if its bytes have its hash and its JSON encodes to these bytes. */
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { encode } from "xrpl"
import { detectLedger } from "../../src/detect/Detect.ts"
import type { JsonObject } from "../../src/domain/Ledger.ts"
import type { FetchedLedger } from "../../src/ledger/LedgerSource.ts"
import { layer } from "../../src/ledger/RippledSource.ts"
import { ledgerOf } from "../../src/ledger/ServerMessages.ts"
import { ingest } from "../../src/ledger/Stage.ts"
import { verifyLedger } from "../../src/ledger/Verify.ts"
import { type ClosedLedger, makeChain } from "../../src/simulator/Chain.ts"
import { corpusFolder, corpusPresent } from "../support/corpusLedgers.ts"
import { eventually, eventuallyAdvancing, markers, memoryLayer, oneEventEach } from "../support/ingesting.ts"
import { binaryLedgerResult, ledgerResult } from "../support/ledgerAnswers.ts"
import { makeSimulatedLedger } from "../support/simulatedLedger.ts"
import { orders } from "../support/unlistable.ts"

const simulated = (ledgers: number): ReadonlyArray<ClosedLedger> => {
  const chain = makeChain({
    seed: 5,
    firstLedgerIndex: 1_000,
    transactionsPerLedger: 20,
    hashing: "binary",
    firstCloseTime: 800_000_000
  })
  return [chain.head(), ...Array.from({ length: ledgers }, () => chain.close(0))]
}

const fetched = (ledger: ClosedLedger, version: 1 | 2 = 2): FetchedLedger =>
  ledgerOf("test", { result: ledgerResult(ledger, { version, transactions: true, expand: true }) })!

const binary = (ledger: ClosedLedger) => ({ result: binaryLedgerResult(ledger) })

interface Binary {
  readonly ledger: { readonly ledger_data: string; readonly transactions: ReadonlyArray<JsonObject> }
}

/** The binary answer with its ledger edited. */
const edited = (ledger: ClosedLedger, edit: (binary: Binary["ledger"]) => object) => {
  // The cast is safe: `binaryLedgerResult` returns this form.
  const result = binaryLedgerResult(ledger) as unknown as Binary
  return { result: { ...result, ledger: { ...result.ledger, ...edit(result.ledger) } } }
}

/** The fault found; undefined if the ledger is verified. */
const faultOf = (ledger: FetchedLedger, answer: unknown) =>
  Result.getOrUndefined(Result.flip(verifyLedger(ledger, answer)))

const [empty, ...full] = simulated(8)
const one = full.at(-1)!

describe("a ledger is verified", () => {
  it("if its bytes have its hashes, in both API versions, also if it is empty", () => {
    assert.isUndefined(faultOf(fetched(empty!), binary(empty!)))
    for (const ledger of full)
      for (const version of [1, 2] as const)
        assert.isUndefined(faultOf(fetched(ledger, version), binary(ledger)))
  })

  it("not when a transaction is missing, in either form", () => {
    const short = edited(one, ({ transactions }) => ({ transactions: transactions.slice(1) }))
    assert.include(faultOf(fetched(one), short)?.detail, "root")
    const { ledger, ...rest } = fetched(one)
    const last = { ...rest, ledger: { ...ledger, transactions: ledger.transactions.slice(0, -1) } }
    assert.include(faultOf(last, binary(one))?.detail, "20 transactions, but its JSON lists 19")
  })

  it("not when the header or the bytes differ", () => {
    const header = edited(one, ({ ledger_data }) => ({ ledger_data: ledger_data.replace(/.$/, "F") }))
    assert.include(faultOf(fetched(one), header)?.detail, "header")
    assert.isDefined(faultOf(fetched(one), binary(full[0]!)))
    const huge = { result: { ledger: { ledger_data: "00".repeat(10_000_000), transactions: [] } } }
    for (const nothing of [
      undefined,
      {},
      { result: {} },
      { result: { ledger: { ledger_data: "00" } } },
      huge
    ])
      assert.strictEqual(faultOf(fetched(one), nothing)?.reason, "not_proven")
  })

  it("not when the JSON says something else than the bytes: in the transaction, its metadata, or the header", () => {
    const { ledger, ...rest } = fetched(one)
    const withFirst = (change: (first: (typeof ledger.transactions)[number]) => object) => ({
      ...rest,
      ledger: {
        ...ledger,
        transactions: ledger.transactions.map((tx, i) => (i === 0 ? { ...tx, ...change(tx) } : tx))
      }
    })
    const others = [
      withFirst(({ tx }) => ({ tx: { ...tx, Fee: "9999" } })),
      withFirst(({ meta }) => ({ meta: { ...meta, TransactionResult: "tecPATH_DRY" } })),
      withFirst(({ meta }) => ({ meta: { ...meta, AffectedNodes: [] } })),
      withFirst(({ tx }) => ({ tx: { ...tx, TransactionType: "NeverHeardOf" } })),
      { ...rest, ledger: { ...ledger, close_time: ledger.close_time! + 1 } }
    ]
    for (const other of others) assert.strictEqual(faultOf(other, binary(one))?.reason, "not_proven")
  })

  it("and contains what the bytes contain, whatever the server added to the JSON", () => {
    const { ledger, ...rest } = fetched(one)
    const forged = ledger.transactions.map((transaction) => ({
      ...transaction,
      meta: { ...transaction.meta, delivered_amount: "1" }
    }))
    const proven = Result.getOrThrow(
      verifyLedger({ ...rest, ledger: { ...ledger, transactions: forged } }, binary(one))
    )
    assert.strictEqual(JSON.stringify(detectLedger(proven.ledger)), JSON.stringify(detectLedger(ledger)))
    assert.isUndefined(proven.ledger.transactions.find(({ meta }) => meta["delivered_amount"] !== undefined))
  })
})

describe.skipIf(!corpusPresent)("real ledgers (skipped without ../shared/xrpl-corpus)", () => {
  // Recorded whole and with their headers, of different years and protocols.
  const files = [
    "rippled-historical-database-11119607",
    "rippled-historical-database-22027923",
    "rippled-historical-database-29709909",
    "explorer-45136164"
  ]
  it.each(files)("are proven by their own hashes: %s", (file) => {
    // The corpus's README describes this form.
    const recorded = JSON.parse(readFileSync(resolve(corpusFolder, `ledgers/${file}.json`), "utf8"))
    const answer = binaryOfRecorded(recorded)
    assert.isUndefined(faultOf(ledgerOf("test", { result: { ledger: recorded } })!, answer))
  })
})

/** The binary answer for the ledger. */
const binaryOfRecorded = (recorded: {
  readonly transactions: ReadonlyArray<{ readonly metaData: object }>
  readonly [field: string]: unknown
}) => {
  const { transactions, ...header } = recorded
  const number = (field: string, bytes: number) =>
    BigInt(String(header[field]))
      .toString(16)
      .toUpperCase()
      .padStart(2 * bytes, "0")
  return {
    result: {
      ledger: {
        ledger_data: [
          number("ledger_index", 4),
          number("total_coins", 8),
          header["parent_hash"],
          header["transaction_hash"],
          header["account_hash"],
          number("parent_close_time", 4),
          number("close_time", 4),
          number("close_time_resolution", 1),
          number("close_flags", 1)
        ].join(""),
        transactions: transactions.map(({ metaData, ...tx }) => ({
          tx_blob: encode(tx as never),
          meta_blob: encode(metaData as never)
        }))
      }
    }
  }
}

describe("ingest with XRPL_VERIFY=full", () => {
  it.effect(
    "takes what is proven, and waits rather than take a ledger that has lost its last transaction",
    () =>
      Effect.gen(function* () {
        let spoiled = 2
        const simulation = yield* makeSimulatedLedger({
          seed: 1,
          networkId: 0,
          transactionsPerLedger: 10,
          firstLedgerIndex: 1_000,
          interfere: (name, answer, { binary }) => {
            if (name !== "ledger 1002" || binary !== false || spoiled-- <= 0) return answer
            // The cast is safe: this server answers `ledger` in this form.
            const { ledger, ...result } = answer.result as unknown as {
              readonly ledger: { readonly transactions: ReadonlyArray<{ readonly meta: JsonObject }> }
            }
            const transactions = ledger.transactions.filter(({ meta }) => meta["TransactionIndex"] !== 9)
            return { result: { ...result, ledger: { ...ledger, transactions } } }
          }
        })
        for (let i = 0; i < 5; i++) yield* simulation.close
        yield* Effect.forkScoped(
          ingest({ network: "mainnet", start: 1_000, detect: oneEventEach }).pipe(
            Effect.provide(layer({ network: "mainnet", urls: [simulation.url], verify: "full" }))
          )
        )
        yield* eventuallyAdvancing(Effect.map(markers, ({ length }) => length === 6))
        assert.deepStrictEqual(
          (yield* markers).map(({ transaction_count }) => transaction_count),
          [0, 10, 10, 10, 10, 10]
        )
        yield* eventually(Effect.sync(() => spoiled <= 0))
      }).pipe(Effect.provide(memoryLayer()))
  )

  it.effect(
    "skips by order a ledger whose bytes no server has; the next one, which is proven, names its hash",
    () =>
      Effect.gen(function* () {
        const simulation = yield* makeSimulatedLedger({
          seed: 1,
          networkId: 0,
          transactionsPerLedger: 10,
          firstLedgerIndex: 1_000,
          interfere: (name, answer, { binary }) =>
            name === "ledger 1002" && binary === true ? { error: "internal" } : answer
        })
        for (let i = 0; i < 5; i++) yield* simulation.close
        const { noted, skips } = orders(new Map([[1_002, "no server has its bytes"]]))
        yield* Effect.forkScoped(
          ingest({ network: "mainnet", start: 1_000, detect: oneEventEach, skips }).pipe(
            Effect.provide(layer({ network: "mainnet", urls: [simulation.url], verify: "full" }))
          )
        )
        yield* eventuallyAdvancing(Effect.map(markers, ({ length }) => length === 6))
        const all = yield* markers
        assert.deepStrictEqual(
          all.map(({ skipped, transaction_count }) => skipped ?? transaction_count),
          [0, 10, "no server has its bytes", 10, 10, 10]
        )
        assert.strictEqual(all[3]?.parent_hash, all[2]?.ledger_hash)
        assert.deepStrictEqual(noted, [1_002])
      }).pipe(Effect.provide(memoryLayer()))
  )
})
