/** trustline.* (docs/detection-rules.md 2.5). */
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/spine/event/Ledger.ts"
import {
  alice,
  bob,
  created,
  deleted,
  detect,
  eventNamed,
  issuer,
  key,
  modified,
  names,
  payloadNamed,
  token,
  transaction,
  txHash
} from "./support.ts"

const neutral = "rrrrrrrrrrrrrrrrrrrrBZbvji"
const LOW_RESERVE = 0x1_0000
const HIGH_RESERVE = 0x2_0000

/** A line of alice (low) with the issuer (high). */
const line = (more: JsonObject = {}) => ({
  Balance: token("5", neutral),
  Flags: LOW_RESERVE,
  LowLimit: token("100", alice),
  HighLimit: token("0", issuer),
  ...more
})

const trustSet = (nodes: ReadonlyArray<JsonObject>, fields: JsonObject = {}) =>
  transaction({ TransactionType: "TrustSet", LimitAmount: token("100"), ...fields }, nodes)

const changesOf = (fields: JsonObject, previous: JsonObject, tx: JsonObject = {}) =>
  payloadNamed(
    detect(trustSet([modified("RippleState", key(1), fields, previous)], tx)),
    "trustline.modified"
  )["changes"]

describe("trustline.created", () => {
  it("by TrustSet", () => {
    const found = detect(
      trustSet([created("RippleState", key(1), line({ Flags: 0x11_0000, Balance: token("0", neutral) }))])
    )
    assert.deepStrictEqual(names(found), ["trustline.created"])
    assert.deepStrictEqual(payloadNamed(found, "trustline.created"), {
      tx_hash: txHash,
      trustline_id: key(1),
      account: alice,
      counterparty: issuer,
      currency: "USD",
      limit: "100",
      limit_peer: "0",
      balance: "0",
      no_ripple: true,
      no_ripple_peer: false,
      freeze: false,
      freeze_peer: false,
      deep_freeze: false,
      deep_freeze_peer: false,
      authorized: false,
      peer_authorized: false,
      tx_type: "TrustSet",
      auto_created: false
    })
    assert.deepStrictEqual(eventNamed(found, "trustline.created").accounts, [alice, issuer].sort())
  })

  it("an issuer that authorises before the holder acts owns the line", () => {
    const fields = line({ Flags: HIGH_RESERVE | 0x8_0000, Balance: token("0", neutral) })
    const found = detect(trustSet([created("RippleState", key(1), fields)], { Account: issuer }))
    assert.deepInclude(payloadNamed(found, "trustline.created"), {
      account: issuer,
      counterparty: alice,
      authorized: true,
      peer_authorized: false
    })
  })

  it("an AMM's lines: two created beside its account", () => {
    const amm = created("AccountRoot", key(1), { Account: bob, AMMID: key(99), Balance: "1000" })
    const lp = "03930D02208264E2E40EC1B0C09E4DB96EE197B1"
    const pool = created("RippleState", key(2), {
      Balance: token("-30", neutral),
      Flags: 0x100_0000 | HIGH_RESERVE,
      LowLimit: token("0", issuer),
      HighLimit: token("0", bob)
    })
    const share = created("RippleState", key(3), {
      Balance: token("70", neutral, lp),
      Flags: LOW_RESERVE,
      LowLimit: token("0", alice, lp),
      HighLimit: token("0", bob, lp)
    })
    const found = detect(transaction({ TransactionType: "AMMCreate" }, [amm, pool, share]))
    assert.deepStrictEqual(names(found), ["account.created", "trustline.created:0", "trustline.created:1"])
    assert.strictEqual(payloadNamed(found, "account.created")["pseudo_account_type"], "amm")
    assert.deepInclude(payloadNamed(found, "trustline.created:0"), {
      account: bob,
      balance: "30",
      amm_pool: true,
      auto_created: true
    })
    assert.notProperty(payloadNamed(found, "trustline.created:1"), "amm_pool")
  })
})

