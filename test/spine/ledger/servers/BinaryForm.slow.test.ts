/**
 * A ledger decoded from its bytes gives the events of its JSON, byte for byte. The ledgers here are made up;
 * VerifyLedger.test.ts does the same with real ones.
 */
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { makeChain } from "../../../../src/features/simulator/Chain.ts"
import { detectLedger } from "../../../../src/spine/detect/Detect.ts"
import { normaliseLedger } from "../../../../src/spine/event/NormaliseLedger.ts"
import { tokenText, transactionHash, transactionOf } from "../../../../src/spine/ledger/servers/BinaryForm.ts"
import { binaryLedgerResult, ledgerResult } from "../../../support/ledger/ledgerAnswers.ts"
import { eventsOf, throughBytes } from "../../../support/ledger/ledgerBytes.ts"
import { alice, created, issuer, key, ledgerOf, modified, usd } from "../../detect/support.ts"

interface Definitions {
  readonly FIELDS: ReadonlyArray<readonly [name: string, field: { readonly type: string }]>
}

describe("a ledger's bytes", () => {
  it("give the events of its JSON, in both versions of the API", () => {
    const chain = makeChain({
      seed: 82,
      firstLedgerIndex: 1_000,
      transactionsPerLedger: 25,
      hashing: "binary",
      firstCloseTime: 800_000_000
    })
    const types = new Set<string>()
    for (let i = 0; i < 40; i++) {
      const closed = chain.close(800_000_004 + 4 * i)
      const request = { transactions: true, expand: true }
      const [v1, v2] = ([1, 2] as const).map((version) =>
        normaliseLedger(ledgerResult(closed, { ...request, version }))
      )
      // The cast is safe: `binaryLedgerResult` returns this form.
      const { ledger } = binaryLedgerResult(closed) as unknown as {
        readonly ledger: { readonly transactions: ReadonlyArray<Readonly<Record<string, string>>> }
      }
      const transactions = ledger.transactions.map(({ hash, meta_blob, tx_blob }) => {
        assert.strictEqual(transactionHash(tx_blob!), hash)
        return transactionOf({ tx: tx_blob!, meta: meta_blob! })
      })
      const events = eventsOf({ ...v2!.ledger, transactions })
      assert.strictEqual(events, eventsOf(v2!.ledger))
      assert.strictEqual(events, eventsOf(v1!.ledger))
      for (const { event_type } of detectLedger(v2!.ledger).events) types.add(event_type)
    }
    assert.isAtLeast(types.size, 20)
  })

  it("give token values in the ledger's text form", () => {
    const tx = {
      TransactionType: "OfferCreate",
      Account: alice,
      Fee: "10",
      Sequence: 7,
      SigningPubKey: "",
      TakerGets: usd("1000000000000000e-3"),
      TakerPays: usd("5000000000000000e-29")
    }
    const placed = {
      Account: alice,
      Sequence: 7,
      TakerGets: usd("1000000000000000e-3"),
      TakerPays: usd("5000000000000000e-29")
    }
    const traded = modified(
      "Offer",
      key(2),
      { Account: issuer, Sequence: 1, TakerGets: usd("1000000000000000e-3"), TakerPays: "5" },
      { TakerGets: usd("2000000000000000e-3"), TakerPays: "10" }
    )
    const meta = {
      TransactionResult: "tesSUCCESS",
      TransactionIndex: 0,
      AffectedNodes: [created("Offer", key(1), placed), traded]
    }
    const fromBytes = throughBytes({ hash: "", tx, meta })
    const fromJson = { hash: fromBytes.hash, tx, meta }
    const events = eventsOf(ledgerOf([fromBytes]))
    assert.strictEqual(events, eventsOf(ledgerOf([fromJson])))
    for (const text of ["1000000000000000e-3", "5000000000000000e-29", '"1000000000000"'])
      assert.include(events, text)
  })

  it("give every number of 64 bits that the codec knows without leading zeros", () => {
    const codec = createRequire(createRequire(import.meta.url).resolve("xrpl"))
    const { FIELDS } = codec("ripple-binary-codec/dist/enums/definitions.json") as Definitions
    const names = FIELDS.filter(([, { type }]) => type === "UInt64").map(([name]) => name)
    assert.isAtLeast(names.length, 20)
    const numbers = Object.fromEntries(names.map((name) => [name, "10"]))
    const meta = { TransactionResult: "tesSUCCESS", TransactionIndex: 0, AffectedNodes: [] }
    const tx = { TransactionType: "AccountSet", Account: alice, Fee: "10", Sequence: 7, SigningPubKey: "" }
    const decoded = throughBytes({ hash: "", tx: { ...tx, ...numbers }, meta }).tx
    assert.deepStrictEqual(Object.fromEntries(names.map((name) => [name, decoded[name]])), numbers)
  })

  it.each([
    ["0", "0"],
    ["1", "1"],
    ["-0.5", "-0.5"],
    ["1000000000000", "1000000000000000e-3"],
    ["123456789012", "1234567890120000e-4"],
    ["12345678901", "12345678901"],
    ["1234567890123456", "1234567890123456"],
    ["-123456789012345.6", "-1234567890123456e-1"],
    ["12345678901234560", "1234567890123456e1"],
    [`9999999999999999${"0".repeat(80)}`, "9999999999999999e80"],
    ["0.0000000001", "0.0000000001"],
    ["0.00000000009999", "9999000000000000e-26"],
    [`0.${"0".repeat(80)}1`, "1000000000000000e-96"]
  ])("%s is written %s, as rippled does", (plain, text) => {
    assert.strictEqual(tokenText(plain), text)
  })
})
