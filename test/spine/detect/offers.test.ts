/** dex.*: offers in the book (docs/detection-rules.md 2.4). */
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/spine/event/Ledger.ts"
import {
  alertTypes,
  alice,
  bob,
  carol,
  created,
  dave,
  deleted,
  detect,
  eventNamed,
  hashNamed,
  issuer,
  key,
  modified,
  names,
  payloadNamed,
  transaction,
  txHash,
  usd
} from "./support.ts"

const offerCreate = (nodes: ReadonlyArray<JsonObject>, fields: JsonObject = {}, meta: JsonObject = {}) =>
  transaction(
    { TransactionType: "OfferCreate", TakerGets: "100", TakerPays: usd("5"), ...fields },
    nodes,
    meta
  )

const entry = (maker: string, sequence: number, gets: string, pays: string, more: JsonObject = {}) => ({
  Account: maker,
  Sequence: sequence,
  TakerGets: gets,
  TakerPays: usd(pays),
  ...more
})
const earlier = (gets: string, pays: string) => ({ TakerGets: gets, TakerPays: usd(pays) })

const filled = (id: number, maker = bob) =>
  deleted("Offer", key(id), entry(maker, id, "0", "0"), earlier("50", "2.5"))
const stale = (id: number, maker = bob, more: JsonObject = {}) =>
  deleted("Offer", key(id), entry(maker, id, "50", "2.5", more))
const placed = (gets: string, pays: string, more: JsonObject = {}) =>
  created("Offer", key(9), entry(alice, 7, gets, pays, more))

describe("dex.offer_created", () => {
  it("an offer placed as requested", () => {
    const found = detect(offerCreate([placed("100", "5")]))
    assert.deepStrictEqual(names(found), ["dex.offer_created"])
    assert.deepStrictEqual(payloadNamed(found, "dex.offer_created"), {
      tx_hash: txHash,
      offer_id: key(9),
      offer_sequence: 7,
      account: alice,
      taker_gets: "100",
      taker_pays: usd("5"),
      is_sell: false,
      is_passive: false
    })
    assert.deepStrictEqual(eventNamed(found, "dex.offer_created").accounts, [alice])
  })

  it("has flags, expiration and domain", () => {
    const more = { Flags: 0x3_0000, Expiration: 0, DomainID: hashNamed("d").toLowerCase() }
    assert.deepInclude(payloadNamed(detect(offerCreate([placed("100", "5", more)])), "dex.offer_created"), {
      is_sell: true,
      is_passive: true,
      expiration: "2000-01-01T00:00:00Z",
      domain_id: hashNamed("d")
    })
  })

  it("a partly crossed offer names the requested amounts of both sides", () => {
    const found = detect(offerCreate([filled(1), placed("50", "2.5")]))
    assert.deepStrictEqual(names(found), ["dex.offer_filled", "dex.offer_created"])
    assert.deepInclude(payloadNamed(found, "dex.offer_created"), {
      taker_gets: "50",
      requested_taker_gets: "100",
      requested_taker_pays: usd("5")
    })
  })

  it("each requested side is compared by value, independently", () => {
    const payload = payloadNamed(
      detect(offerCreate([placed("99", "5")], { TakerPays: usd("5.0") })),
      "dex.offer_created"
    )
    assert.strictEqual(payload["requested_taker_gets"], "100")
    assert.notProperty(payload, "requested_taker_pays")
  })

  it("a ticket's number is the offer's sequence", () => {
    const tx = offerCreate([placed("100", "5", { Sequence: 77 })], { Sequence: 0, TicketSequence: 77 })
    assert.strictEqual(payloadNamed(detect(tx), "dex.offer_created")["offer_sequence"], 77)
  })

  it("a side that New leaves out is 0 drops", () => {
    const fields = { Account: alice, Sequence: 7 }
    const gives = detect(offerCreate([created("Offer", key(9), { ...fields, TakerPays: usd("5") })]))
    assert.deepInclude(payloadNamed(gives, "dex.offer_created"), {
      taker_gets: "0",
      requested_taker_gets: "100"
    })
    const receives = created("Offer", key(9), { ...fields, TakerGets: usd("5") })
    const found = detect(offerCreate([receives], { TakerGets: usd("5"), TakerPays: "0" }))
    assert.deepInclude(payloadNamed(found, "dex.offer_created"), { taker_gets: usd("5"), taker_pays: "0" })
  })

  it("negative amounts are passed on unchanged", () => {
    const node = created("Offer", key(9), {
      Account: alice,
      Sequence: 7,
      TakerGets: usd("1"),
      TakerPays: "-1000000"
    })
    const payload = payloadNamed(detect(offerCreate([node])), "dex.offer_created")
    assert.strictEqual(payload["taker_pays"], "-1000000")
  })

  it("copied values keep the ledger's text; computed ones are in plain notation", () => {
    const payload = payloadNamed(
      detect(
        offerCreate([
          created("Offer", key(9), {
            Account: alice,
            Sequence: 7,
            TakerGets: usd("1000000000000000e-3"),
            TakerPays: usd("5000000000000000e-29")
          })
        ])
      ),
      "dex.offer_created"
    )
    assert.deepStrictEqual(payload["taker_gets"], usd("1000000000000000e-3"))
    assert.deepStrictEqual(payload["taker_pays"], usd("5000000000000000e-29"))
    const traded = modified(
      "Offer",
      key(1),
      { Account: bob, Sequence: 1, TakerGets: usd("1000000000000000e-3"), TakerPays: "5" },
      { TakerGets: usd("2000000000000000e-3"), TakerPays: "10" }
    )
    assert.deepStrictEqual(
      payloadNamed(detect(offerCreate([traded])), "dex.offer_partial")["filled_taker_gets"],
      usd("1000000000000")
    )
  })
})