describe("trustline.modified", () => {
  it("a changed limit, also to 0 with a balance left", () => {
    const fields = line({ LowLimit: token("0", alice), HighLimit: token("7", issuer) })
    assert.deepStrictEqual(changesOf(fields, { HighLimit: token("0", issuer) }), [
      { field: "limit_peer", previous: "0", value: "7" }
    ])
    assert.deepStrictEqual(changesOf(fields, { LowLimit: token("100", alice) }), [
      { field: "limit", previous: "100", value: "0" }
    ])
  })

  it("a freeze by the issuer is seen from its side and involves the holder", () => {
    const node = modified("RippleState", key(1), line({ Flags: LOW_RESERVE | 0x80_0000 }), {
      Flags: LOW_RESERVE
    })
    const found = detect(trustSet([node], { Account: issuer }))
    assert.deepInclude(payloadNamed(found, "trustline.modified"), {
      account: issuer,
      balance: "-5",
      freeze: true,
      changed_by: issuer,
      changes: [{ field: "freeze", previous: false, value: true }]
    })
    assert.include(eventNamed(found, "trustline.modified").accounts, alice)
  })

  it("changes of balance and reserve flags cause no event", () => {
    const moved = modified("RippleState", key(1), line(), { Balance: token("4", neutral) })
    assert.deepStrictEqual(names(detect(transaction({ TransactionType: "AMMDeposit" }, [moved]))), [])
    const reserve = modified("RippleState", key(1), line(), { Flags: HIGH_RESERVE })
    assert.deepStrictEqual(names(detect(trustSet([reserve]))), [])
    const amm = modified("RippleState", key(1), line({ Flags: 0x101_0000 }), { Flags: LOW_RESERVE })
    assert.deepStrictEqual(names(detect(trustSet([amm]))), [])
  })

  it("a first quality is found although PreviousFields are empty", () => {
    const fields = line({ LowQualityIn: 1_010_000_000 })
    assert.deepStrictEqual(changesOf(fields, {}, { QualityIn: 1_010_000_000 }), [
      { field: "quality_in", value: 1_010_000_000 }
    ])
    const silent = trustSet([modified("RippleState", key(1), fields, {})])
    assert.deepStrictEqual(names(detect(silent)), [])
  })

  it("a first quality is found beside another change", () => {
    const fields = line({ LowQualityIn: 5, LowQualityOut: 6, LowLimit: token("50", alice) })
    const asked = { QualityIn: 5, QualityOut: 6 }
    assert.deepStrictEqual(changesOf(fields, { LowLimit: token("100", alice) }, asked), [
      { field: "limit", previous: "100", value: "50" },
      { field: "quality_in", value: 5 },
      { field: "quality_out", value: 6 }
    ])
    assert.deepStrictEqual(changesOf(fields, { LowLimit: token("100", alice), LowQualityIn: 4 }, asked), [
      { field: "limit", previous: "100", value: "50" },
      { field: "quality_in", previous: 4, value: 5 },
      { field: "quality_out", value: 6 }
    ])
  })

  it("a quality that the TrustSet does not name, or sets to the default, was not set", () => {
    const fields = line({ LowQualityIn: 5, HighQualityIn: 5, LowLimit: token("50", alice) })
    const limit = [{ field: "limit", previous: "100", value: "50" }]
    for (const asked of [{}, { QualityIn: 0 }, { QualityIn: 1_000_000_000 }, { QualityOut: 5 }])
      assert.deepStrictEqual(changesOf(fields, { LowLimit: token("100", alice) }, asked), limit)
  })

  it("a TrustSet that changes nothing causes no event", () => {
    assert.deepStrictEqual(detect(trustSet([])), { events: [], alerts: [] })
  })

  it("several changes are sorted by field", () => {
    const fields = line({ Flags: LOW_RESERVE | 0x40_0000, LowLimit: token("50", alice) })
    assert.deepStrictEqual(
      changesOf(fields, { Flags: LOW_RESERVE, LowLimit: token("100", alice), LowQualityOut: 7 }),
      [
        { field: "freeze", previous: false, value: true },
        { field: "limit", previous: "100", value: "50" },
        { field: "quality_out", previous: 7 }
      ]
    )
  })

  it("each of the 14 settings has its name, from the account's side", () => {
    const flags = LOW_RESERVE | 0x6fc_0000
    const fields = line({
      Flags: flags,
      LowLimit: token("1", alice),
      HighLimit: token("2", issuer),
      LowQualityIn: 3,
      HighQualityIn: 4,
      LowQualityOut: 5,
      HighQualityOut: 6
    })
    const previous = {
      Flags: LOW_RESERVE,
      LowLimit: token("10", alice),
      HighLimit: token("20", issuer),
      LowQualityIn: 30,
      HighQualityIn: 40,
      LowQualityOut: 50,
      HighQualityOut: 60
    }
    const flag = (field: string) => ({ field, previous: false, value: true })
    assert.deepStrictEqual(changesOf(fields, previous), [
      flag("authorized"),
      flag("deep_freeze"),
      flag("deep_freeze_peer"),
      flag("freeze"),
      flag("freeze_peer"),
      { field: "limit", previous: "10", value: "1" },
      { field: "limit_peer", previous: "20", value: "2" },
      flag("no_ripple"),
      flag("no_ripple_peer"),
      flag("peer_authorized"),
      { field: "quality_in", previous: 30, value: 3 },
      { field: "quality_in_peer", previous: 40, value: 4 },
      { field: "quality_out", previous: 50, value: 5 },
      { field: "quality_out_peer", previous: 60, value: 6 }
    ])
  })

  it("the same limit written differently is no change", () => {
    const node = modified("RippleState", key(1), line(), { LowLimit: token("100.0", alice) })
    assert.deepStrictEqual(names(detect(trustSet([node]))), [])
  })

  it("under another transaction the reserve flag decides the side", () => {
    const fields = line({ Flags: HIGH_RESERVE, HighLimit: token("3", issuer) })
    const node = modified("RippleState", key(1), fields, { HighLimit: token("9", issuer) })
    const found = detect(transaction({ TransactionType: "SomethingNew", Account: bob }, [node]))
    assert.deepInclude(payloadNamed(found, "trustline.modified"), {
      account: issuer,
      changed_by: bob,
      limit: "3"
    })
    assert.notInclude(eventNamed(found, "trustline.modified").accounts, bob)
  })
})

