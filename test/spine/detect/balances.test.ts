/**
 * Changes of balances in whole ledgers. Those of the corpus are compared with `getBalanceChanges` of the package
 * `xrpl`; those of the simulated ledger must add up to nothing but the fee and what escrows hold.
 */
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { getBalanceChanges } from "xrpl"
import { asLedger, makeChain } from "../../../src/features/simulator/Chain.ts"
import { render, scaled } from "../../../src/spine/detect/Amounts.ts"
import { balanceChanges } from "../../../src/spine/detect/BalanceChanges.ts"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import { affectedNodes } from "../../../src/spine/detect/Nodes.ts"
import type { Ledger, LedgerTransaction } from "../../../src/spine/event/Ledger.ts"
import type { BalanceChange } from "../../../src/spine/event/LedgerEvent.ts"
import { ledgerOfTransaction, normaliseLedger } from "../../../src/spine/event/NormaliseLedger.ts"
import { corpusFiles, corpusFolder, corpusPresent } from "../../support/ledger/corpusLedgers.ts"

const ledgerOf = (file: string): Ledger => {
  const raw: unknown = JSON.parse(readFileSync(resolve(corpusFolder, file), "utf8"))
  const ledger = normaliseLedger(raw)?.ledger ?? ledgerOfTransaction(raw)
  return ledger ?? assert.fail(file)
}

const DROPS = 6

const textOf = (account: string, asset: string, change: string): string =>
  `${account} ${asset} ${render(scaled(change))}`

const ours = (changes: ReadonlyArray<BalanceChange>): ReadonlyArray<string> =>
  changes.flatMap(({ account, asset, change }) => {
    if (asset === "XRP") return [textOf(account, "XRP", change)]
    return "currency" in asset ? [textOf(account, `${asset.currency} ${asset.issuer}`, change)] : []
  })

type Theirs = ReturnType<typeof getBalanceChanges>

/** It has XRP instead of drops, and writes very large and very small numbers with an exponent. */
const theirs = (changes: Theirs, accounts: ReadonlyArray<string>): ReadonlyArray<string> =>
  changes
    .filter(({ account }) => accounts.includes(account))
    .flatMap(({ account, balances }) =>
      balances.map(({ currency, issuer, value }) =>
        issuer === undefined
          ? textOf(account, "XRP", `${value}e${DROPS}`)
          : textOf(account, `${currency} ${issuer}`, value)
      )
    )

describe.skipIf(!corpusPresent)("real data (skipped without ../shared/xrpl-corpus)", () => {
  /**
   * Two differences. The package knows no MPTs, so `ours` leaves them out. And it has no limit: one offer of an issuer
   * that buys back from hundreds of holders has more changes than an event may have.
   */
  it("gives each event what xrpl's getBalanceChanges gives its accounts", () => {
    const [counts, above] = [{ compared: 0, changes: 0 }, new Set<string>()]
    for (const file of corpusFiles()) {
      const ledger = ledgerOf(file)
      for (const transaction of ledger.transactions) {
        const { events } = detectLedger({ ...ledger, transactions: [transaction] })
        // The parameter type lists only the ledger entries that the package knows.
        const changes = events.length === 0 ? [] : getBalanceChanges(transaction.meta as never)
        for (const event of events) {
          const expected = theirs(changes, event.accounts)
          const { balance_changes: found } = event
          if (found === undefined) {
            assert.isAbove(expected.length, 100, `${file} ${event.event_id}`)
            above.add(transaction.hash)
            continue
          }
          assert.sameMembers([...ours(found)], [...expected], `${file} ${event.event_id}`)
          counts.compared++
          counts.changes += found.length
        }
      }
    }
    assert.strictEqual(above.size, 1)
    assert.isAbove(counts.compared, 2_500)
    assert.isAbove(counts.changes, 4_000)
  })

  it("gives each holder and issuer of an MPT the units that the entries have more or less", () => {
    const found = corpusFiles().flatMap((file) =>
      detectLedger(ledgerOf(file)).events.flatMap(({ balance_changes = [], event_type }) =>
        balance_changes.flatMap(({ asset, change }) =>
          asset !== "XRP" && "mpt_issuance_id" in asset ? [`${event_type} ${change}`] : []
        )
      )
    )
    assert.deepStrictEqual(found.toSorted(), [
      "escrow.cancelled 1",
      "escrow.cancelled 10000",
      // One of them is an escrow to oneself: its units come back.
      "escrow.finished 10000",
      "escrow.finished 10000",
      "escrow.finished 100000",
      ...["-1000", "-10000", "-10000", "-589589", "1000", "10000", "10000", "589589"].map(
        (change) => `payment.issued ${change}`
      )
    ])
  })
})

/** The XRP that escrows hold after the transaction, less what they held before. */
const escrowed = ({ meta }: LedgerTransaction): bigint =>
  affectedNodes(meta).nodes.reduce((sum, { change, fields, type }) => {
    const drops = fields["Amount"]
    if (type !== "Escrow" || typeof drops !== "string" || change === "modified") return sum
    return change === "created" ? sum + BigInt(drops) : sum - BigInt(drops)
  }, 0n)

const addressesIn = (value: unknown): ReadonlyArray<string> =>
  JSON.stringify(value).match(/r[1-9A-Za-z]{24,34}/g) ?? []

describe("the simulated ledger", () => {
  it.each([1, 2, 3])("loses nothing but fees, and what escrows hold (seed %s)", (seed) => {
    const chain = makeChain({
      seed,
      firstLedgerIndex: 1_000_000,
      firstCloseTime: 800_000_000,
      transactionsPerLedger: 20,
      hashing: "digest"
    })
    const closed = Array.from({ length: 100 }, () => asLedger(chain.close(0)).transactions).flat()
    let tokens = 0
    for (const transaction of closed) {
      const { meta, tx } = transaction
      const accounts = [...new Set(addressesIn(meta))]
      const context = { ...affectedNodes(meta), type: String(tx["TransactionType"]) }
      const changes = balanceChanges(context, new Set(accounts))(accounts).balance_changes
      assert.isDefined(changes)
      const sums = new Map<string, bigint>()
      for (const { asset, change } of changes) {
        const name = asset === "XRP" ? "XRP" : "currency" in asset ? asset.currency : asset.mpt_issuance_id
        sums.set(name, (sums.get(name) ?? 0n) + scaled(change))
      }
      assert.strictEqual(
        sums.get("XRP") ?? 0n,
        -scaled(String(tx["Fee"])) - scaled(String(escrowed(transaction))),
        transaction.hash
      )
      sums.delete("XRP")
      for (const [name, sum] of sums) assert.strictEqual(sum, 0n, `${transaction.hash} ${name}`)
      tokens += sums.size
    }
    assert.isAbove(tokens, 100)
  })
})
