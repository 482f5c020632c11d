/** The chain of simulated ledgers. Chain.slow.test.ts has more seeds. */
import { assert, describe, it } from "@effect/vitest"
import { hashes } from "xrpl"
import { type ClosedLedger, makeChain } from "../../../src/features/simulator/Chain.ts"
import { syntheticTransactions } from "../../../src/features/simulator/SyntheticTransactions.ts"
import { eventTypes } from "../../../src/spine/event/EventType.ts"
import { FIRST, ledgersOf, showsEveryType } from "./ledgers.ts"

describe("the chain of simulated ledgers", () => {
  it.each(["binary", "digest"] as const)("repeats itself for the same seed and times (%s)", (hashing) => {
    const run = () => ledgersOf(15, { seed: 7, hashing })
    const first = run()
    assert.strictEqual(JSON.stringify(first), JSON.stringify(run()))
    assert.notStrictEqual(
      first[14]!.header.ledger_hash,
      ledgersOf(15, { seed: 8, hashing })[14]!.header.ledger_hash
    )
  })

  it("links every ledger to the one before by hash, index, time and coins", () => {
    const ledgers = ledgersOf(50)
    ledgers.forEach(({ header, transactions }, n) => {
      const parent = ledgers[n - 1]?.header
      assert.strictEqual(header.ledger_index, FIRST.ledgerIndex + n + 1)
      assert.strictEqual(header.ledger_hash, hashes.hashLedgerHeader(header as never))
      if (parent === undefined) return
      assert.strictEqual(header.parent_hash, parent.ledger_hash)
      assert.strictEqual(header.parent_close_time, parent.close_time)
      assert.isAbove(header.close_time, parent.close_time)
      const fees = transactions.reduce((sum, { tx }) => sum + BigInt(String(tx["Fee"])), 0n)
      assert.strictEqual(BigInt(header.total_coins), BigInt(parent.total_coins) - fees)
    })
  })

  it("closes a second after the parent when the clock stands still", () => {
    const chain = makeChain({
      seed: 1,
      firstLedgerIndex: FIRST.ledgerIndex,
      firstCloseTime: FIRST.closeTime,
      transactionsPerLedger: 0,
      hashing: "digest"
    })
    const times = [1, 2, 3].map(() => chain.close(FIRST.closeTime).header.close_time)
    assert.deepStrictEqual(
      times,
      [1, 2, 3].map((n) => FIRST.closeTime + n)
    )
  })

  it("has the hashes that rippled would compute from the binary forms", () => {
    for (const { header, transactions } of ledgersOf(12, { hashing: "binary" })) {
      for (const { hash, tx } of transactions) assert.strictEqual(hash, hashes.hashSignedTx(tx as never))
      const tree = transactions.map(({ meta, tx }) => ({ ...tx, metaData: meta }))
      assert.strictEqual(header.transaction_hash, hashes.hashTxTree(tree as never))
    }
  })

  it("numbers a ledger's transactions without gaps and never repeats a hash", () => {
    const seen = new Set<string>()
    for (const { transactions } of ledgersOf(50)) {
      assert.deepStrictEqual(
        transactions.map(({ meta }) => meta["TransactionIndex"]),
        transactions.map((_, n) => n)
      )
      for (const { hash } of transactions) {
        assert.match(hash, /^[0-9A-F]{64}$/)
        seen.add(hash)
      }
    }
    assert.strictEqual(seen.size, 500)
  })

  showsEveryType(2)

  it("continues from a ledger of an earlier process, with new accounts and transactions", () => {
    const accountsOf = (ledgers: ReadonlyArray<ClosedLedger>) =>
      new Set(ledgers.flatMap(({ transactions }) => transactions.map(({ tx }) => tx["Account"])))
    const past = ledgersOf(20)
    const { header: last } = past.at(-1)!
    const chain = makeChain({
      seed: 1,
      firstLedgerIndex: last.ledger_index + 1,
      parent: { ledgerHash: last.ledger_hash, closeTime: last.close_time },
      // The clock was set back.
      firstCloseTime: last.close_time - 100,
      transactionsPerLedger: 10,
      hashing: "digest"
    })
    const first = chain.head().header
    assert.strictEqual(first.parent_hash, last.ledger_hash)
    assert.strictEqual(first.parent_close_time, last.close_time)
    assert.strictEqual(first.close_time, last.close_time + 1)
    assert.strictEqual(first.ledger_hash, hashes.hashLedgerHeader(first as never))
    const present = Array.from({ length: 20 }, () => chain.close(0))
    const before = accountsOf(past)
    assert.deepStrictEqual(
      [...accountsOf(present)].filter((account) => before.has(account)),
      []
    )
  })

  it("refuses to begin where no account is old enough to be deleted", () => {
    assert.throws(() => ledgersOf(1, { firstLedgerIndex: 999 }), /firstLedgerIndex is 999/)
  })
})

describe("synthetic transactions", () => {
  it.each([0, 1, 2, 4_294_967_295])("cover every event type (seed %s)", (seed) => {
    const found = syntheticTransactions(seed, FIRST.closeTime)
    for (const type of eventTypes) {
      const { expected, ledger } = found.get(type)!
      assert.include(expected, type)
      assert.lengthOf(ledger.transactions, 1)
    }
    assert.deepStrictEqual(found, syntheticTransactions(seed, FIRST.closeTime))
  })
})