describe("dex.offer_filled and dex.offer_partial", () => {
  it("a fully crossed order causes only the maker's event, which names the taker", () => {
    const found = detect(offerCreate([filled(1)]))
    assert.deepStrictEqual(names(found), ["dex.offer_filled"])
    assert.deepStrictEqual(payloadNamed(found, "dex.offer_filled"), {
      tx_hash: txHash,
      offer_id: key(1),
      offer_sequence: 1,
      account: bob,
      taker: alice,
      filled_taker_gets: "50",
      filled_taker_pays: usd("2.5"),
      remaining_taker_gets: "0",
      remaining_taker_pays: usd("0"),
      tx_type: "OfferCreate"
    })
    assert.deepStrictEqual(eventNamed(found, "dex.offer_filled").accounts, [alice, bob].sort())
  })

  it("an immediate-or-cancel order that takes a part of an offer", () => {
    const part = modified("Offer", key(1), entry(bob, 1, "20", "1"), earlier("50", "2.5"))
    assert.deepStrictEqual(names(detect(offerCreate([part], { Flags: 0x4_0000 }))), ["dex.offer_partial"])
  })

  it("a trade with an AMM alone causes no event", () => {
    const pool = modified("AccountRoot", key(1), { Account: dave, Balance: "9" }, { Balance: "5" })
    assert.deepStrictEqual(detect(offerCreate([pool])), { events: [], alerts: [] })
  })

  it("the side that did not change was filled by 0, in its own form", () => {
    const xrp = modified("Offer", key(1), entry(bob, 1, "20", "1"), { TakerPays: usd("2") })
    assert.deepInclude(payloadNamed(detect(offerCreate([xrp])), "dex.offer_partial"), {
      filled_taker_gets: "0",
      filled_taker_pays: usd("1")
    })
    const tokens = modified(
      "Offer",
      key(1),
      { Account: bob, Sequence: 1, TakerGets: usd("3"), TakerPays: "20" },
      { TakerPays: "21" }
    )
    assert.deepInclude(payloadNamed(detect(offerCreate([tokens])), "dex.offer_partial"), {
      filled_taker_gets: usd("0"),
      filled_taker_pays: "1"
    })
    const mpt = (value: string) => ({ mpt_issuance_id: "0000000A".padEnd(48, "C"), value })
    const mpts = modified(
      "Offer",
      key(1),
      { Account: bob, Sequence: 1, TakerGets: mpt("3"), TakerPays: "20" },
      { TakerPays: "21" }
    )
    assert.deepStrictEqual(
      payloadNamed(detect(offerCreate([mpts])), "dex.offer_partial")["filled_taker_gets"],
      mpt("0")
    )
  })

  it("an offer without a trade in its node causes no event", () => {
    const touched = modified("Offer", key(1), entry(bob, 1, "20", "1"), { BookNode: "0" })
    assert.deepStrictEqual(names(detect(offerCreate([touched]))), [])
  })

  it("taken as far as its owner's funds went: partial and cancelled", () => {
    const drained = deleted("Offer", key(1), entry(bob, 1, "126628582", "4"), earlier("179986047", "6.5"))
    const found = detect(offerCreate([drained]))
    assert.deepStrictEqual(names(found), ["dex.offer_partial", "dex.offer_cancelled"])
    assert.strictEqual(payloadNamed(found, "dex.offer_partial")["filled_taker_gets"], "53357465")
    assert.deepInclude(payloadNamed(found, "dex.offer_cancelled"), {
      reason: "unfunded",
      taker_gets: "126628582",
      taker_pays: usd("4")
    })
  })

  it("a rest after a trade is unfunded, even if it also expired or crossed its owner", () => {
    const drained = (maker: string) =>
      deleted("Offer", key(1), entry(maker, 1, "10", "1", { Expiration: 5 }), earlier("50", "5"))
    for (const maker of [alice, bob])
      assert.strictEqual(
        payloadNamed(detect(offerCreate([drained(maker)])), "dex.offer_cancelled")["reason"],
        "unfunded"
      )
  })

  it("filled if one side is used up", () => {
    for (const [gets, pays] of [
      ["0", "1"],
      ["1", "0"]
    ] as const) {
      const node = deleted("Offer", key(1), entry(bob, 1, gets, pays), earlier("50", "5"))
      assert.deepStrictEqual(names(detect(offerCreate([node]))), ["dex.offer_filled"])
    }
  })

  it("the two events of one node are numbered independently", () => {
    const drained = (id: number) => deleted("Offer", key(id), entry(bob, id, "10", "1"), earlier("50", "5"))
    const found = detect(offerCreate([drained(1), stale(2, carol), drained(3)]))
    assert.deepStrictEqual(names(found), [
      "dex.offer_partial:0",
      "dex.offer_partial:1",
      "dex.offer_cancelled:0",
      "dex.offer_cancelled:1",
      "dex.offer_cancelled:2"
    ])
    assert.strictEqual(payloadNamed(found, "dex.offer_partial:1")["offer_id"], key(3))
    assert.strictEqual(payloadNamed(found, "dex.offer_cancelled:1")["offer_id"], key(2))
  })

  it("filled if the rest is negative", () => {
    const node = deleted("Offer", key(1), entry(bob, 1, "3", "-5"), earlier("50", "2.5"))
    const found = detect(offerCreate([node]))
    assert.deepStrictEqual(names(found), ["dex.offer_filled"])
    assert.deepInclude(payloadNamed(found, "dex.offer_filled"), {
      remaining_taker_pays: usd("-5"),
      filled_taker_pays: usd("7.5")
    })
  })

  it("a negative filled amount is emitted, with an alert", () => {
    const grown = modified("Offer", key(1), entry(bob, 1, "60", "2"), earlier("50", "2.5"))
    const found = detect(offerCreate([grown]))
    assert.strictEqual(payloadNamed(found, "dex.offer_partial")["filled_taker_gets"], "-10")
    assert.deepStrictEqual(alertTypes(found), ["dex.offer_partial"])
  })
})

