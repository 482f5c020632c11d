/** The delivered amount (docs/detection-rules.md 1.6). */
import { assert, describe, it } from "@effect/vitest"
import { accountIdOfAddress } from "../../../src/spine/event/AccountId.ts"
import type { JsonObject, Ledger } from "../../../src/spine/event/Ledger.ts"
import type { Network } from "../../../src/spine/event/Network.ts"
import {
  alertTypes,
  alice,
  balance,
  bob,
  carol,
  created,
  dave,
  deleted,
  detect,
  in2013,
  issuer,
  key,
  modified,
  names,
  payloadNamed,
  token,
  transaction,
  usd,
  withheld
} from "./support.ts"

const PARTIAL = 0x2_0000
const neutral = "rrrrrrrrrrrrrrrrrrrrBZbvji"

const payment = (fields: JsonObject, nodes: ReadonlyArray<JsonObject> = [], meta: JsonObject = {}) =>
  transaction({ TransactionType: "Payment", Destination: bob, ...fields }, nodes, meta)

const amountOf = (found: ReturnType<typeof detect>, type = "payment.xrp") =>
  payloadNamed(found, type)["amount"]

/** A line between `low` and `high` whose balance changes, as the low side sees it. */
const line = (id: number, low: string, high: string, before: string, after: string) =>
  modified(
    "RippleState",
    key(id),
    { Balance: token(after, neutral), LowLimit: token("9", low), HighLimit: token("0", high) },
    { Balance: token(before, neutral) }
  )

describe("the delivered amount", () => {
  it("of a partial payment is not the amount asked for", () => {
    const found = detect(
      payment({ Flags: PARTIAL, Amount: "100000000000000000" }, [], { DeliveredAmount: "147413155" })
    )
    assert.strictEqual(amountOf(found), "147413155")
  })

  it("is DeliveredAmount rather than the API's delivered_amount", () => {
    const meta = { DeliveredAmount: "1", delivered_amount: "2" }
    assert.strictEqual(amountOf(detect(payment({ Flags: PARTIAL, Amount: "3" }, [], meta))), "1")
  })

  it("is the whole amount if recent metadata name none", () => {
    assert.strictEqual(amountOf(detect(payment({ Flags: PARTIAL, Amount: "77" }))), "77")
  })

  it("is the whole amount of an old payment that was not partial", () => {
    const meta = { delivered_amount: "unavailable" }
    assert.strictEqual(amountOf(detect(payment({ Amount: "77" }, [], meta), in2013)), "77")
  })

  it("of an old partial payment is what the receiver gained", () => {
    const old = payment({ Flags: PARTIAL, Amount: "77" }, [balance(bob, "10", "15")], {
      delivered_amount: "unavailable"
    })
    assert.strictEqual(amountOf(detect(old, in2013)), "5")
  })

  it("is the whole amount on a young network with low ledger indexes", () => {
    const young: Partial<Ledger> = { ledger_index: 41_452, close_time: 620_000_000 }
    assert.strictEqual(amountOf(detect(payment({ Flags: PARTIAL, Amount: "77" }), young)), "77")
  })

  it("is read with DeliverMax, the name in API version 2", () => {
    assert.strictEqual(amountOf(detect(payment({ DeliverMax: "77" }))), "77")
    assert.strictEqual(amountOf(detect(payment({ DeliverMax: "77" }, [], { delivered_amount: "76" }))), "76")
  })

  it("of an old account-funding partial payment is the new balance", () => {
    const root = created("AccountRoot", key(1), { Account: bob, Balance: "50" })
    assert.strictEqual(amountOf(detect(payment({ Flags: PARTIAL, Amount: "77" }, [root]), in2013)), "50")
  })
})

