/** nft.* (docs/detection-rules.md 2.3, 3). */
import { assert, describe, it } from "@effect/vitest"
import { parseNftokenId } from "../../../src/spine/detect/NftokenId.ts"
import type { JsonObject } from "../../../src/spine/event/Ledger.ts"
import {
  accountIdOf,
  alertTypes,
  alice,
  bob,
  carol,
  created,
  dave,
  deleted,
  detect,
  eventNamed,
  key,
  modified,
  names,
  payloadNamed,
  transaction,
  txHash,
  usd
} from "./support.ts"

/** With serial 0 the taxon is XORed with 2459 (0x99B) only, so the taxon here is 5. */
const firstId = (owner: string) => `00080064${accountIdOf(owner)}0000099E00000000`
/** Invented ids of one issuer: they differ in their first and last digits. */
const otherId = (n: number) =>
  `00080064${accountIdOf("alice")}0000000100000${n.toString(16).toUpperCase().padStart(3, "0")}`

const page = (owner: string, end: string) => accountIdOf(owner) + end.padStart(24, "0")
const tokens = (...ids: ReadonlyArray<string>) => ({
  NFTokens: ids.map((NFTokenID) => ({ NFToken: { NFTokenID } }))
})
const mint = (nodes: ReadonlyArray<JsonObject>, fields: JsonObject = {}) =>
  transaction(
    { TransactionType: "NFTokenMint", NFTokenTaxon: 5, Flags: 8, TransferFee: 100, ...fields },
    nodes
  )
const minter = (address: string, minted: number, more: JsonObject = {}) =>
  modified("AccountRoot", key(1), { Account: address, MintedNFTokens: minted, ...more })

const offer = (owner: string, more: JsonObject = {}) => ({
  Owner: owner,
  NFTokenID: firstId("alice"),
  Flags: 1,
  Amount: "500",
  ...more
})
const accept = (nodes: ReadonlyArray<JsonObject>, fields: JsonObject, meta: JsonObject = {}) =>
  transaction({ TransactionType: "NFTokenAcceptOffer", Account: carol, ...fields }, nodes, meta)

