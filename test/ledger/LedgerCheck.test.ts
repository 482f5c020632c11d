/** The ledger check accepts an answer only if it is the requested ledger, and names the fault of every other answer. */
import { assert, describe, it } from "@effect/vitest"
import { normaliseLedger } from "../../src/domain/NormaliseLedger.ts"
import { checkLedger } from "../../src/ledger/LedgerCheck.ts"
import type { FetchedLedger } from "../../src/ledger/LedgerSource.ts"
import { chain, hashOf, rawTransaction } from "../support/chain.ts"

const [raw] = chain(7, 7)

/** Ledger 7 with three transactions, after `change` was applied to its raw form. */
const served = (change: object = {}, validated = true): FetchedLedger => {
  const { ledger, malformed } = normaliseLedger({ ...raw, ...change })!
  return { server: "test", validated, ledger, malformed }
}

const expected = { index: 7, parentHash: raw!.parent_hash }

const reason = (fetched: FetchedLedger, expectations = {}) =>
  checkLedger(fetched, { ...expected, ...expectations })?.reason

describe("the check of a ledger", () => {
  it("accepts a validated ledger with all its transactions, whatever order they are listed in", () => {
    const transactions = raw!.transactions.toReversed()
    const announced = { announcedHash: raw!.ledger_hash, announcedCount: 3 }
    assert.isUndefined(reason(served({ transactions }), announced))
    assert.isUndefined(reason(served({ transactions: [] })))
  })

  it("refuses one that is not validated, before anything else", () => {
    assert.strictEqual(reason(served({ ledger_index: 8, ledger_hash: null }, false)), "not_validated")
  })

  it("refuses another ledger than the one asked for or announced", () => {
    assert.strictEqual(reason(served({ ledger_index: 8 })), "wrong_ledger")
    assert.strictEqual(reason(served(), { announcedHash: hashOf("other") }), "wrong_hash")
  })

  it("refuses one without hash, parent or times", () => {
    for (const field of ["ledger_hash", "parent_hash", "close_time", "parent_close_time"])
      assert.strictEqual(reason(served({ [field]: null })), "malformed", field)
    assert.strictEqual(reason(served({ ledger_hash: "7" })), "malformed")
    assert.strictEqual(reason(served({ close_time: 2 ** 32 })), "malformed")
    assert.isUndefined(reason(served({ ledger_hash: "9".repeat(64) })))
  })

  it("refuses a list that is shorter or longer than announced, or has a gap", () => {
    const [a, b, c] = raw!.transactions
    assert.strictEqual(reason(served({ transactions: [a, b] }), { announcedCount: 3 }), "truncated")
    assert.strictEqual(reason(served(), { announcedCount: 2 }), "truncated")
    assert.strictEqual(reason(served({ transactions: [a, c] })), "truncated")
    assert.strictEqual(reason(served({ transactions: [b, c] })), "truncated")
    assert.strictEqual(reason(served({ transactions: [a, a, b, c] })), "truncated")
  })

  it("refuses an empty list if the header has transactions, whatever was announced", () => {
    const none = served({ transactions: [] })
    assert.strictEqual(reason({ ...none, transactionHash: hashOf("tree") }), "truncated")
    assert.isUndefined(reason({ ...none, transactionHash: "0".repeat(64) }))
    assert.isUndefined(reason({ ...served(), transactionHash: hashOf("tree") }))
  })

  it("refuses transactions without metadata or result", () => {
    const bare = { ...rawTransaction(7, 0), metaData: undefined }
    const noResult = { ...rawTransaction(7, 0), metaData: { AffectedNodes: [], TransactionIndex: 0 } }
    assert.strictEqual(reason(served({ transactions: [bare] })), "malformed")
    assert.strictEqual(reason(served({ transactions: [noResult] })), "malformed")
  })

  it("reports a broken chain only for a complete ledger with another parent, and names both hashes", () => {
    const broken = checkLedger(served(), { index: 7, parentHash: hashOf("other") })
    assert.strictEqual(broken?.reason, "broken_chain")
    assert.include(broken?.detail, raw!.parent_hash)
    assert.include(broken?.detail, hashOf("other"))
    assert.isUndefined(reason(served(), { parentHash: undefined }))
    const cut = served({ transactions: raw!.transactions.slice(1) })
    assert.strictEqual(reason(cut, { parentHash: hashOf("other") }), "truncated")
  })
})