describe("the delivered amount derived from the nodes (step 5)", () => {
  it("CheckCash with DeliverMin: the fee that the casher paid is added", () => {
    const check = deleted("Check", key(3), { Account: bob, Destination: alice, SendMax: "500", Sequence: 4 })
    const cash = transaction({ TransactionType: "CheckCash", CheckID: key(3), DeliverMin: "50", Fee: "10" }, [
      check,
      balance(alice, "100", "190")
    ])
    assert.strictEqual(amountOf(detect(cash), "check.cashed"), "100")
  })

  it("the fee is added if the receiver paid it; a delegate pays instead of the account", () => {
    const old = { Flags: PARTIAL, Amount: "77", Fee: "10", Delegate: dave }
    const toOneself = payment({ ...old, Destination: alice }, [balance(alice, "100", "105")])
    assert.strictEqual(amountOf(detect(toOneself, in2013)), "5")
    const toDelegate = payment({ ...old, Destination: dave }, [balance(dave, "100", "95")])
    assert.strictEqual(amountOf(detect(toDelegate, in2013)), "5")
  })

  it("the fee of a sponsor is not the account's", () => {
    const old = { Flags: PARTIAL, Amount: "77", Fee: "10", Sponsor: dave, SponsorFlags: 1 }
    const toOneself = payment({ ...old, Destination: alice }, [balance(alice, "100", "105")])
    assert.strictEqual(amountOf(detect(toOneself, in2013)), "5")
    // Either his account or his Sponsorship entry paid it.
    const toSponsor = payment({ ...old, Destination: dave }, [balance(dave, "100", "105")])
    assert.deepStrictEqual(withheld(detect(toSponsor, in2013)), [["delivered_amount_unknown", "payment.xrp"]])
  })

  it("tokens: only lines with the amount's issuer count", () => {
    const nodes = [line(1, bob, issuer, "4", "7"), line(2, bob, carol, "5", "4")]
    const found = detect(payment({ Flags: PARTIAL, Amount: usd("10") }, nodes), in2013)
    assert.deepStrictEqual(amountOf(found, "payment.issued"), usd("3"))
  })

  it("tokens: another currency of the issuer does not count", () => {
    const other = modified(
      "RippleState",
      key(2),
      {
        Balance: token("9", neutral, "EUR"),
        LowLimit: token("9", bob, "EUR"),
        HighLimit: token("0", issuer, "EUR")
      },
      { Balance: token("1", neutral, "EUR") }
    )
    const nodes = [line(1, bob, issuer, "4", "7"), other]
    const found = detect(payment({ Flags: PARTIAL, Amount: usd("10") }, nodes), in2013)
    assert.deepStrictEqual(amountOf(found, "payment.issued"), usd("3"))
  })

  it("tokens: if the issuer receives, all its lines count, from its side", () => {
    const nodes = [line(1, alice, bob, "5", "4"), line(2, bob, carol, "-6", "-4")]
    const found = detect(payment({ Flags: PARTIAL, Amount: token("10", bob) }, nodes), in2013)
    assert.deepStrictEqual(amountOf(found, "payment.issued"), token("3", bob))
  })

  it("tokens: created and deleted lines count, exactly to the last digit", () => {
    const fresh = created("RippleState", key(1), {
      Balance: token("1234567890123456e-20", neutral),
      LowLimit: token("9", bob),
      HighLimit: token("0", issuer)
    })
    const found = detect(payment({ Flags: PARTIAL, Amount: usd("10") }, [fresh]), in2013)
    assert.deepStrictEqual(amountOf(found, "payment.issued"), usd("0.00001234567890123456"))
  })

  it("an amount that is not derivable: the event is withheld, with an alert", () => {
    const mpt = { mpt_issuance_id: "0000000A".padEnd(48, "C"), value: "300" }
    const cases: ReadonlyArray<readonly [JsonObject, ReadonlyArray<JsonObject>, string]> = [
      [{ Amount: "77" }, [], "payment.xrp"],
      [{ Amount: "77" }, [balance(bob, "15", "15")], "payment.xrp"],
      [{ Amount: "77" }, [balance(bob, "15", "10")], "payment.xrp"],
      [{ Amount: usd("1") }, [line(1, bob, issuer, "4", "3")], "payment.issued"],
      [{ Amount: mpt }, [balance(bob, "15", "20")], "payment.issued"]
    ]
    for (const [fields, nodes, type] of cases) {
      const found = detect(payment({ Flags: PARTIAL, ...fields }, nodes), in2013, "mainnet")
      assert.deepStrictEqual(names(found), [])
      assert.deepStrictEqual(alertTypes(found), [type])
    }
  })

  it("an unreadable node makes the amount not derivable", () => {
    const nodes = [balance(bob, "10", "15"), { ModifiedNode: null }]
    const found = detect(payment({ Flags: PARTIAL, Amount: "77" }, nodes), in2013)
    assert.deepStrictEqual(names(found), [])
    assert.deepStrictEqual(alertTypes(found).toSorted(), [null, "payment.xrp"])
  })

  it("a withheld payment leaves the other events of the transaction", () => {
    const nodes = [
      modified(
        "Offer",
        key(1),
        { Account: carol, Sequence: 4, TakerGets: "5", TakerPays: usd("5") },
        { TakerGets: "6", TakerPays: usd("6") }
      ),
      created("RippleState", key(2), {
        Balance: token("1", neutral),
        Flags: 0x1_0000,
        LowLimit: token("0", carol),
        HighLimit: token("0", issuer)
      })
    ]
    const found = detect(payment({ Flags: PARTIAL, Amount: "77" }, nodes), in2013)
    assert.deepStrictEqual(names(found), ["trustline.created", "dex.offer_partial"])
    assert.deepStrictEqual(alertTypes(found), ["payment.xrp"])
  })
})