describe("nft.minted", () => {
  it("of the owner's first token, which creates the first page", () => {
    const found = detect(
      mint([minter(alice, 1), created("NFTokenPage", page("alice", "1"), tokens(firstId("alice")))], {
        URI: "6162"
      })
    )
    assert.deepStrictEqual(names(found), ["nft.minted"])
    assert.deepStrictEqual(payloadNamed(found, "nft.minted"), {
      tx_hash: txHash,
      nftoken_id: firstId("alice"),
      issuer: alice,
      owner: alice,
      taxon: 5,
      serial: 0,
      flags: 8,
      transfer_fee: 100,
      uri: "6162"
    })
    assert.deepStrictEqual(found.alerts, [])
  })

  it("when a page splits: the neighbour's tokens are not new", () => {
    const [a, b, c] = [otherId(1), otherId(2), otherId(3)]
    const nodes = [
      created("NFTokenPage", page("alice", "1"), tokens(a, b)),
      modified("NFTokenPage", page("alice", "2"), tokens(c, firstId("alice")), tokens(a, b, c)),
      modified("NFTokenPage", page("alice", "3"), tokens(otherId(7)), { PreviousPageMin: key(1) })
    ]
    const found = detect(mint(nodes))
    assert.strictEqual(payloadNamed(found, "nft.minted")["nftoken_id"], firstId("alice"))
  })

  it("when all old tokens move to a new page", () => {
    const nodes = [
      created("NFTokenPage", page("alice", "1"), tokens(otherId(1), otherId(2))),
      modified("NFTokenPage", page("alice", "2"), tokens(firstId("alice")), tokens(otherId(1), otherId(2)))
    ]
    assert.strictEqual(payloadNamed(detect(mint(nodes)), "nft.minted")["nftoken_id"], firstId("alice"))
  })

  it("by an authorised minter: minter is owner, issuer stays issuer, both are involved", () => {
    const nodes = [minter(bob, 1), created("NFTokenPage", page("alice", "1"), tokens(firstId("bob")))]
    const found = detect(mint(nodes, { Issuer: bob }))
    assert.deepInclude(payloadNamed(found, "nft.minted"), { issuer: bob, owner: alice })
    assert.deepStrictEqual(eventNamed(found, "nft.minted").accounts, [alice, bob].sort())
    assert.deepStrictEqual(found.alerts, [])
  })

  it("with an offer: two events; a missing amount is 0", () => {
    const nodes = [
      created("NFTokenPage", page("alice", "1"), tokens(firstId("alice"))),
      created("NFTokenOffer", key(9), {
        Owner: alice,
        NFTokenID: firstId("alice"),
        Flags: 1,
        Destination: bob,
        Expiration: 60
      })
    ]
    const found = detect(mint(nodes, { Amount: "0", Destination: bob }))
    assert.deepStrictEqual(names(found), ["nft.minted", "nft.offer_created"])
    assert.deepStrictEqual(payloadNamed(found, "nft.offer_created"), {
      tx_hash: txHash,
      offer_id: key(9),
      nftoken_id: firstId("alice"),
      owner: alice,
      is_sell: true,
      amount: "0",
      nft_owner: alice,
      destination: bob,
      expiration: "2000-01-01T00:01:00Z"
    })
  })

  it("without pages: the id is composed; if both methods fail, the event is withheld", () => {
    const composed = detect(mint([minter(alice, 1)]))
    assert.strictEqual(payloadNamed(composed, "nft.minted")["nftoken_id"], firstId("alice"))
    assert.deepStrictEqual(composed.alerts, [])
    const unknown = detect(mint([]))
    assert.deepStrictEqual(names(unknown), [])
    assert.deepStrictEqual(alertTypes(unknown), ["nft.minted"])
  })

  it("if the methods differ: the id of the pages, with an alert", () => {
    const found = detect(
      mint([minter(alice, 2), created("NFTokenPage", page("alice", "1"), tokens(firstId("alice")))])
    )
    assert.strictEqual(payloadNamed(found, "nft.minted")["nftoken_id"], firstId("alice"))
    assert.deepStrictEqual(alertTypes(found), ["nft.minted"])
  })

  it("serials start at FirstNFTokenSequence", () => {
    const found = detect(mint([minter(alice, 1, { FirstNFTokenSequence: 40_000_000 })]))
    assert.deepInclude(payloadNamed(found, "nft.minted"), { serial: 40_000_000, taxon: 5 })
  })

  it("a taxon may use all 32 bits", () => {
    const found = detect(mint([minter(alice, 1)], { NFTokenTaxon: 0xffff_ffff }))
    assert.strictEqual(payloadNamed(found, "nft.minted")["taxon"], 0xffff_ffff)
    assert.strictEqual(parseNftokenId(firstId("alice")).issuerId, accountIdOf("alice"))
  })
})

describe("nft.offer_created", () => {
  const create = (fields: JsonObject, node: JsonObject) =>
    detect(
      transaction({ TransactionType: "NFTokenCreateOffer", ...fields }, [
        created("NFTokenOffer", key(9), node)
      ])
    )

  it("a buy offer names and involves the token's owner", () => {
    const { Flags: _, ...node } = offer(alice)
    const found = create({ Owner: bob }, node)
    assert.deepInclude(payloadNamed(found, "nft.offer_created"), { is_sell: false, nft_owner: bob })
    assert.deepStrictEqual(eventNamed(found, "nft.offer_created").accounts, [alice, bob].sort())
  })

  it("a negative token amount is passed on as it is", () => {
    const found = create({ Flags: 1 }, offer(alice, { Amount: usd("-25") }))
    assert.deepStrictEqual(payloadNamed(found, "nft.offer_created")["amount"], usd("-25"))
  })
})