describe("trustline.deleted", () => {
  it("by a TrustSet to the defaults, without trustline.modified", () => {
    const fields = line({ Flags: 0, Balance: token("0", neutral), LowLimit: token("0", alice) })
    const node = deleted("RippleState", key(1), fields, {
      Flags: LOW_RESERVE,
      LowLimit: token("1000000000000000e-3", alice)
    })
    const found = detect(trustSet([node]))
    assert.deepStrictEqual(names(found), ["trustline.deleted"])
    assert.deepInclude(payloadNamed(found, "trustline.deleted"), {
      limit: "0",
      previous_limit: "1000000000000000e-3"
    })
  })

  it("together with their AMM, also by a failed transaction", () => {
    const gone = (id: number) =>
      deleted("RippleState", key(id), line({ Flags: 0, Balance: token("0", neutral) }), {
        Balance: token("-3", neutral),
        Flags: HIGH_RESERVE
      })
    const amm = deleted("AccountRoot", key(1), { Account: bob, AMMID: key(99), Balance: "0" })
    const last = detect(transaction({ TransactionType: "AMMWithdraw" }, [amm, gone(2), gone(3)]))
    assert.deepStrictEqual(names(last), ["trustline.deleted:0", "trustline.deleted:1", "account.deleted"])
    assert.deepStrictEqual(payloadNamed(last, "account.deleted"), {
      tx_hash: txHash,
      account: bob,
      pseudo_account_type: "amm",
      tx_type: "AMMWithdraw"
    })
    assert.deepStrictEqual(eventNamed(last, "account.deleted").accounts, [alice, bob].sort())

    const nodes = Array.from({ length: 512 }, (_, i) => gone(i))
    const part = detect(
      transaction({ TransactionType: "AMMDelete" }, nodes, { TransactionResult: "tecINCOMPLETE" })
    )
    assert.strictEqual(part.events.length, 512)
    assert.strictEqual(names(part)[511], "trustline.deleted:511")
  })
})