describe("a partial payment of an MPT for which the metadata name no amount", () => {
  const sequence = 9
  const issuanceOf = (account: string): string => `0000000${sequence}${accountIdOfAddress(account)}`
  const id = issuanceOf(issuer)
  const mpt = (value: string, issuance = id) => ({ mpt_issuance_id: issuance, value })
  /** The API's delivered_amount repeats the maximum. */
  const claimed = { delivered_amount: mpt("100000") }
  const on =
    (network: Network | undefined, ledger_index: number) =>
    (nodes: ReadonlyArray<JsonObject>, meta: JsonObject = claimed, fields: JsonObject = {}) =>
      detect(
        payment({ Flags: PARTIAL, Amount: mpt("100000"), ...fields }, nodes, meta),
        { ledger_index },
        network
      )
  const partial = on("mainnet", 101_852_416)
  const holding = (account: string, fields: JsonObject, issuance = id) => ({
    Account: account,
    MPTokenIssuanceID: issuance,
    ...fields
  })

  it("reports what the receiver's MPToken gained, not the maximum", () => {
    const gained = modified("MPToken", key(1), holding(bob, { MPTAmount: "99514" }), { MPTAmount: "100" })
    assert.deepStrictEqual(amountOf(partial([gained]), "payment.issued"), mpt("99414"))
    // The same without the field that the API adds.
    assert.deepStrictEqual(amountOf(partial([gained], {}), "payment.issued"), mpt("99414"))
  })

  it("reads an absent MPTAmount as 0: a new MPToken, and the first units of one", () => {
    for (const first of [
      created("MPToken", key(1), holding(bob, { MPTAmount: "7" })),
      modified("MPToken", key(1), holding(bob, { MPTAmount: "7" }), {})
    ])
      assert.deepStrictEqual(amountOf(partial([first]), "payment.issued"), mpt("7"))
  })

  it("reports by how much the outstanding amount fell if the issuer receives", () => {
    const redeemed = modified(
      "MPTokenIssuance",
      key(1),
      { Issuer: bob, Sequence: sequence, OutstandingAmount: "600" },
      { OutstandingAmount: "1000" }
    )
    const found = partial([redeemed], {}, { Amount: mpt("500", issuanceOf(bob)) })
    assert.deepStrictEqual(amountOf(found, "payment.issued"), mpt("400", issuanceOf(bob)))
  })

  it("is withheld with an alert if the nodes do not show the amount", () => {
    const cases: ReadonlyArray<ReadonlyArray<JsonObject>> = [
      [],
      // The cases: another holder, another token, a decrease, and hex from an older codec.
      [modified("MPToken", key(1), holding(alice, { MPTAmount: "5" }), { MPTAmount: "9" })],
      [modified("MPToken", key(1), holding(bob, { MPTAmount: "9" }, issuanceOf(carol)), { MPTAmount: "5" })],
      [modified("MPToken", key(1), holding(bob, { MPTAmount: "5" }), { MPTAmount: "9" })],
      [deleted("MPToken", key(1), holding(bob, {}), { MPTAmount: "9" })],
      [modified("MPToken", key(1), holding(bob, { MPTAmount: "0000000000000064" }), { MPTAmount: "5" })],
      [modified("MPToken", key(1), holding(bob, { MPTAmount: "1F" }), { MPTAmount: "5" })]
    ]
    for (const nodes of cases) {
      const found = partial(nodes)
      assert.deepStrictEqual(names(found), [])
      assert.deepStrictEqual(alertTypes(found), ["payment.issued"])
    }
  })

  it("is the maximum from the amendment on: the receiver's own offer may have supplied a part", () => {
    const gained = modified("MPToken", key(1), holding(bob, { MPTAmount: "60000" }), { MPTAmount: "0" })
    const found = on("mainnet", 101_852_417)([gained], {})
    assert.deepStrictEqual(amountOf(found, "payment.issued"), mpt("100000"))
    assert.deepStrictEqual(found.alerts, [])
    const inVersion2 = on("mainnet", 101_852_417)(
      [],
      {},
      { Amount: undefined as never, DeliverMax: mpt("7") }
    )
    assert.deepStrictEqual(amountOf(inVersion2, "payment.issued"), mpt("7"))
  })

  it("where the amendment's ledger is not known: the maximum, unless the nodes show less", () => {
    const gained = (after: string) =>
      modified("MPToken", key(1), holding(bob, { MPTAmount: after }), { MPTAmount: "0" })
    for (const network of [undefined, "testnet", "devnet"] as const)
      for (const ledgerIndex of [5, 200_000_000]) {
        const elsewhere = on(network, ledgerIndex)
        for (const nodes of [[gained("100000")], [gained("100001")], [gained("0")], []]) {
          const whole = elsewhere(nodes)
          assert.deepStrictEqual(amountOf(whole, "payment.issued"), mpt("100000"))
          assert.deepStrictEqual(whole.alerts, [])
        }
        const less = elsewhere([gained("99999")])
        assert.deepStrictEqual(amountOf(less, "payment.issued"), mpt("99999"))
        assert.deepStrictEqual(withheld(less), [["delivered_amount_doubtful", "payment.issued"]])
      }
  })

  it("uses DeliveredAmount if present, and the API's field if the payment is not partial", () => {
    const meta = { ...claimed, DeliveredAmount: mpt("99414") }
    assert.deepStrictEqual(amountOf(partial([], meta), "payment.issued"), mpt("99414"))
    const whole = payment({ Amount: mpt("100000") }, [], claimed)
    assert.deepStrictEqual(amountOf(detect(whole), "payment.issued"), mpt("100000"))
  })
})

it("a malformed delivered amount is an alert, never the amount asked for", () => {
  for (const meta of [{ DeliveredAmount: null }, { DeliveredAmount: "12 XRP" }, { delivered_amount: {} }]) {
    const found = detect(payment({ Flags: PARTIAL, Amount: "77" }, [], meta))
    assert.deepStrictEqual(names(found), [])
    assert.strictEqual(found.alerts.length, 1)
  }
})
