/**
 * Every real ledger of the corpus, decoded from its bytes, gives exactly the events of its JSON.
 */
import { globSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Ledger, LedgerTransaction } from "../../src/domain/Ledger.ts"
import { ledgerOfTransaction, normaliseLedger } from "../../src/domain/NormaliseLedger.ts"
import { corpusFolder, corpusPresent } from "../support/corpusLedgers.ts"
import { eventsOf, throughBytes } from "../support/ledgerBytes.ts"

describe.skipIf(!corpusPresent)("real ledgers' bytes (skipped without ../shared/xrpl-corpus)", () => {
  const files = corpusPresent ? globSync("ledgers/*.json", { cwd: corpusFolder }).sort() : []
  const recorded = (file: string): Ledger => {
    const raw: unknown = JSON.parse(readFileSync(resolve(corpusFolder, file), "utf8"))
    return normaliseLedger(raw)?.ledger ?? ledgerOfTransaction(raw)!
  }

  /** The only thing that the codec cannot write: negative balances, a fault of ledgers of 2013. */
  const isRefused = (transaction: LedgerTransaction): boolean =>
    /"Balance":"-[0-9]+"/.test(JSON.stringify(transaction.meta))

  it.each(files)("give the events of their JSON: %s", (file) => {
    const ledger = recorded(file)
    const transactions = ledger.transactions.map((transaction) =>
      isRefused(transaction) ? transaction : throughBytes(transaction)
    )
    assert.strictEqual(eventsOf({ ...ledger, transactions }), eventsOf(ledger))
  })

  it("are all there, except a few of 2013", () => {
    const refused = files.flatMap((file) => recorded(file).transactions.filter(isRefused))
    assert.isAtMost(refused.length, 5)
  })
})