describe("an offer of a permissioned domain", () => {
  const inDomain = { DomainID: hashNamed("d").toLowerCase(), Flags: 0x4_0000 }
  const nodes = (more: JsonObject) => [
    placed("100", "5", more),
    modified("Offer", key(1), entry(bob, 1, "20", "1", more), earlier("50", "2.5")),
    deleted("Offer", key(2), entry(bob, 2, "0", "0", more), earlier("50", "2.5")),
    stale(3, bob, more)
  ]
  const payloads = (more: JsonObject) => detect(offerCreate(nodes(more))).events.map(({ payload }) => payload)

  it("has it in all four event types; is_hybrid is there only if it is true", () => {
    const hybrid = payloads(inDomain)
    assert.lengthOf(hybrid, 4)
    for (const payload of hybrid) assert.deepInclude(payload, { domain_id: hashNamed("d"), is_hybrid: true })
    for (const payload of payloads({ DomainID: hashNamed("d"), Flags: 0x3_0000 })) {
      assert.strictEqual(payload["domain_id"], hashNamed("d"))
      assert.notProperty(payload, "is_hybrid")
    }
  })

  it("other offers have neither field", () => {
    for (const payload of payloads({})) assert.doesNotHaveAnyKeys(payload, ["domain_id", "is_hybrid"])
  })
})

