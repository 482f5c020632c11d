/**
 * Compares the events of every real ledger and transaction of the corpus with the expected ones, byte for byte once
 * keys are sorted. Those are of version 1 of the rules: fields that came later are compared with the transaction
 * instead. Needs ../shared/xrpl-corpus beside the project; without it these tests are skipped.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import type { Json, Ledger } from "../../../src/spine/event/Ledger.ts"
import { ledgerOfTransaction, normaliseLedger } from "../../../src/spine/event/NormaliseLedger.ts"
import { corpusFolder, corpusPresent } from "../../support/ledger/corpusLedgers.ts"
import { asVersion1, laterCounts } from "../../support/ledger/rulesVersion1.ts"
import { sortedJson } from "./support.ts"

const files: ReadonlyArray<string> = corpusPresent
  ? globSync(["ledgers/*.json", "transactions/*/*.json"], { cwd: corpusFolder }).sort()
  : []
const expected: ReadonlyArray<string> = corpusPresent
  ? readFileSync(join(corpusFolder, "expected/events.jsonl"), "utf8").trimEnd().split("\n")
  : []
const expectedByFile = Map.groupBy(expected, (line): string => JSON.parse(line).file)

const ledgerOf = (file: string): Ledger => {
  const raw: unknown = JSON.parse(readFileSync(join(corpusFolder, file), "utf8"))
  const normalised = normaliseLedger(raw)
  const ledger = normalised?.ledger ?? ledgerOfTransaction(raw)
  if (ledger === undefined) throw new Error(`${file} holds neither a ledger nor a transaction`)
  assert.strictEqual(normalised?.malformed ?? 0, 0, file)
  return ledger
}

const linesOf = (file: string, ledger: Ledger): ReadonlyArray<string> =>
  detectLedger(ledger).events.map((event) => {
    const transaction = ledger.transactions.find(({ hash }) => hash === event.payload["tx_hash"])
    const { balance_changes, memos, memos_truncated, ...former } = asVersion1(event, transaction!)
    return sortedJson({ ...former, file })
  })

/** Orders the transactions of all files: by ledger, execution order and hash. */
const placeOf = (ledger_index: number, transactionIndex: Json | undefined, hash: string): string =>
  `${String(ledger_index).padStart(12, "0")} ${String(transactionIndex).padStart(6, "0")} ${hash}`

describe.skipIf(!corpusPresent)("real data (skipped without ../shared/xrpl-corpus)", () => {
  it("covers every file", () => {
    assert.strictEqual(files.length, 42 + 233)
    for (const file of expectedByFile.keys()) assert.include(files, file)
  })

  it.each(files)("gives the expected events in order, and no alert: %s", (file) => {
    const ledger = ledgerOf(file)
    assert.deepStrictEqual(
      linesOf(file, ledger),
      expectedByFile.get(file) ?? [],
      "what is found differs from the corpus's expected/events.jsonl: if it is right, enter it there"
    )
    assert.deepStrictEqual(detectLedger(ledger).alerts, [])
  })

  it("gives all events of all files in the global order", () => {
    const found = files.flatMap((file) => {
      const { transactions, ...header } = ledgerOf(file)
      return transactions.map((transaction) => ({
        place: placeOf(header.ledger_index, transaction.meta["TransactionIndex"], transaction.hash),
        lines: linesOf(file, { ...header, transactions: [transaction] })
      }))
    })
    for (const name of ["source_tag", "invoice_id", "delivered_amount", "delegate", "parent_batch_id"])
      assert.isAbove(laterCounts[name] ?? 0, 0, name)
    found.sort((a, b) => (a.place < b.place ? -1 : 1))
    assert.deepStrictEqual(
      found.flatMap(({ lines }) => lines),
      expected
    )
  })

  it("gives the same bytes from shuffled transactions and nodes", () => {
    for (const file of files) {
      const ledger = ledgerOf(file)
      const transactions = ledger.transactions.toReversed().map(({ hash, tx, meta }) => ({
        hash,
        tx,
        // Every transaction of the corpus has this list.
        meta: { ...meta, AffectedNodes: (meta["AffectedNodes"] as ReadonlyArray<Json>).toReversed() }
      }))
      const [straight, shuffled] = [ledger, { ...ledger, transactions }].map((one) => detectLedger(one))
      assert.strictEqual(JSON.stringify(shuffled), JSON.stringify(straight), file)
    }
  })

  it("gives the same bytes in the form of API version 2", () => {
    for (const file of files) {
      const ledger = ledgerOf(file)
      const transactions = ledger.transactions.map(({ hash, tx, meta }) => {
        const { hash: _, metaData: __, Amount, ...fields } = tx
        const isPayment = tx["TransactionType"] === "Payment" && Amount !== undefined
        return { tx_json: isPayment ? { ...fields, DeliverMax: Amount } : tx, hash, meta }
      })
      const v2 = normaliseLedger({ result: { ledger: { ...ledger, transactions }, validated: true } })
      assert.isDefined(v2)
      assert.strictEqual(JSON.stringify(detectLedger(v2.ledger)), JSON.stringify(detectLedger(ledger)), file)
    }
  })
})
