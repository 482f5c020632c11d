/** escrow.* and check.* (docs/detection-rules.md 2.7, 2.8). */
import { assert, describe, it } from "@effect/vitest"
import { accountIdOfAddress } from "../../../src/spine/event/AccountId.ts"
import type { Json, JsonObject } from "../../../src/spine/event/Ledger.ts"
import {
  alertTypes,
  alice,
  bob,
  carol,
  created,
  deleted,
  detect,
  eventNamed,
  hashNamed,
  issuer,
  key,
  modified,
  names,
  payloadNamed,
  token,
  transaction,
  txHash,
  usd,
  withheld
} from "./support.ts"

const under = (TransactionType: string, Account: string, fields: JsonObject = {}, meta: JsonObject = {}) => ({
  of: (...nodes: ReadonlyArray<JsonObject>) =>
    detect(transaction({ TransactionType, Account, ...fields }, nodes, meta))
})

describe("escrows", () => {
  const entry = {
    Account: alice,
    Destination: bob,
    Amount: "1000",
    Condition: "A0258020",
    FinishAfter: 10,
    CancelAfter: 20,
    DestinationTag: 0,
    SourceTag: 4
  }
  const common = {
    tx_hash: txHash,
    escrow_id: key(1),
    owner: alice,
    destination: bob,
    amount: "1000",
    destination_tag: 0,
    source_tag: 4,
    condition: "A0258020",
    finish_after: "2000-01-01T00:00:10Z",
    cancel_after: "2000-01-01T00:00:20Z"
  }

  it("are created, finished by anybody, or cancelled, without a payment event", () => {
    const make = under("EscrowCreate", alice, { Sequence: 0, TicketSequence: 77 }).of(
      created("Escrow", key(1), entry)
    )
    assert.deepStrictEqual(names(make), ["escrow.created"])
    assert.deepStrictEqual(payloadNamed(make, "escrow.created"), { ...common, sequence: 77 })
    assert.deepStrictEqual(eventNamed(make, "escrow.created").accounts, [alice, bob].sort())

    const finish = under("EscrowFinish", carol, { OfferSequence: 77, Fulfillment: "A022" }).of(
      deleted("Escrow", key(1), entry)
    )
    assert.deepStrictEqual(names(finish), ["escrow.finished"])
    assert.deepStrictEqual(payloadNamed(finish, "escrow.finished"), {
      ...common,
      sequence: 77,
      finished_by: carol,
      fulfillment: "A022",
      delivered_amount: "1000"
    })
    assert.deepStrictEqual(eventNamed(finish, "escrow.finished").accounts, [alice, bob, carol].sort())

    const cancel = under("EscrowCancel", carol, { OfferSequence: 77 }).of(deleted("Escrow", key(1), entry))
    assert.deepStrictEqual(payloadNamed(cancel, "escrow.cancelled"), {
      ...common,
      sequence: 77,
      cancelled_by: carol
    })
  })

  describe("delivered_amount", () => {
    const neutral = "rrrrrrrrrrrrrrrrrrrrBZbvji"
    const finished = (Amount: Json, nodes: ReadonlyArray<JsonObject>, Destination = bob) => {
      const gone = deleted("Escrow", key(1), { Account: alice, Destination, Amount })
      const found = under("EscrowFinish", carol, { OfferSequence: 7 }).of(gone, ...nodes)
      assert.deepStrictEqual(found.alerts, [])
      return payloadNamed(found, "escrow.finished")["delivered_amount"]
    }
    const line = (holder: string, after: string) => ({
      Balance: token(after, neutral),
      Flags: 0x1_0000,
      LowLimit: token("0", holder),
      HighLimit: token("0", issuer)
    })
    const received = (before: string, after: string) =>
      modified("RippleState", key(2), line(bob, after), { Balance: token(before, neutral) })

    it("of a token: what the destination's line gained", () => {
      assert.deepStrictEqual(finished(usd("100"), [received("5", "104.5")]), usd("99.5"))
      const fresh = created("RippleState", key(2), line(bob, "99"))
      assert.deepStrictEqual(finished(usd("100"), [fresh]), usd("99"))
    })

    it("of an MPT: what the destination's MPToken gained, or by how much the outstanding amount fell", () => {
      const mpt = (value: string, account: string) => ({
        mpt_issuance_id: `00000009${accountIdOfAddress(account)}`,
        value
      })
      const held = { Account: bob, MPTokenIssuanceID: mpt("", issuer).mpt_issuance_id, MPTAmount: "95" }
      const holder = modified("MPToken", key(2), held, { MPTAmount: "5" })
      assert.deepStrictEqual(finished(mpt("100", issuer), [holder]), mpt("90", issuer))
      const issuance = { Issuer: bob, Sequence: 9, OutstandingAmount: "900" }
      const redeemed = modified("MPTokenIssuance", key(2), issuance, { OutstandingAmount: "1000" })
      assert.deepStrictEqual(finished(mpt("100", bob), [redeemed]), mpt("100", bob))
    })

    it("is left out, without an alert, if the nodes do not show it", () => {
      const damaged = modified("RippleState", key(2), { ...line(bob, "9"), Balance: "9" }, { Balance: "5" })
      for (const nodes of [[], [received("5", "5")], [received("5", "4")], [damaged]])
        assert.isUndefined(finished(usd("100"), nodes))
      // The obligation of an issuer fell when the escrow was created.
      assert.isUndefined(finished(usd("100"), [], issuer))
    })
  })

  it("have bytes of at most 1,024 hex digits; with more the event is withheld", () => {
    const finish = (Fulfillment: string, more: JsonObject = {}) =>
      under("EscrowFinish", carol, { OfferSequence: 77, Fulfillment }).of(
        deleted("Escrow", key(1), { ...entry, ...more })
      )
    assert.deepStrictEqual(names(finish("AB".repeat(512))), ["escrow.finished"])
    for (const found of [finish("AB".repeat(513)), finish("AB", { Condition: "AB".repeat(513) })]) {
      assert.deepStrictEqual(names(found), [])
      assert.deepStrictEqual(withheld(found), [["field_unreadable", "escrow.finished"]])
    }
  })

  it("cause no event if finishing fails", () => {
    const failed = under("EscrowFinish", carol, {}, { TransactionResult: "tecCRYPTOCONDITION_ERROR" })
    assert.deepStrictEqual(failed.of(), { events: [], alerts: [] })
  })

  it("deleted by anything else are an alert", () => {
    const found = under("SomethingNew", alice).of(deleted("Escrow", key(1), entry))
    assert.deepStrictEqual(names(found), [])
    assert.strictEqual(found.alerts.length, 1)
  })
})

