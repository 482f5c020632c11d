/** Records of transactions have everything that the server gave, in one form, and what cannot be one is withheld. */
import { randomBytes } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { makeChain } from "../../../../src/features/simulator/Chain.ts"
import type { JsonObject, Ledger } from "../../../../src/spine/event/Ledger.ts"
import { normaliseLedger } from "../../../../src/spine/event/NormaliseLedger.ts"
import {
  parseTransactionRecord,
  type TransactionRecord
} from "../../../../src/spine/event/TransactionRecord.ts"
import type { CheckedLedger } from "../../../../src/spine/ledger/ingest/LedgerRecords.ts"
import { recordedTransactions } from "../../../../src/spine/ledger/ingest/TransactionRecords.ts"
import { transactionOf } from "../../../../src/spine/ledger/servers/BinaryForm.ts"
import { validator } from "../../../schemas/support.ts"
import { chain } from "../../../support/ledger/chain.ts"
import { corpusFolder, corpusPresent } from "../../../support/ledger/corpusLedgers.ts"
import { binaryLedgerResult, ledgerResult } from "../../../support/ledger/ledgerAnswers.ts"

const isValid = validator("records/transaction.schema.json")

// The cast is safe: every ledger here has its header.
const recorded = (ledger: Ledger) => recordedTransactions("testnet", ledger as CheckedLedger)

const recordsOf = (ledger: Ledger): ReadonlyArray<TransactionRecord> => {
  const { records, withheld } = recorded(ledger)
  assert.deepStrictEqual(withheld, [])
  return records.map(({ hash, type, value }) => {
    const record = parseTransactionRecord(value)
    assert.isDefined(record, value)
    assert.isTrue(isValid(record), value)
    assert.deepStrictEqual([record?.hash, record?.tx_json["TransactionType"]], [hash, type])
    return record!
  })
}

/** The simulated ledger writes this field as old servers did, in capitals. */
const inSmallLetters = (record: object): unknown =>
  JSON.parse(
    JSON.stringify(record).replace(/"ExchangeRate":"[0-9A-F]+"/g, (field) =>
      field.replace(/"[0-9A-F]+"$/, (hex) => hex.toLowerCase())
    )
  )

const withoutAdded = (records: ReadonlyArray<TransactionRecord>) =>
  records.map(({ meta: { delivered_amount: _, ...meta }, ...record }) => inSmallLetters({ ...record, meta }))

/** A ledger of one transaction that has these fields, and this metadata. */
const one = (fields: object, meta: object = {}): Ledger => {
  const [raw] = chain(7, 7, { transactions: 1 })
  const [transaction] = raw!.transactions
  const metaData = { ...(transaction!["metaData"] as object), ...meta }
  return normaliseLedger({ ...raw, transactions: [{ ...transaction, ...fields, metaData }] })!.ledger
}

