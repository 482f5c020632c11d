/**
 * The work of detection grows in proportion to a transaction's nodes, also in a ledger that no network would validate:
 * a server that lies must not keep the process busy. Reads of ledger entries are counted, so no clock decides.
 */
import { assert, describe, it } from "@effect/vitest"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import { addressOfAccountId } from "../../../src/spine/event/AccountId.ts"
import type { JsonObject } from "../../../src/spine/event/Ledger.ts"
import { alice, bob, created, deleted, issuer, ledgerOf, modified, token, transaction } from "./support.ts"

const mpt = { mpt_issuance_id: `0000000A${"AB".repeat(20)}`, value: "5" }
const holder = (n: number) => addressOfAccountId(n.toString(16).padStart(40, "0").toUpperCase())
const nftokenId = `0008${"0000"}${"AB".repeat(20)}0000000000000001`

/** Entries of every type that a detector reads. */
const entries: Readonly<Record<string, (n: number) => JsonObject>> = {
  AccountRoot: (n) => ({ Account: holder(n), Balance: "5", Flags: 0 }),
  Check: () => ({ Account: bob, Destination: alice, SendMax: token("9"), Sequence: 1 }),
  Escrow: (n) => ({ Account: bob, Destination: holder(n), Amount: token("5"), Sequence: 1 }),
  MPToken: (n) => ({ Account: holder(n), MPTokenIssuanceID: mpt.mpt_issuance_id, MPTAmount: "5" }),
  MPTokenIssuance: (n) => ({ Issuer: holder(n), Sequence: 10, OutstandingAmount: "5" }),
  NFTokenOffer: () => ({ Owner: bob, NFTokenID: nftokenId, Amount: "5", Flags: 1 }),
  NFTokenPage: () => ({ NFTokens: [{ NFToken: { NFTokenID: nftokenId } }] }),
  Offer: () => ({ Account: bob, Sequence: 1, TakerGets: "5", TakerPays: token("5") }),
  RippleState: (n) => ({
    Balance: token("5"),
    Flags: 0x1_0000,
    LowLimit: token("0", issuer),
    HighLimit: token("9", n % 2 === 0 ? alice : holder(n))
  }),
  SignerList: () => ({ SignerQuorum: 1, SignerEntries: [] })
}

const asked = [token("5"), "5", mpt].flatMap((amount) => [
  { Amount: amount },
  { DeliverMin: amount },
  { Amount: amount, Flags: 0x2_0000 }
])

const transactions: ReadonlyArray<JsonObject> = [
  ...["Payment", "CheckCash", "EscrowFinish", "AccountDelete"].flatMap((TransactionType) =>
    asked.map((fields) => ({ TransactionType, ...fields, Destination: alice, OfferSequence: 1 }))
  ),
  ...["AccountSet", "CheckCancel", "EscrowCancel", "EscrowCreate", "NFTokenBurn", "NFTokenCancelOffer"],
  ...["NFTokenMint", "OfferCancel", "OfferCreate", "SetRegularKey", "SignerListSet", "TrustSet"],
  "AMMWithdraw"
].map((each) => (typeof each === "string" ? { TransactionType: each } : each))

const accept = { TransactionType: "NFTokenAcceptOffer", NFTokenSellOffer: "0".repeat(64) }

/** How often detection reads the fields of a transaction's nodes, if it has `n` nodes of each type. */
const readsOf = (tx: JsonObject, n: number, kinds: ReadonlyArray<string>): number => {
  let reads = 0
  const counted = (fields: JsonObject): JsonObject =>
    new Proxy(fields, {
      get: (target, name) => {
        reads++
        return Reflect.get(target, name)
      }
    })
  const nodes = kinds.flatMap((type, kind) =>
    Array.from({ length: n }, (_, i) => {
      const id = (kind * 100_000 + i).toString(16).toUpperCase().padStart(64, "0")
      const fields = counted(entries[type]!(i))
      const previous = counted({ Balance: token("3"), SignerQuorum: 2, TakerGets: "9" })
      const place = i % 3
      if (place === 0) return deleted(type, id, fields)
      return place === 1 ? created(type, id, fields) : modified(type, id, fields, previous)
    })
  )
  detectLedger(ledgerOf([transaction(tx, nodes)], { ledger_index: 3_000_000, close_time: 430_000_000 }))
  return reads
}

const FEW = 15

describe("the reads of a transaction's nodes", () => {
  it.each([...transactions, accept])("double at most if the nodes are twice as many: %j", (tx) => {
    const names = Object.keys(entries)
    // All types, then pairs with what detection searches: a fault of one node may keep another from being read.
    const searched = ["AccountRoot", "MPToken", "RippleState"]
    const kinds = [names, ...names.flatMap((one) => searched.map((other) => [one, other]))]
    for (const each of kinds) {
      const few = readsOf(tx, FEW, each)
      const many = readsOf(tx, 2 * FEW, each)
      assert.isAtMost(many, 2 * few + FEW, each.join())
    }
  })
})