describe("checks", () => {
  const entry = {
    Account: alice,
    Destination: bob,
    SendMax: usd("50"),
    Sequence: 12,
    InvoiceID: hashNamed("invoice"),
    Expiration: 30
  }
  const common = {
    tx_hash: txHash,
    check_id: key(1),
    account: alice,
    destination: bob,
    send_max: usd("50"),
    sequence: 12,
    invoice_id: hashNamed("invoice"),
    expiration: "2000-01-01T00:00:30Z"
  }
  const gone = deleted("Check", key(1), entry)

  it("are created, and involve writer and destination", () => {
    const found = under("CheckCreate", alice).of(created("Check", key(1), entry))
    assert.deepStrictEqual(payloadNamed(found, "check.created"), common)
    assert.deepStrictEqual(eventNamed(found, "check.created").accounts, [alice, bob].sort())
  })

  it("are cashed for the delivered amount, not for DeliverMin", () => {
    const found = under("CheckCash", bob, { DeliverMin: usd("10") }, { DeliveredAmount: usd("37") }).of(gone)
    assert.deepStrictEqual(payloadNamed(found, "check.cashed"), { ...common, amount: usd("37") })
    assert.deepStrictEqual(eventNamed(found, "check.cashed").accounts, [alice, bob].sort())
  })

  it("may create the casher's trust line", () => {
    const line = created("RippleState", key(2), {
      Balance: token("50", "rrrrrrrrrrrrrrrrrrrrBZbvji"),
      Flags: 0x1_0000,
      LowLimit: token("0", bob),
      HighLimit: token("0", issuer)
    })
    const found = under("CheckCash", bob, { Amount: usd("50") }).of(gone, line)
    assert.deepStrictEqual(names(found), ["trustline.created", "check.cashed"])
    assert.deepInclude(payloadNamed(found, "trustline.created"), { auto_created: true, account: bob })
  })

  it("whose delivered amount is not derivable are withheld", () => {
    const found = under("CheckCash", bob, { DeliverMin: usd("10") }).of(gone)
    assert.deepStrictEqual(names(found), [])
    assert.deepStrictEqual(alertTypes(found), ["check.cashed"])
  })

  it("cancelled by a party: cancelled; by a stranger: expired", () => {
    const by = (account: string) => payloadNamed(under("CheckCancel", account).of(gone), "check.cancelled")
    assert.deepStrictEqual(by(carol), { ...common, cancelled_by: carol, reason: "expired" })
    assert.strictEqual(by(alice)["reason"], "cancelled")
    assert.strictEqual(by(bob)["reason"], "cancelled")
  })

  it("cause no event if cashed too late", () => {
    const late = under("CheckCash", bob, {}, { TransactionResult: "tecEXPIRED" })
    assert.deepStrictEqual(late.of(modified("Check", key(1), entry)), { events: [], alerts: [] })
  })

  it("deleted by anything else are an alert", () => {
    const failed = { TransactionResult: "tecNO_PERMISSION" }
    for (const found of [
      under("Payment", bob, { Amount: "1", Destination: carol }).of(gone),
      under("CheckCancel", bob, {}, failed).of(gone)
    ]) {
      assert.notInclude(names(found).join(), "check.")
      assert.strictEqual(found.alerts.length, 1)
    }
  })
})