describe("nft.offer_accepted", () => {
  it("the buyer accepts an offer to sell", () => {
    const found = detect(
      accept([deleted("NFTokenOffer", key(1), offer(bob))], { NFTokenSellOffer: key(1).toLowerCase() })
    )
    assert.deepStrictEqual(names(found), ["nft.offer_accepted"])
    assert.deepStrictEqual(payloadNamed(found, "nft.offer_accepted"), {
      tx_hash: txHash,
      nftoken_id: firstId("alice"),
      seller: bob,
      buyer: carol,
      amount: "500",
      sell_offer_id: key(1),
      issuer: alice,
      transfer_fee: 100
    })
    assert.deepStrictEqual(eventNamed(found, "nft.offer_accepted").accounts, [alice, bob, carol].sort())
  })

  it("the seller accepts an offer to buy", () => {
    const node = deleted("NFTokenOffer", key(1), offer(bob, { Flags: 0 }))
    assert.deepInclude(
      payloadNamed(detect(accept([node], { NFTokenBuyOffer: key(1) })), "nft.offer_accepted"),
      { seller: carol, buyer: bob, buy_offer_id: key(1) }
    )
  })

  it("a brokered sale is one event at the buyer's price, and no cancellation", () => {
    const nodes = [
      deleted("NFTokenOffer", key(1), offer(bob)),
      deleted("NFTokenOffer", key(2), offer(dave, { Flags: 0, Amount: "600" }))
    ]
    const both = { NFTokenSellOffer: key(1), NFTokenBuyOffer: key(2), NFTokenBrokerFee: "50" }
    const found = detect(accept(nodes, both))
    assert.deepStrictEqual(names(found), ["nft.offer_accepted"])
    assert.deepStrictEqual(payloadNamed(found, "nft.offer_accepted"), {
      tx_hash: txHash,
      nftoken_id: firstId("alice"),
      seller: bob,
      buyer: dave,
      amount: "600",
      sell_offer_id: key(1),
      buy_offer_id: key(2),
      broker: carol,
      broker_fee: "50",
      issuer: alice,
      transfer_fee: 100
    })
  })

  it("an accepted offer that was not deleted: withheld; another deleted offer is cancelled", () => {
    const found = detect(accept([deleted("NFTokenOffer", key(2), offer(bob))], { NFTokenSellOffer: key(1) }))
    assert.deepStrictEqual(names(found), ["nft.offer_cancelled"])
    assert.strictEqual(payloadNamed(found, "nft.offer_cancelled")["reason"], "other")
    assert.deepStrictEqual(alertTypes(found), ["nft.offer_accepted"])
  })
})

describe("nft.offer_cancelled", () => {
  it("an expired offer, removed by an attempt to accept it", () => {
    const found = detect(
      accept(
        [deleted("NFTokenOffer", key(1), offer(bob))],
        { NFTokenSellOffer: key(1) },
        { TransactionResult: "tecEXPIRED" }
      )
    )
    assert.deepStrictEqual(names(found), ["nft.offer_cancelled"])
    assert.strictEqual(payloadNamed(found, "nft.offer_cancelled")["reason"], "expired")
    assert.deepStrictEqual(found.alerts, [])
  })

  it("by the owner: only offers that still existed", () => {
    const cancel = { TransactionType: "NFTokenCancelOffer", NFTokenOffers: [key(1), key(2), key(3)] }
    const nodes = [
      deleted("NFTokenOffer", key(1), offer(alice)),
      deleted("NFTokenOffer", key(3), offer(alice))
    ]
    const found = detect(transaction(cancel, nodes))
    assert.deepStrictEqual(names(found), ["nft.offer_cancelled:0", "nft.offer_cancelled:1"])
    assert.deepStrictEqual(payloadNamed(found, "nft.offer_cancelled:1"), {
      tx_hash: txHash,
      offer_id: key(3),
      nftoken_id: firstId("alice"),
      owner: alice,
      is_sell: true,
      amount: "500",
      reason: "cancelled",
      cancelled_by: alice
    })
  })

  it("by a stranger: expired; by the destination: cancelled", () => {
    const by = (Account: string) =>
      payloadNamed(
        detect(
          transaction({ TransactionType: "NFTokenCancelOffer", Account }, [
            deleted("NFTokenOffer", key(1), offer(alice, { Destination: bob, Expiration: 5 }))
          ])
        ),
        "nft.offer_cancelled"
      )["reason"]
    assert.deepStrictEqual([carol, alice, bob].map(by), ["expired", "cancelled", "cancelled"])
  })

  it("by a burn of the token", () => {
    const burn = { TransactionType: "NFTokenBurn", Owner: bob, NFTokenID: firstId("alice").toLowerCase() }
    const nodes = [deleted("NFTokenOffer", key(1), offer(bob)), deleted("NFTokenOffer", key(2), offer(carol))]
    const found = detect(transaction(burn, nodes))
    assert.deepStrictEqual(names(found), ["nft.burned", "nft.offer_cancelled:0", "nft.offer_cancelled:1"])
    assert.deepStrictEqual(payloadNamed(found, "nft.burned"), {
      tx_hash: txHash,
      nftoken_id: firstId("alice"),
      owner: bob,
      burned_by: alice,
      issuer: alice,
      taxon: 5,
      serial: 0
    })
    assert.strictEqual(payloadNamed(found, "nft.offer_cancelled:0")["reason"], "nft_burned")
    assert.notProperty(payloadNamed(found, "nft.offer_cancelled:0"), "cancelled_by")
  })
})
