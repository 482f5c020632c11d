/** Checks the metadata by a copy of the ledger that is built from metadata alone. */
import { assert, describe, it } from "@effect/vitest"
import { decode, encode } from "xrpl"
import type { SimulatedTransaction } from "../../../src/features/simulator/ApplyTransaction.ts"
import { makeChain } from "../../../src/features/simulator/Chain.ts"
import type { Json, JsonObject } from "../../../src/spine/event/Ledger.ts"

interface Node {
  readonly kind: "CreatedNode" | "ModifiedNode" | "DeletedNode"
  readonly LedgerEntryType: string
  readonly LedgerIndex: string
  readonly NewFields?: JsonObject
  readonly FinalFields?: JsonObject
  readonly PreviousFields?: JsonObject
  readonly PreviousTxnID?: string
}

const nodesOf = (transaction: SimulatedTransaction): ReadonlyArray<Node> =>
  (transaction.meta["AffectedNodes"] as ReadonlyArray<JsonObject>).map((entry) => {
    const [kind, node] = Object.entries(entry)[0]!
    return { kind, ...(node as object) } as Node
  })

const forEachTransaction = (
  ledgers: number,
  visit: (transaction: SimulatedTransaction, ledgerIndex: number) => void
): void => {
  for (const seed of [1, 2, 3]) {
    const chain = makeChain({
      seed,
      firstLedgerIndex: 1_000_000,
      firstCloseTime: 800_000_000,
      transactionsPerLedger: 20,
      hashing: "digest"
    })
    for (let n = 0; n < ledgers; n++) {
      const { header, transactions } = chain.close(0)
      for (const transaction of transactions) visit(transaction, header.ledger_index)
    }
  }
}

const drops = (value: Json | undefined): bigint => (typeof value === "string" ? BigInt(value) : 0n)

/** By how much the node's XRP balance has grown. */
const xrpChange = ({ FinalFields, kind, LedgerEntryType, NewFields, PreviousFields }: Node): bigint => {
  if (LedgerEntryType === "Escrow")
    return kind === "CreatedNode" ? drops(NewFields?.["Amount"]) : -drops(FinalFields?.["Amount"])
  if (LedgerEntryType !== "AccountRoot") return 0n
  if (kind === "CreatedNode") return drops(NewFields?.["Balance"])
  const before = PreviousFields?.["Balance"]
  return before === undefined ? 0n : drops(FinalFields?.["Balance"]) - drops(before)
}

const withoutDefaults = (fields: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== 0 && value !== "0" && !/^0{40}$/.test(String(value))
    )
  )

/** Fields before the transaction, as far as the node shows them. Added fields look like unchanged ones. */
const overlaid = ({ FinalFields, PreviousFields }: Node): JsonObject => ({
  ...FinalFields,
  ...PreviousFields
})

describe("simulated metadata", () => {
  it("lists each entry once, sorted by key", () => {
    forEachTransaction(60, (transaction) => {
      const keys = nodesOf(transaction).map(({ LedgerIndex }) => LedgerIndex)
      assert.deepStrictEqual(keys, [...new Set(keys)].sort())
    })
  })

  it("survives the binary format unchanged, as do the transactions", () => {
    const decoded = (object: JsonObject): unknown =>
      // The codec writes 64-bit zeros in full, rippled's JSON does not.
      JSON.parse(JSON.stringify(decode(encode(object as never))).replaceAll('"0000000000000000"', '"0"'))
    forEachTransaction(15, ({ meta, scenario, tx }) => {
      assert.deepStrictEqual(decoded(meta), meta, scenario)
      assert.deepStrictEqual(decoded(tx), tx, scenario)
    })
  })

  it("changes the sum of all XRP by the fee alone", () => {
    forEachTransaction(100, (transaction) => {
      const change = nodesOf(transaction).reduce((sum, node) => sum + xrpChange(node), 0n)
      assert.strictEqual(change, -drops(transaction.tx["Fee"]), transaction.scenario)
    })
  })

  it("charges the sender a fee and uses his next sequence number", () => {
    forEachTransaction(40, (transaction) => {
      const { Account, Sequence } = transaction.tx
      const root = nodesOf(transaction).find(
        ({ FinalFields, LedgerEntryType }) =>
          LedgerEntryType === "AccountRoot" && FinalFields?.["Account"] === Account
      )
      assert.strictEqual(root?.PreviousFields?.["Sequence"], Sequence, transaction.scenario)
      assert.strictEqual(root?.FinalFields?.["Sequence"], Number(Sequence) + 1)
    })
  })

  it("continues every entry from where its last transaction left it", () => {
    const entries = new Map<
      string,
      { readonly fields: JsonObject; readonly transaction: string } | undefined
    >()
    let seedHead = 0
    forEachTransaction(120, (transaction, ledgerIndex) => {
      if (ledgerIndex < seedHead) entries.clear()
      seedHead = ledgerIndex
      for (const node of nodesOf(transaction)) {
        const known = entries.has(node.LedgerIndex)
        const before = entries.get(node.LedgerIndex)
        const where = `${transaction.scenario}: ${node.LedgerEntryType} ${node.LedgerIndex}`
        if (node.kind === "CreatedNode") {
          assert.isUndefined(before, `${where} created twice`)
          entries.set(node.LedgerIndex, { fields: node.NewFields ?? {}, transaction: transaction.hash })
          continue
        }
        assert.isTrue(!known || before !== undefined, `${where} changed after its end`)
        if (before !== undefined) {
          const previous = node.PreviousTxnID ?? node.FinalFields?.["PreviousTxnID"]
          assert.strictEqual(previous, before.transaction, where)
          if (node.FinalFields !== undefined)
            for (const [field, value] of Object.entries(withoutDefaults(before.fields)))
              assert.deepStrictEqual(overlaid(node)[field], value, `${where}, ${field}`)
        }
        const fields = node.FinalFields ?? before?.fields ?? {}
        entries.set(
          node.LedgerIndex,
          node.kind === "DeletedNode" ? undefined : { fields, transaction: transaction.hash }
        )
      }
    })
  })
})
