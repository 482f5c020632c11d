/** Numbers are reserved for events that are withheld (docs/detection-rules.md 1.3, 1.11). */
import { assert, describe, it } from "@effect/vitest"
import { detectLedger } from "../../../src/spine/detect/Detect.ts"
import type { Json, JsonObject } from "../../../src/spine/event/Ledger.ts"
import {
  alice,
  bob,
  carol,
  created,
  deleted,
  detect,
  hashNamed,
  issuer,
  key,
  ledgerOf,
  modified,
  names,
  token,
  transaction,
  usd,
  withheld
} from "./support.ts"

const neutral = "rrrrrrrrrrrrrrrrrrrrBZbvji"

const offerCreate = (...nodes: ReadonlyArray<JsonObject>) =>
  detect(transaction({ TransactionType: "OfferCreate", TakerGets: "100", TakerPays: usd("5") }, nodes))

const entry = (gets: Json = "0", more: JsonObject = {}): JsonObject => ({
  Account: bob,
  Sequence: 4,
  TakerGets: gets,
  TakerPays: usd("5"),
  ...more
})
const earlier = { TakerGets: "50", TakerPays: usd("9") }
const filled = (id: number, more: JsonObject = {}) => deleted("Offer", key(id), entry("0", more), earlier)
const drained = (id: number, more: JsonObject = {}) => deleted("Offer", key(id), entry("3", more), earlier)

describe("a withheld event keeps its number", () => {
  it("so that a correction gives no published id to another event", () => {
    const whole = offerCreate(filled(1), filled(2), filled(3)).events
    for (const lost of [1, 2, 3]) {
      const nodes = [1, 2, 3].map((id) => filled(id, id === lost ? { Sequence: -1 } : {}))
      assert.deepStrictEqual(offerCreate(...nodes).events, whole.toSpliced(lost - 1, 1))
    }
  })

  it("if its node's id is no key", () => {
    const found = offerCreate(filled(1), deleted("Offer", "x", entry(), earlier))
    assert.deepStrictEqual(names(found), ["dex.offer_filled:0"])
    assert.deepStrictEqual(withheld(found), [["field_unreadable", "dex.offer_filled"]])
  })

  it.each<[string, string, JsonObject, JsonObject]>([
    [
      "account.created",
      "Payment",
      created("AccountRoot", key(1), { Balance: "5" }),
      created("AccountRoot", key(2), { Account: bob })
    ],
    [
      "account.deleted",
      "AMMWithdraw",
      deleted("AccountRoot", key(1), {}),
      deleted("AccountRoot", key(2), { Account: bob })
    ],
    [
      "nft.offer_cancelled",
      "NFTokenBurn",
      deleted("NFTokenOffer", key(1), { Owner: bob }),
      deleted("NFTokenOffer", key(2), { Owner: bob, NFTokenID: hashNamed("nft") })
    ],
    [
      "check.created",
      "CheckCreate",
      created("Check", key(1), {}),
      created("Check", key(2), { Account: alice, Destination: bob, SendMax: "5", Sequence: 1 })
    ],
    [
      "escrow.created",
      "EscrowCreate",
      created("Escrow", key(1), {}),
      created("Escrow", key(2), { Account: alice, Destination: bob, Amount: "5" })
    ]
  ])("%s", (type, TransactionType, damaged, sound) => {
    const found = detect(transaction({ TransactionType }, [damaged, sound]))
    assert.include(names(found), `${type}:1`)
    assert.deepInclude(withheld(found), ["field_unreadable", type])
  })

  it.each(["created", "modified", "deleted"] as const)("trustline.%s", (change) => {
    const line = (id: number, currency: string) => {
      const fields = {
        Balance: token("0", neutral, currency),
        Flags: 0x41_0000,
        LowLimit: token("5", bob),
        HighLimit: token("0", issuer)
      }
      if (change === "created") return created("RippleState", key(id), fields)
      const previous = { Flags: 0x1_0000 }
      return change === "modified"
        ? modified("RippleState", key(id), fields, previous)
        : deleted("RippleState", key(id), fields, previous)
    }
    const found = detect(transaction({ TransactionType: "AMMClawback" }, [line(1, "x"), line(2, "USD")]))
    assert.deepStrictEqual(names(found), [`trustline.${change}:1`])
    assert.deepStrictEqual(withheld(found), [["field_unreadable", `trustline.${change}`]])
  })
})

describe("no number is reserved", () => {
  it("for a node whose event types cannot be told: its alert names none", () => {
    const { TakerGets: _, ...gone } = entry()
    const found = offerCreate(deleted("Offer", key(1), gone, earlier), filled(2), drained(3))
    assert.deepStrictEqual(names(found), ["dex.offer_partial", "dex.offer_filled", "dex.offer_cancelled"])
    assert.deepStrictEqual(withheld(found), [["field_unreadable", null]])
  })

  it("but the sign of an amount tells the types, whatever else of it is damaged", () => {
    const found = offerCreate(
      deleted("Offer", key(1), entry({ currency: "x", issuer, value: "0" }), earlier),
      deleted("Offer", key(2), entry({ currency: "x", issuer, value: "3" }), earlier)
    )
    assert.deepStrictEqual(names(found), [])
    assert.deepStrictEqual(
      withheld(found).map(([, type]) => type),
      ["dex.offer_filled", "dex.offer_partial", "dex.offer_cancelled"]
    )
  })

  it("for a line whose settings cannot be compared", () => {
    const damaged = modified(
      "RippleState",
      key(1),
      { Flags: "?", LowLimit: token("5", bob), HighLimit: token("0", issuer), Balance: token("0", neutral) },
      { Flags: 0 }
    )
    assert.deepStrictEqual(withheld(detect(transaction({ TransactionType: "TrustSet" }, [damaged]))), [
      ["field_unreadable", null]
    ])
  })

  it("in another transaction", () => {
    const fill = (index: number, more: JsonObject = {}) =>
      transaction(
        { TransactionType: "OfferCreate" },
        [filled(index + 1, more)],
        { TransactionIndex: index },
        hashNamed(`fill ${index}`)
      )
    const found = detectLedger(ledgerOf([fill(0, { Account: carol, Sequence: -1 }), fill(1)]))
    assert.deepStrictEqual(names(found), ["dex.offer_filled"])
  })
})

describe("an event of the transaction as a whole names its type when it is withheld", () => {
  it.each<[string | null, JsonObject]>([
    ["payment.xrp", { TransactionType: "Payment", Destination: "x", Amount: "5" }],
    ["payment.issued", { TransactionType: "Payment", Destination: "x", DeliverMax: usd("5") }],
    [null, { TransactionType: "Payment", Destination: "x", Amount: 5 }],
    ["nft.minted", { TransactionType: "NFTokenMint", Issuer: "x" }],
    ["nft.burned", { TransactionType: "NFTokenBurn" }],
    ["nft.offer_accepted", { TransactionType: "NFTokenAcceptOffer", NFTokenSellOffer: "x" }]
  ])("%s", (type, tx) => {
    assert.deepStrictEqual(withheld(detect(transaction(tx))), [["field_unreadable", type]])
  })

  it("account.settings_changed", () => {
    const root = modified("AccountRoot", key(1), { Account: alice, Flags: "?" }, { Flags: 0 })
    const found = detect(transaction({ TransactionType: "AccountSet" }, [root]))
    assert.deepStrictEqual(withheld(found), [["field_unreadable", "account.settings_changed"]])
  })
})