describe("dex.offer_cancelled", () => {
  it("by OfferCancel; no event if the offer no longer exists", () => {
    const cancel = { TransactionType: "OfferCancel", OfferSequence: 5 }
    const found = detect(transaction(cancel, [stale(5, alice)]))
    assert.deepStrictEqual(payloadNamed(found, "dex.offer_cancelled"), {
      tx_hash: txHash,
      offer_id: key(5),
      offer_sequence: 5,
      account: alice,
      taker_gets: "50",
      taker_pays: usd("2.5"),
      reason: "cancelled",
      tx_type: "OfferCancel"
    })
    assert.deepStrictEqual(names(detect(transaction(cancel, []))), [])
  })

  it("replaced by a new order", () => {
    const found = detect(offerCreate([stale(5, alice), placed("100", "5")], { OfferSequence: 5 }))
    assert.deepStrictEqual(names(found), ["dex.offer_cancelled", "dex.offer_created"])
    assert.strictEqual(payloadNamed(found, "dex.offer_cancelled")["reason"], "replaced")
  })

  it("strangers' stale offers: expired by the parent's close time, else unfunded, without the taker", () => {
    const found = detect(
      offerCreate([
        stale(1, bob, { Expiration: 799_999_990 }),
        filled(2),
        stale(3, carol, { Expiration: 799_999_991 })
      ])
    )
    assert.deepStrictEqual(names(found), [
      "dex.offer_filled",
      "dex.offer_cancelled:0",
      "dex.offer_cancelled:1"
    ])
    assert.strictEqual(payloadNamed(found, "dex.offer_cancelled:0")["reason"], "expired")
    assert.strictEqual(payloadNamed(found, "dex.offer_cancelled:1")["reason"], "unfunded")
    assert.deepStrictEqual(eventNamed(found, "dex.offer_cancelled:1").accounts, [carol])
  })

  it("a killed fill-or-kill order also removes stale offers, but not the one it names", () => {
    const found = detect(offerCreate([stale(1, bob)], {}, { TransactionResult: "tecKILLED" }))
    assert.strictEqual(payloadNamed(found, "dex.offer_cancelled")["reason"], "unfunded")
  })

  it("the owner's own crossing offer", () => {
    const found = detect(offerCreate([stale(3, alice)], { OfferSequence: 5 }))
    assert.strictEqual(payloadNamed(found, "dex.offer_cancelled")["reason"], "self_crossed")
  })

  it("1202 offers in one transaction", () => {
    const found = detect(offerCreate(Array.from({ length: 1202 }, (_, i) => stale(i + 1))))
    assert.deepStrictEqual(
      names(found),
      Array.from({ length: 1202 }, (_, i) => `dex.offer_cancelled:${i}`)
    )
  })

  it("nothing has expired if the parent's close time is unknown", () => {
    const tx = offerCreate([stale(1, bob, { Expiration: 5 })])
    const unknown = detect(tx, { parent_close_time: undefined })
    assert.strictEqual(payloadNamed(unknown, "dex.offer_cancelled")["reason"], "unfunded")
    const known = detect(tx, { parent_close_time: 5 })
    assert.strictEqual(payloadNamed(known, "dex.offer_cancelled")["reason"], "expired")
  })

  it("a delegate is involved if its account is, in any role", () => {
    const Delegate = dave
    const fill = detect(offerCreate([filled(1)], { Delegate }))
    assert.include(eventNamed(fill, "dex.offer_filled").accounts, dave)
    const own = detect(
      transaction({ TransactionType: "OfferCancel", OfferSequence: 5, Delegate }, [stale(5, alice)])
    )
    assert.deepStrictEqual(eventNamed(own, "dex.offer_cancelled").accounts, [alice, dave].sort())
    const strangers = detect(offerCreate([stale(1, bob)], { Delegate }))
    assert.deepStrictEqual(eventNamed(strangers, "dex.offer_cancelled").accounts, [bob])
  })

  it("the taker is the sender of the transaction, of any type", () => {
    const cash = transaction({ TransactionType: "CheckCash" }, [filled(1)])
    assert.deepInclude(payloadNamed(detect(cash), "dex.offer_filled"), { taker: alice, tx_type: "CheckCash" })
    assert.notInclude(eventNamed(detect(cash), "dex.offer_filled").accounts, issuer)
  })
})