describe("records of transactions", () => {
  it("are the same from both versions of the API and from the bytes, but for what the API adds", () => {
    const simulated = makeChain({
      seed: 47,
      firstLedgerIndex: 1_000,
      transactionsPerLedger: 40,
      hashing: "binary",
      firstCloseTime: 800_000_000
    })
    let payments = 0
    for (let i = 0; i < 4; i++) {
      const closed = simulated.close(800_000_004 + 4 * i)
      const request = { transactions: true, expand: true }
      const [v1, v2] = ([1, 2] as const).map((version) =>
        recordsOf(normaliseLedger(ledgerResult(closed, { ...request, version }))!.ledger)
      )
      assert.deepStrictEqual(v1, v2)
      // The cast is safe: `binaryLedgerResult` returns this form.
      const { ledger } = binaryLedgerResult(closed) as unknown as {
        readonly ledger: { readonly transactions: ReadonlyArray<Readonly<Record<string, string>>> }
      }
      const transactions = ledger.transactions
        .map(({ meta_blob, tx_blob }) => transactionOf({ tx: tx_blob!, meta: meta_blob! }))
        .toSorted((a, b) => Number(a.meta["TransactionIndex"]) - Number(b.meta["TransactionIndex"]))
      const header = normaliseLedger(ledgerResult(closed, { ...request, version: 2 }))!.ledger
      assert.deepStrictEqual(withoutAdded(recordsOf({ ...header, transactions })), withoutAdded(v2!))
      for (const [position, record] of v2!.entries()) {
        assert.strictEqual(record.position, position)
        if (record.tx_json["TransactionType"] === "Payment") {
          payments++
          assert.property(record.tx_json, "DeliverMax")
          assert.notProperty(record.tx_json, "Amount")
        }
      }
    }
    assert.isAbove(payments, 10)
  })

  it.skipIf(!corpusPresent)(
    "have every field of every real transaction, and nothing else (wants the corpus)",
    () => {
      let seen = 0
      for (const file of globSync("ledgers/*.json", { cwd: corpusFolder })) {
        // The corpus's README describes this form.
        const raw = JSON.parse(readFileSync(resolve(corpusFolder, file), "utf8")) as {
          readonly transactions: ReadonlyArray<JsonObject>
        }
        const { ledger } = normaliseLedger(raw)!
        const header = {
          ledger_hash: ledger.ledger_hash ?? "0".repeat(64),
          parent_hash: ledger.parent_hash ?? "0".repeat(64),
          close_time: ledger.close_time ?? 800_000_000
        }
        const records = new Map(recordsOf({ ...ledger, ...header }).map((record) => [record.hash, record]))
        assert.strictEqual(records.size, raw.transactions.length, file)
        for (const { hash, metaData, ...fields } of raw.transactions) {
          const record = records.get(String(hash))!
          const isPayment = fields["TransactionType"] === "Payment"
          const { Amount, DeliverMax = Amount, ...others } = fields
          const expected = isPayment ? { ...others, DeliverMax } : fields
          assert.deepStrictEqual(record.tx_json, expected as JsonObject, file)
          // Numbers and texts to the last digit, as the server wrote them.
          assert.strictEqual(JSON.stringify(record.meta), JSON.stringify(metaData), file)
          seen++
        }
      }
      assert.strictEqual(seen, 1_325)
    }
  )

  it("pass on fields that this version does not know, and leave out what the API adds to a transaction", () => {
    const [record] = recordsOf(
      one(
        { NewField: { Inner: [1, "9007199254740993"] }, date: 7, ctid: "C0", ledger_index: 7, inLedger: 7 },
        { NewNodes: [{ x: null }], nftoken_id: "00" }
      )
    )
    assert.deepStrictEqual(record?.tx_json, {
      TransactionType: "AccountSet",
      Account: "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh",
      NewField: { Inner: [1, "9007199254740993"] }
    })
    assert.deepInclude(record?.meta, { NewNodes: [{ x: null }], nftoken_id: "00" })
  })

  it("are withheld if a number may have lost digits, and only then", () => {
    const parsed = (text: string) => one(JSON.parse(`{"NewNumber":${text}}`))
    for (const exact of ["9007199254740991", "-9007199254740991", "4294967295", "0.25", "1e3", "-1.5"])
      assert.deepStrictEqual(recorded(parsed(exact)).withheld, [], exact)
    for (const inexact of ["9007199254740993", "-18446744073709551615", "1e40", "0.12345678901234567891"])
      assert.match(
        recorded(parsed(inexact)).withheld[0]?.reason ?? "",
        /more digits than can be read/,
        inexact
      )
    assert.deepStrictEqual(recorded(one({ NewText: "a,9007199254740993:1.234567890123456789" })).withheld, [])
  })

  it("are withheld if Kafka could refuse them, but not if they are large and compress well", () => {
    const large = one({}, { AffectedNodes: Array.from({ length: 20_000 }, () => ({ ModifiedNode: {} })) })
    const nodes = Array.from({ length: 60_000 }, (_, i) => ({ ModifiedNode: { LedgerIndex: String(i) } }))
    assert.lengthOf(recordsOf(large), 1)
    assert.lengthOf(recordsOf(one({}, { AffectedNodes: nodes })), 1)
    const [noise] = recorded(one({ Blob: randomBytes(1_500_000).toString("hex") })).withheld
    assert.match(
      noise?.reason ?? "",
      /^its record has 1[0-9]{6} bytes when it is compressed; the limit is 1000000$/
    )
    assert.deepInclude(noise, { position: 0 })
    const [endless] = recorded(one({ Blob: "0".repeat(9_000_000) })).withheld
    assert.match(endless?.reason ?? "", /^its record has 9[0-9]{6} bytes; the limit is 8388608$/)
  })
})
