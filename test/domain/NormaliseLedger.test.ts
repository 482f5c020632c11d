/** Every input form of a ledger or transaction is normalised to the same one (docs/detection-rules.md 1.7). */
import { assert, describe, it } from "@effect/vitest"
import {
  inExecutionOrder,
  ledgerOfTransaction,
  normaliseLedger,
  normaliseTransaction
} from "../../src/domain/NormaliseLedger.ts"

const hash = "AB".repeat(32)
const tx = { TransactionType: "Payment", Account: "r1", Amount: "1" }
const meta = { TransactionResult: "tesSUCCESS", TransactionIndex: 0, AffectedNodes: [] }

describe("a transaction", () => {
  it("is found in every shape the API gives it", () => {
    for (const [shape, raw] of Object.entries({
      "ledger v1": { ...tx, hash, metaData: meta },
      "ledger v2": { tx_json: tx, hash, meta },
      "stream v1": { transaction: { ...tx, hash }, meta, validated: true },
      "stream v2": { tx_json: tx, hash, meta, validated: true },
      "tx v1": { ...tx, hash, meta },
      "tx v2, whole answer": { result: { tx_json: tx, hash, meta }, status: "success" },
      "account_tx v1": { tx: { ...tx, hash }, meta },
      "account_tx v2": { tx_json: tx, hash: hash.toLowerCase(), meta }
    })) {
      const found = normaliseTransaction(raw)
      assert.isDefined(found, shape)
      assert.strictEqual(found.hash, hash, shape)
      assert.strictEqual(found.tx["Account"], "r1", shape)
      assert.strictEqual(found.meta, meta, shape)
    }
  })

  it("is undefined without fields, hash or metadata in JSON form", () => {
    for (const raw of [
      undefined,
      null,
      "tx",
      [],
      {},
      hash,
      { tx_json: tx, meta },
      { tx_json: tx, hash: "AB", meta },
      { tx_json: tx, hash },
      { tx_json: tx, hash, meta: "0A" },
      { tx_json: {}, hash, meta },
      { tx_blob: "00", hash, meta_blob: "00" }
    ])
      assert.isUndefined(normaliseTransaction(raw))
  })

  it("recorded alone becomes a ledger without a header", () => {
    const alone = ledgerOfTransaction({ tx_json: tx, hash, meta })
    assert.deepStrictEqual(alone, {
      ledger_index: 0,
      ledger_hash: undefined,
      parent_hash: undefined,
      close_time: undefined,
      parent_close_time: undefined,
      transactions: [{ hash, tx, meta }]
    })
    const known = ledgerOfTransaction({
      tx_json: { ...tx, date: 5 },
      hash,
      meta,
      ledger_index: 8,
      date: "2000-01-01"
    })
    assert.deepInclude(known, { ledger_index: 8, close_time: 5 })
    assert.isUndefined(ledgerOfTransaction({ tx_json: tx }))
  })
})

describe("a ledger", () => {
  const entry = (index: number) => ({
    tx_json: tx,
    hash: String(9 - index).repeat(64),
    meta: { ...meta, TransactionIndex: index }
  })
  const header = { ledger_hash: hash, parent_hash: hash, close_time: 10, parent_close_time: 9 }

  it("is found alone, in its result and in the whole response, with any form of its index", () => {
    const transactions = [entry(0)]
    const expected = {
      ledger: {
        ledger_index: 7,
        ledger_hash: hash,
        parent_hash: hash,
        close_time: 10,
        parent_close_time: 9,
        transactions: [{ tx, hash: "9".repeat(64), meta }]
      },
      malformed: 0,
      transactionHash: undefined,
      invalid: undefined,
      notFinal: undefined
    }
    const { ledger_hash, ...rest } = header
    for (const raw of [
      { ...header, ledger_index: 7, transactions },
      { ...header, ledger_index: "7", transactions },
      { ledger: { ...header, ledger_index: "7", transactions }, validated: true },
      { result: { ledger: { ...rest, transactions }, ledger_hash, ledger_index: 7 } }
    ])
      assert.deepStrictEqual(normaliseLedger(raw), expected)
  })

  it("comes in execution order", () => {
    const found = normaliseLedger({ ledger_index: 7, transactions: [entry(2), entry(0), entry(1)] })
    assert.deepStrictEqual(
      found?.ledger.transactions.map(({ meta }) => meta["TransactionIndex"]),
      [0, 1, 2]
    )
  })

  it("counts transactions that it could not read", () => {
    const found = normaliseLedger({ ledger_index: 7, transactions: [entry(0), hash, {}, null] })
    assert.strictEqual(found?.malformed, 3)
    assert.strictEqual(found?.ledger.transactions.length, 1)
  })

  it("is undefined without a list of transactions or an index", () => {
    for (const raw of [
      null,
      [],
      {},
      { ledger_index: 7 },
      { transactions: [] },
      { ledger_index: "x", transactions: [] }
    ])
      assert.isUndefined(normaliseLedger(raw))
    assert.isDefined(normaliseLedger({ ledger_index: 7, transactions: [] }))
  })

  it("transactions without an index come last, by hash", () => {
    const of = (digit: string, index?: number) => ({
      hash: digit.repeat(64),
      tx,
      meta: index === undefined ? {} : { TransactionIndex: index }
    })
    assert.deepStrictEqual(
      inExecutionOrder([of("C"), of("B"), of("D", 3)]).map(({ hash }) => hash[0]),
      ["D", "B", "C"]
    )
  })
})
