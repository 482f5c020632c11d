import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../src/domain/Ledger.ts"
import { makeChain } from "../../src/simulator/Chain.ts"
import { accountIdOf, accountKey, addressOf } from "../../src/simulator/Keys.ts"
import { LedgerState } from "../../src/simulator/LedgerState.ts"
import { addNft, takeNft } from "../../src/simulator/NftPages.ts"
import { makeSeededRandom } from "../../src/simulator/SeededRandom.ts"
import { TransactionView } from "../../src/simulator/TransactionView.ts"
import { accountRoot } from "../../src/simulator/World.ts"

const OWNER = addressOf("collector")

const begin = () => {
  const state = new LedgerState()
  const view = () =>
    new TransactionView(state, {
      hash: "A".repeat(64),
      account: OWNER,
      sequence: 1,
      ledgerIndex: 1,
      parentCloseTime: 1
    })
  const opening = view()
  opening.create("AccountRoot", accountKey(OWNER), accountRoot(OWNER, 100n, 1))
  opening.affectedNodes()
  return { state, view }
}

const idsIn = (page: JsonObject): ReadonlyArray<string> =>
  (page["NFTokens"] as ReadonlyArray<{ NFToken: { NFTokenID: string } }>).map(
    ({ NFToken }) => NFToken.NFTokenID
  )

const check = (state: LedgerState, held: ReadonlySet<string>): void => {
  const pages = state.ofType("NFTokenPage").toSorted((a, b) => (a.index < b.index ? -1 : 1))
  assert.deepStrictEqual(new Set(pages.flatMap(({ fields }) => idsIn(fields))), new Set(held))
  assert.strictEqual(Number(state.entry(accountKey(OWNER)).fields["OwnerCount"]), pages.length)
  pages.forEach(({ fields, index }, n) => {
    const ids = idsIn(fields)
    assert.isAtMost(ids.length, 32)
    assert.isAbove(ids.length, 0)
    assert.isTrue(index.startsWith(accountIdOf(OWNER)))
    assert.strictEqual(fields["PreviousPageMin"], pages[n - 1]?.index)
    assert.strictEqual(fields["NextPageMin"], pages[n + 1]?.index)
    for (const id of ids) {
      assert.isTrue(id.slice(-24) < index.slice(-24), "above its page's key")
      assert.isTrue(n === 0 || id.slice(-24) >= pages[n - 1]!.index.slice(-24), "below its page's range")
    }
  })
}

describe("NFT pages", () => {
  it.each([1, 2, 3])(
    "hold every token once, in order and linked, however they come and go (seed %s)",
    (seed) => {
      const { state, view } = begin()
      const random = makeSeededRandom(seed)
      const held = new Set<string>()
      for (let n = 0; n < 600; n++) {
        const adds = n < 200 || (n < 400 && random.flip(0.5))
        const change = view()
        if (adds || held.size === 0) {
          const id = random.hex(32)
          addNft(change, OWNER, id, random.flip(0.5) ? "AB" : undefined)
          held.add(id)
        } else {
          const id = random.pick([...held])
          takeNft(change, OWNER, id)
          held.delete(id)
        }
        change.affectedNodes()
        check(state, held)
      }
    }
  )

  it("split in simulated ledgers too", () => {
    const chain = makeChain({
      seed: 1,
      firstLedgerIndex: 1_000_000,
      firstCloseTime: 800_000_000,
      transactionsPerLedger: 20,
      hashing: "digest"
    })
    const isSplit = (node: JsonObject) => {
      const created = node["CreatedNode"] as JsonObject | undefined
      const fields = created?.["NewFields"] as JsonObject | undefined
      return created?.["LedgerEntryType"] === "NFTokenPage" && fields?.["NextPageMin"] !== undefined
    }
    const splits = Array.from({ length: 400 }, () => chain.close(0)).flatMap(({ transactions }) =>
      transactions.filter(({ meta }) => (meta["AffectedNodes"] as ReadonlyArray<JsonObject>).some(isSplit))
    )
    assert.isAbove(splits.length, 0)
  })
})
