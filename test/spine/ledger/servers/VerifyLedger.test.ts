/** XRPL_VERIFY=full: a ledger is taken only if its bytes have its hash, and it contains what they say. */
import { globSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { type ClosedLedger, type LedgerHeader, makeChain } from "../../../../src/features/simulator/Chain.ts"
import type { JsonObject, Ledger } from "../../../../src/spine/event/Ledger.ts"
import { normaliseLedger } from "../../../../src/spine/event/NormaliseLedger.ts"
import { ingest } from "../../../../src/spine/ledger/ingest/Ingest.ts"
import {
  hashOfBytes,
  transactionHash,
  transactionOf,
  treeRootOf
} from "../../../../src/spine/ledger/servers/BinaryForm.ts"
import { layer } from "../../../../src/spine/ledger/servers/RippledSource.ts"
import { ledgerOf } from "../../../../src/spine/ledger/servers/ServerMessages.ts"
import { provenLedger } from "../../../../src/spine/ledger/servers/VerifyLedger.ts"
import { corpusFolder, corpusPresent } from "../../../support/ledger/corpusLedgers.ts"
import {
  eventually,
  eventuallyAdvancing,
  markers,
  memoryLayer,
  oneEventEach
} from "../../../support/ledger/ingesting.ts"
import { binaryLedgerResult, headerData, ledgerResult } from "../../../support/ledger/ledgerAnswers.ts"
import { blobOf, blobsOf, eventsOf } from "../../../support/ledger/ledgerBytes.ts"
import { makeSimulatedLedger } from "../../../support/ledger/simulatedLedger.ts"
import { orders } from "../../../support/ledger/unlistable.ts"
import { alice, bob, created, issuer, key, modified, token } from "../../detect/support.ts"

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

const binary = (ledger: Pick<ClosedLedger, "header"> & Pick<Ledger, "transactions">) => ({
  result: binaryLedgerResult(ledger)
})

interface Binary extends JsonObject {
  readonly ledger_data: string
  readonly transactions: ReadonlyArray<{ readonly tx_blob: string; readonly meta_blob: string }>
}

/** The binary answer with its ledger edited. */
const edited = (ledger: ClosedLedger, edit: (binary: Binary) => object) => {
  const result = binaryLedgerResult(ledger)
  // The cast is safe: `binaryLedgerResult` returns this form.
  const inner = result["ledger"] as Binary
  return { result: { ...result, ledger: { ...inner, ...edit(inner) } } }
}

const proven = (answer: unknown, index = 1_000) => provenLedger("test", index, answer)

/** The fault found; undefined if the ledger is proven. */
const faultOf = (answer: unknown) => Result.getOrUndefined(Result.flip(proven(answer)))

/** The ledger as the JSON answer has it. */
const ofJson = (ledger: ClosedLedger, version: 1 | 2 = 2) =>
  ledgerOf("test", { result: ledgerResult(ledger, { version, transactions: true, expand: true }) })!

/** The answer for a ledger of these bytes, with the header that such a ledger has. */
const answerOf = (header: Omit<LedgerHeader, "ledger_hash" | "transaction_hash">, ...blobs: Blob[]) => {
  const whole = { ...header, transaction_hash: treeRootOf(blobs), ledger_hash: "" }
  const transactions = blobs.map(({ meta, tx }) => ({ meta_blob: meta, tx_blob: tx }))
  const ledger_data = headerData(whole)
  const ledger_hash = hashOfBytes(`4C575200${ledger_data}`)
  return { result: { ledger: { ledger_data, transactions }, ledger_hash, validated: true } }
}
type Blob = ReturnType<typeof blobsOf>

const [empty, ...full] = simulated(8)
const one = full.at(-1)!

describe("a ledger is proven", () => {
  it("if its bytes have its hashes, also if it is empty, and then equals its JSON in both API versions", () => {
    for (const ledger of [empty!, ...full])
      for (const version of [1, 2] as const) {
        const found = Result.getOrThrow(proven(binary(ledger)))
        const { transactions, ...header } = found.ledger
        const { transactions: expected, ...expectedHeader } = ofJson(ledger, version).ledger
        assert.deepStrictEqual(header, expectedHeader)
        assert.strictEqual(found.transactionHash, ledger.header.transaction_hash)
        assert.deepStrictEqual(
          transactions.map(({ hash }) => hash),
          expected.map(({ hash }) => hash)
        )
        assert.strictEqual(eventsOf(found.ledger), eventsOf(ofJson(ledger, version).ledger))
      }
  })

  it("not when a transaction is missing, occurs twice or has no metadata", () => {
    const changes: ReadonlyArray<(all: Binary["transactions"]) => ReadonlyArray<object>> = [
      (all) => all.slice(1),
      (all) => all.slice(0, -1),
      () => [],
      (all) => [...all, all[0]!],
      (all) => all.map(({ tx_blob }) => ({ tx_blob })),
      (all) => all.map(({ meta_blob, tx_blob }) => ({ meta_blob: `${meta_blob}0`, tx_blob }))
    ]
    for (const change of changes) {
      const answer = edited(one, ({ transactions }) => ({ transactions: change(transactions) }))
      assert.strictEqual(faultOf(answer)?.reason, "not_proven")
    }
  })

  it("not when the header or the bytes differ", () => {
    const header = edited(one, ({ ledger_data }) => ({ ledger_data: ledger_data.replace(/.$/, "F") }))
    assert.include(faultOf(header)?.detail, "header")
    const others = edited(one, () => ({ transactions: binaryOf(full[0]!).transactions }))
    assert.include(faultOf(others)?.detail, "root")
    const huge = { ledger: { ledger_data: "00".repeat(10_000_000), transactions: [] } }
    for (const nothing of [{}, { ledger: { ledger_data: "00" } }, huge])
      assert.strictEqual(faultOf({ result: { validated: true, ...nothing } })?.reason, "not_proven")
  })

  it("not when one digit of a transaction or of its metadata differs", () => {
    const flipped = (hex: string) => hex.replace(/.$/, (digit) => (digit === "1" ? "2" : "1"))
    for (const field of ["tx_blob", "meta_blob"] as const)
      for (let n = 0; n < one.transactions.length; n++) {
        const answer = edited(one, ({ transactions }) => ({
          transactions: transactions.with(n, {
            ...transactions[n]!,
            [field]: flipped(transactions[n]![field])
          })
        }))
        assert.include(faultOf(answer)?.detail, "root")
      }
  })

  it("not when it is not validated, by any part of the answer", () => {
    const { result } = binary(one)
    const open = edited(one, () => ({ closed: false }))
    for (const answer of [undefined, {}, { result: {} }, { result: { ...result, validated: false } }, open])
      assert.strictEqual(faultOf(answer)?.reason, "not_validated")
  })

  it("not when this version does not know a transaction of it", () => {
    const unknown = { tx: `127FFF${blobsOf(one.transactions[0]!).tx.slice(6)}`, meta: "00" }
    assert.include(faultOf(answerOf(one.header, unknown))?.detail, "this version cannot read ledger 1000")
  })

  it("and contains what the bytes contain, whatever else the answer says", () => {
    const expected = Result.getOrThrow(proven(binary(one)))
    const forged = edited(one, ({ transactions }) => ({
      ledger_index: 7,
      close_time: 1,
      parent_hash: "00",
      transaction_hash: "00",
      transactions: transactions.map((entry) => ({
        ...entry,
        hash: "00",
        tx_json: { TransactionType: "Payment", Fee: "9999" },
        meta: { TransactionResult: "tecPATH_DRY", delivered_amount: "1" }
      }))
    }))
    assert.deepStrictEqual(Result.getOrThrow(proven(forged)), expected)
  })
})

describe("the work to decode a transaction", () => {
  const many = (n: number) => {
    const line = (i: number) =>
      modified(
        "RippleState",
        key(i),
        { Balance: token(String(i)), LowLimit: token("0"), HighLimit: token("9", alice) },
        { Balance: token("3") }
      )
    const meta = {
      TransactionResult: "tesSUCCESS",
      TransactionIndex: 0,
      AffectedNodes: Array.from({ length: n }, (_, i) => line(i))
    }
    return { tx: blobsOf(one.transactions[0]!).tx, meta: blobOf(meta) }
  }

  /** How many bytes are copied while the transaction is decoded. */
  const copiedFor = (blobs: Blob): number => {
    const { slice } = Uint8Array.prototype
    let copied = 0
    Uint8Array.prototype.slice = function (...bounds) {
      const copy = slice.apply(this, bounds)
      copied += copy.length
      return copy
    }
    try {
      transactionOf(blobs)
    } finally {
      Uint8Array.prototype.slice = slice
    }
    return copied
  }

  it("doubles at most if the nodes are twice as many", () => {
    const few = copiedFor(many(100))
    assert.isAbove(few, 0)
    assert.isAtMost(copiedFor(many(200)), 2.1 * few)
  })
})

const binaryOf = (ledger: ClosedLedger) => edited(ledger, () => ({})).result.ledger

describe("a ledger with what the codec cannot encode", () => {
  const NOBODY = "rrrrrrrrrrrrrrrrrrrrBZbvji"
  const line = (currency: string, n: number) =>
    created("RippleState", key(n), {
      Balance: token("0", NOBODY, currency),
      Flags: 0x1_0000,
      LowLimit: token("7", alice, currency),
      HighLimit: token("0", issuer, currency)
    })
  const tx = (type: string, fields: JsonObject) => ({
    TransactionType: type,
    Account: alice,
    Fee: "10",
    Sequence: 7,
    SigningPubKey: "",
    ...fields
  })
  const meta = (index: number, ...nodes: ReadonlyArray<JsonObject>) => ({
    TransactionResult: "tesSUCCESS",
    TransactionIndex: index,
    AffectedNodes: nodes
  })
  const balance = modified("AccountRoot", key(3), { Account: bob, Balance: "-25" }, { Balance: "-5" })
  const limit = (currency: string) => ({ LimitAmount: token("7", issuer, currency) })
  const offer = { Account: bob, Sequence: 3, TakerGets: "-4", TakerPays: token("1") }
  const traded = modified("Offer", key(4), offer, { TakerGets: "12", TakerPays: token("2") })
  const written = [
    { tx: tx("TrustSet", limit("1")), meta: meta(0, line("1", 1)) },
    { tx: tx("TrustSet", limit("<>a")), meta: meta(1, line("<>a", 2), balance) },
    { tx: tx("OfferCreate", { TakerGets: token("1"), TakerPays: "12" }), meta: meta(2, balance, traded) },
    {
      tx: tx("Payment", { Amount: "-20", Destination: bob }),
      meta: { ...meta(3, balance), DeliveredAmount: "-20" }
    }
  ]

  it("is proven, and its negative drops and rare currencies cause the events of its JSON", () => {
    const { ledger } = Result.getOrThrow(proven(answerOf(one.header, ...written.map(blobsOf))))
    assert.strictEqual(ledger.transactions.length, written.length)
    const ofJson = written.map((transaction) => ({
      ...transaction,
      hash: transactionHash(blobsOf(transaction).tx)
    }))
    const events = eventsOf({ ...ledger, transactions: ofJson })
    assert.strictEqual(eventsOf(ledger), events)
    for (const text of ['"0000000000000000000000000000000000000001"', '"<>a"', '"-20"', '"-4"'])
      assert.include(events, text)
  })
})

describe.skipIf(!corpusPresent)("real ledgers (skipped without ../shared/xrpl-corpus)", () => {
  const files = corpusPresent ? globSync("ledgers/*.json", { cwd: corpusFolder }).sort() : []
  it.each(files)("are proven by their own hashes, and cause the events of their JSON: %s", (file) => {
    // The corpus's README describes this form. Four ledgers were recorded with nothing of their header but the root of
    // the transactions: the rest of it is made up.
    const recorded = JSON.parse(readFileSync(resolve(corpusFolder, file), "utf8")) as LedgerHeader
    const isWhole = recorded.parent_hash !== null
    const blank = {
      ...one.header,
      ledger_index: recorded.ledger_index,
      transaction_hash: recorded.transaction_hash
    }
    const header = isWhole ? recorded : { ...blank, ledger_hash: hashOfBytes(`4C575200${headerData(blank)}`) }
    const { ledger } = normaliseLedger({ ...recorded, ...header })!
    const found = Result.getOrThrow(proven(binary({ header, transactions: ledger.transactions })))
    assert.strictEqual(found.ledger.ledger_hash, header.ledger_hash)
    assert.strictEqual(eventsOf(found.ledger), eventsOf(ledger))
  })
})

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
            if (name !== "ledger 1002" || binary !== true || spoiled-- <= 0) return answer
            // The cast is safe: this server answers `ledger` in this form.
            const { ledger, ...result } = answer.result as unknown as { readonly ledger: Binary }
            const transactions = ledger.transactions.slice(0, -1)
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
